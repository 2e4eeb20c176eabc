import type { Command } from 'commander';
import { z } from 'zod';
import { type ChainHead, type ChainReport, verifyChain } from '../domain/audit/audit-chain.ts';
import { type AuditEntry, listAudit } from '../domain/audit/audit-log.ts';
import { findOrganization, listOrganizations } from '../domain/practices/organizations.ts';
import { writeInstant } from '../domain/values/time.ts';
import type { AuditLink } from '../generated/prisma/client.ts';
import { sealAudit } from '../jobs/seal-audit.ts';
import { type CommandDeclarer, UsageError } from './command.ts';
import { id, limit, organization, since, text } from './options.ts';
import { type CommandResult, list, page, type Row, table } from './output.ts';
import { requireMasterKeys, type Session } from './session.ts';

export function auditCommands(program: Command, { command }: CommandDeclarer): void {
  const audit = program.command('audit').description('The audit: who read or changed what, sealed into a chain.');
  command(audit, 'list', {
    summary: 'List what was done in a practice, the newest first',
    options: listOptions,
    run: listEntries,
  });
  command(audit, 'verify', {
    summary: 'Walk the chain of seals and name the first link that does not hold',
    details: 'Exits with 1 when an entry was edited, deleted, added or moved after it was sealed.',
    options: verifyOptions,
    run: verify,
  });
  command(audit, 'seal', {
    summary: 'Seal the audit entries that are not sealed yet, now',
    details: 'The server does so every few seconds.',
    options: z.object({}),
    run: seal,
  });
}

const listOptions = z.object({
  organization: organization(),
  patient: id().exactOptional().describe('only what was done with the chart of this patient'),
  actor: text(200).exactOptional().meta({ placeholder: 'who' }).describe('only what this one did: user:12, client:<client_id> or operator'),
  since: since().exactOptional().describe('only from then on: a day, from midnight UTC, or an instant'),
  before: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the id of an entry')
    .transform(BigInt)
    .exactOptional()
    .meta({ placeholder: 'id' })
    .describe('only entries older than this one'),
  limit: limit(50),
});

async function listEntries(
  { read }: Session,
  { organization: organizationId, patient, ...filter }: z.output<typeof listOptions>,
): Promise<CommandResult> {
  const chart = patient === undefined ? {} : { patientId: patient };
  const { entries, next } = await read(organizationId, (db, caller) => listAudit(db, caller, { ...filter, ...chart }));
  const rows = entries.map(row);
  const hint = next === null ? null : `For what is older, add: --before ${next}`;
  return page({ entries: rows, next: next === null ? null : Number(next) }, rows, { none: 'There is nothing of that kind.', hint });
}

const verifyOptions = z.object({
  organization: id().exactOptional().describe('only this practice (default all)'),
  head: z
    .string()
    .regex(/^\d{1,18}:[A-Za-z0-9_-]{43}$/, 'must be a position and a hash with a colon between, as verify showed it')
    .transform((input): ChainHead => {
      const [position = '', hash = ''] = input.split(':');
      return { position: BigInt(position), hash };
    })
    .exactOptional()
    .meta({ placeholder: 'position:hash' })
    .describe('a head that the chain of the practice once had, from the log of the server or an earlier verify: it must still be there'),
});

async function verify(session: Session, { organization: only, head }: z.output<typeof verifyOptions>): Promise<CommandResult> {
  if (head !== undefined && only === undefined) throw new UsageError('--head is the head of one practice: name it with --organization.');
  await requireMasterKeys(session);
  const reports: ChainReport[] = [];
  for (const organizationId of await chosen(session, only))
    reports.push(await verifyChain(session.db, session.keyring, organizationId, head));
  return verdict(reports);
}

async function chosen({ db }: Session, only: number | undefined): Promise<number[]> {
  if (only !== undefined) return [(await findOrganization(db, only)).id];
  return (await listOrganizations(db)).map((one) => one.id);
}

function verdict(reports: ChainReport[]): CommandResult {
  const json = reports.map(({ organizationId, links, unsealed, head, broken }) => ({
    organization_id: organizationId,
    holds: broken === null,
    links,
    unsealed,
    head: head && `${head.position}:${head.hash}`,
    broken: broken && { position: Number(broken.position), audit_entry_id: Number(broken.auditEntryId), what: broken.what },
  }));
  const text = reports.length === 0 ? 'There are no practices yet.' : table(json.map(({ broken: _, ...shown }) => shown));
  const [first] = reports.flatMap(({ organizationId, broken }) => (broken ? [{ organizationId, ...broken }] : []));
  if (!first) return { json, text };
  return { json, text, problem: `The audit of organization ${first.organizationId} is broken at link ${first.position}: ${first.what}.` };
}

async function seal(session: Session): Promise<CommandResult> {
  await requireMasterKeys(session);
  const before = new Map((await headsOf(session)).map(({ organizationId, position }) => [organizationId, position]));
  await sealAudit(session.database, session.keyring);
  const rows = (await headsOf(session)).map(({ organizationId, position, hash }) => ({
    organization_id: organizationId,
    sealed_now: Number(position - (before.get(organizationId) ?? 0n)),
    head: `${position}:${Buffer.from(hash).toString('base64url')}`,
  }));
  return list(rows, 'There is nothing to seal.');
}

/** The newest link of each chain. */
async function headsOf({ db }: Session): Promise<AuditLink[]> {
  const organizations = await listOrganizations(db);
  const heads = organizations.map((one) => db.auditLink.findFirst({ where: { organizationId: one.id }, orderBy: { position: 'desc' } }));
  return (await Promise.all(heads)).filter((head) => head !== null);
}

const row = (entry: AuditEntry): Row => ({
  id: Number(entry.id),
  at: writeInstant(entry.at),
  actor: entry.actor,
  action: entry.action,
  resource: entry.resource,
  resource_ids: entry.resourceIds,
  patient_ids: entry.patientIds,
  operation: entry.operation,
  request_id: entry.requestId,
  address: entry.address,
  detail: entry.detail,
});
