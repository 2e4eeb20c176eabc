import type { Command } from 'commander';
import { z } from 'zod';
import { createPlace } from '../../backup/places/place.ts';
import { signAnchor } from '../../domain/audit/chain/anchors.ts';
import { toInstant } from '../../domain/audit/chain/chain-links.ts';
import { type ShownAuditEntry, searchAudit } from '../../domain/logs/audit-search.ts';
import { type ArchivedEntry, recordArchiveSearch, searchArchive } from '../../domain/logs/search-archive.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { inPractice } from '../../domain/tx.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { createAnchorStore } from '../../gateways/anchors/create-anchor-store.ts';
import type { AuditLink } from '../../generated/prisma/client.ts';
import { sealAudit } from '../../jobs/upkeep/seal-audit.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { count, folderOrBucket, id, limit, since, text } from '../terminal/options.ts';
import { type CommandResult, list, page, type Row, record } from '../terminal/output.ts';
import { findPractice, practice } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';
import { archiveCommands, archiveSentence } from './audit-archive.ts';
import { restoredCommand } from './audit-restored.ts';
import { verifyCommand } from './audit-verify.ts';

export function auditCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const audit = program.command('audit').description('The audit: who read or changed what, sealed into a chain.');
  command(audit, 'list', {
    summary: 'List what was done in a practice, newest first',
    details: 'Listing the audit is itself audited.',
    options: listOptions,
    keys: 'others',
    run: listEntries,
  });
  verifyCommand(audit, command);
  command(audit, 'anchor', {
    summary: 'Write the signed heads of all chains to a place outside of the database',
    details: 'Adds a line to a file, or a locked object to a bucket. With AUDIT_ANCHOR set, the server does this every hour.',
    options: anchorOptions,
    run: anchor,
  });
  command(audit, 'seal', {
    summary: 'Seal the audit entries that are not sealed yet',
    details: 'The server does this every few seconds.',
    options: z.object({}),
    run: seal,
  });
  restoredCommand(audit, command);
  archiveCommands(audit, command, io);
}

const listOptions = z.object({
  practice: practice(),
  patient: id().exactOptional().describe('only entries about the chart of this patient'),
  actor: text(200)
    .exactOptional()
    .meta({ placeholder: 'who' })
    .describe('only entries of this caller: user:12, client:<client_id>, operator:<name>, or operator for all operators'),
  since: since().exactOptional().describe('only entries from this day (midnight UTC) or instant on'),
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an entry')
    .transform(Number)
    .exactOptional()
    .meta({ placeholder: 'id' })
    .describe('only entries older than this one'),
  archive: folderOrBucket().exactOptional().describe('list the entries in this archive instead of the table'),
  limit: limit(50),
});

type ListOptions = z.output<typeof listOptions>;

async function listEntries(session: Session, options: ListOptions): Promise<CommandResult> {
  if (options.archive !== undefined) return listArchived(session, options, options.archive);
  const { practice: named, patient: patientId, since, archive: _, ...filter } = options;
  const { read, db } = session;
  const { id: organizationId } = await findPractice(db, named);
  const search = { ...filter, patientId, range: { from: since ?? null, before: null } };
  const { entries, next } = await read(organizationId, (tx) => searchAudit(tx, search));
  const rows = entries.map(toRow);
  const shown = page({ entries: rows, next }, rows, { none: NONE, hint: writeHint(next) });
  const archived = next === null ? await archiveSentence(inPractice(db, organizationId)) : null;
  return archived === null ? shown : { ...shown, remark: archived };
}

const NONE = 'No entries match.';
const writeHint = (next: number | null) => (next === null ? null : `For older entries, add: --before ${next}`);

async function listArchived({ config, db, keyring, read }: Session, options: ListOptions, target: string): Promise<CommandResult> {
  const { practice: named, patient: patientId, since, before, actor, limit: most } = options;
  const { id: organizationId } = await findPractice(db, named);
  const search = { patientId, since, before, actor, limit: most };
  await read(organizationId, async (tx) => recordArchiveSearch(tx, search));
  const found = await searchArchive(db, keyring, await createPlace(target, config), organizationId, { ...search, limit: most + 1 });
  const rows = found.slice(0, most).map(archivedRow);
  const next = found.length > most ? Number(rows.at(-1)?.id) : null;
  return page({ entries: rows, next }, rows, { none: NONE, hint: writeHint(next) });
}

const anchorOptions = z.object({
  file: text(1_000).exactOptional().meta({ placeholder: 'path' }).describe('the file to append a line to'),
  s3: z
    .string()
    .regex(/^s3:\/\/[^/]+(\/.*)?$/, 'must be written as s3://bucket/prefix')
    .exactOptional()
    .meta({ placeholder: 's3://bucket/prefix' })
    .describe('the bucket, which has object lock; region, address and keys are those of FILES_S3_…'),
  retentionDays: count(1, 36_500).exactOptional().describe('days that the bucket must keep it (default: AUDIT_ANCHOR_DAYS)'),
});

async function anchor(session: Session, { file, s3, retentionDays }: z.output<typeof anchorOptions>): Promise<CommandResult> {
  const { config, db, keyring } = session;
  const target = s3 ?? file ?? config.AUDIT_ANCHOR;
  if (target === undefined || (s3 !== undefined && file !== undefined))
    throw new UsageError('Name one place: --file, --s3, or the variable AUDIT_ANCHOR.');
  const now = new Date();
  const { line, chains, refused } = await signAnchor(db, keyring, now);
  const store = await createAnchorStore(target, { ...config, AUDIT_ANCHOR_DAYS: retentionDays ?? config.AUDIT_ANCHOR_DAYS });
  await store.append(line, now);
  const written = record({ at: writeInstant(now), place: target, chains });
  if (refused.length === 0) return written;
  const sentences = refused.map(({ organizationId, reason }) => `The chain of practice ${organizationId} is not in the anchor: ${reason}.`);
  return { ...written, problem: sentences.join('\n') };
}

async function seal(session: Session): Promise<CommandResult> {
  const before = new Map((await listHeads(session)).map(({ organizationId, position }) => [organizationId, position]));
  await sealAudit(session.database, session.keyring);
  const rows = (await listHeads(session)).map(({ organizationId, position, hash }) => ({
    practice_id: organizationId,
    sealed_now: Number(position - (before.get(organizationId) ?? 0n)),
    head: `${position}:${Buffer.from(hash).toString('base64url')}`,
  }));
  return list(rows, 'There is nothing to seal.');
}

/** The newest link of each chain. */
async function listHeads({ db }: Session): Promise<AuditLink[]> {
  const organizations = await listOrganizations(db);
  const heads = organizations.map((one) => db.auditLink.findFirst({ where: { organizationId: one.id }, orderBy: { position: 'desc' } }));
  return (await Promise.all(heads)).filter((head) => head !== null);
}

const toRow = (entry: ShownAuditEntry): Row => columns(entry, writeInstant(entry.at));

const archivedRow = (entry: ArchivedEntry): Row => columns(entry, writeInstant(toInstant(entry)));

const columns = (entry: Omit<ShownAuditEntry | ArchivedEntry, 'at'>, at: string): Row => ({
  id: Number(entry.id),
  at,
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
