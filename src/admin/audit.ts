import type { Command } from 'commander';
import { z } from 'zod';
import { type Anchor, areExplained, readAnchors, signAnchor } from '../domain/audit/anchors.ts';
import { type ShownAuditEntry, searchAudit } from '../domain/audit/audit-search.ts';
import type { ChainHead } from '../domain/audit/chain-links.ts';
import { type ChainReport, verifyChain } from '../domain/audit/verify-chain.ts';
import { findOrganization, listOrganizations } from '../domain/practices/organizations.ts';
import { writeInstant } from '../domain/values/time.ts';
import { createAnchorStore } from '../gateways/anchor-store.ts';
import type { AuditLink } from '../generated/prisma/client.ts';
import { sealAudit } from '../jobs/seal-audit.ts';
import { explainCommand, explanationRow, explanationSentence } from './audit-explain.ts';
import { type CommandDeclarer, UsageError } from './command.ts';
import { count, id, limit, organization, since, text } from './options.ts';
import { type CommandResult, list, page, type Row, record, table } from './output.ts';
import type { Session } from './session.ts';

export function auditCommands(program: Command, { command }: CommandDeclarer): void {
  const audit = program.command('audit').description('The audit: who read or changed what, sealed into a chain.');
  command(audit, 'list', {
    summary: 'List what was done in a practice, the newest first',
    details: 'The listing is an entry of the audit itself.',
    options: listOptions,
    keys: 'others',
    run: listEntries,
  });
  command(audit, 'verify', {
    summary: 'Walk the chain of seals and name the first link that does not hold',
    details:
      'Exits with 1 when an entry was edited, deleted, added or moved after it was sealed. Stretches that audit explain closed are named.',
    options: verifyOptions,
    keys: 'others',
    run: verify,
  });
  explainCommand(audit, command);
  command(audit, 'anchor', {
    summary: 'Write the heads of all chains, signed, to a place outside of the database',
    details: 'Adds a line to a file, or an object under lock to a bucket; the server does so every hour where AUDIT_ANCHOR is set.',
    options: anchorOptions,
    run: anchor,
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
  actor: text(200)
    .exactOptional()
    .meta({ placeholder: 'who' })
    .describe('only what this one did: user:12, client:<client_id>, operator:<name>, or operator for all of these'),
  since: since().exactOptional().describe('only from then on: a day, from midnight UTC, or an instant'),
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an entry')
    .transform(Number)
    .exactOptional()
    .meta({ placeholder: 'id' })
    .describe('only entries older than this one'),
  limit: limit(50),
});

async function listEntries(
  { read }: Session,
  { organization: organizationId, patient: patientId, since, ...filter }: z.output<typeof listOptions>,
): Promise<CommandResult> {
  const search = { ...filter, patientId, range: { from: since ?? null, before: null } };
  const { entries, next } = await read(organizationId, (db, caller) => searchAudit(db, caller, search));
  const rows = entries.map(row);
  const hint = next === null ? null : `For what is older, add: --before ${next}`;
  return page({ entries: rows, next }, rows, { none: 'There is nothing of that kind.', hint });
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
  anchors: text(1_000)
    .exactOptional()
    .meta({ placeholder: 'file or s3://bucket/prefix' })
    .describe('anchors that audit anchor made: all their heads must still be there'),
});

const anchorOptions = z.object({
  file: text(1_000).exactOptional().meta({ placeholder: 'path' }).describe('the file to which a line is added'),
  s3: z
    .string()
    .regex(/^s3:\/\/[^/]+(\/.*)?$/, 'must be written as s3://bucket/prefix')
    .exactOptional()
    .meta({ placeholder: 's3://bucket/prefix' })
    .describe('the bucket, which has object lock; region, address and keys are those of FILES_S3_…'),
  retentionDays: count(1, 36_500).exactOptional().describe('days for which the bucket keeps it (default AUDIT_ANCHOR_DAYS)'),
});

async function anchor(session: Session, { file, s3, retentionDays }: z.output<typeof anchorOptions>): Promise<CommandResult> {
  const { config, db, keyring } = session;
  const target = s3 ?? file ?? config.AUDIT_ANCHOR;
  if (target === undefined || (s3 !== undefined && file !== undefined))
    throw new UsageError('Name one place: --file, --s3, or the variable AUDIT_ANCHOR.');
  const now = new Date();
  const { line, chains, refused } = await signAnchor(db, keyring, now);
  await createAnchorStore(target, { ...config, AUDIT_ANCHOR_DAYS: retentionDays ?? config.AUDIT_ANCHOR_DAYS }).append(line, now);
  const written = record({ at: writeInstant(now), place: target, chains });
  if (refused.length === 0) return written;
  const sentences = refused.map(
    ({ organizationId, reason }) => `The chain of organization ${organizationId} is not in the anchor: ${reason}.`,
  );
  return { ...written, problem: sentences.join('\n') };
}

interface Anchored {
  heads: Anchor['heads'];
  /** Sentences about the anchors that cannot be used. */
  problems: string[];
  /** Sentences about those of a key that is gone. */
  remarks: string[];
}

/** The heads in the anchors of a place. */
async function anchored({ config, db, keyring }: Session, target: string | undefined): Promise<Anchored> {
  if (target === undefined) return { heads: [], problems: [], remarks: [] };
  const { anchors, foreign, altered } = readAnchors(keyring, await createAnchorStore(target, config).read());
  const explained = new Set<number>();
  for (const { number, heads } of foreign) if (await areExplained(db, keyring, heads)) explained.add(number);
  const problems = [...altered, ...foreign.map(({ number }) => number).filter((number) => !explained.has(number))].map(
    (number) => `Anchor ${number} of ${target} was altered, or was signed under other MASTER_KEYS; it was not used.`,
  );
  const remarks = [...explained].map(
    (number) => `Anchor ${number} of ${target} was signed under the key of an explained stretch; its heads are in the chains.`,
  );
  return { heads: anchors.flatMap(({ heads }) => heads), problems, remarks };
}

async function verify(session: Session, { organization: only, head, anchors }: z.output<typeof verifyOptions>): Promise<CommandResult> {
  if (head !== undefined && only === undefined) throw new UsageError('--head is the head of one practice: name it with --organization.');
  const reports: ChainReport[] = [];
  const { heads, problems, remarks } = await anchored(session, anchors);
  const organizations = await chosen(session, only);
  const others = heads.map(({ organizationId }) => organizationId).filter((id) => !organizations.includes(id));
  const gone = only === undefined ? [...new Set(others)] : [];
  for (const organizationId of organizations) {
    const known = heads.filter((one) => one.organizationId === organizationId);
    reports.push(await verifyChain(session.db, session.keyring, organizationId, head ? [...known, head] : known));
  }
  const absent = gone.map((id) => `Organization ${id} is in the anchors, and is gone with its audit.`);
  return verdict(reports, [...absent, ...problems], remarks);
}

async function chosen({ db }: Session, only: number | undefined): Promise<number[]> {
  if (only !== undefined) return [(await findOrganization(db, only)).id];
  return (await listOrganizations(db)).map((one) => one.id);
}

/** @param problems that were found elsewhere, and `remarks` that were made there */
function verdict(reports: ChainReport[], problems: readonly string[], remarks: readonly string[]): CommandResult {
  const json = reports.map(({ organizationId, links, unsealed, head, broken, explained }) => ({
    organization_id: organizationId,
    holds: broken === null,
    links,
    unsealed,
    head: head && `${head.position}:${head.hash}`,
    broken: broken && { position: Number(broken.position), audit_entry_id: Number(broken.auditEntryId), what: broken.what },
    explained: explained.map(explanationRow),
  }));
  const text = reports.length === 0 ? 'There are no practices yet.' : table(json.map(({ broken: _, explained: __, ...shown }) => shown));
  const sentences = reports.flatMap(({ organizationId, broken }) =>
    broken ? [`The audit of organization ${organizationId} is broken at link ${broken.position}: ${broken.what}.`] : [],
  );
  const all = [...sentences, ...problems];
  const remark = [...reports.flatMap(({ explained }) => explained.map(explanationSentence)), ...remarks].join('\n');
  return { json, text, ...(remark === '' ? {} : { remark }), ...(all.length === 0 ? {} : { problem: all.join('\n') }) };
}

async function seal(session: Session): Promise<CommandResult> {
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

const row = (entry: ShownAuditEntry): Row => ({
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
