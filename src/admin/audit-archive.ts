import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import pg from 'pg';
import { z } from 'zod';
import { canLock, createPlace } from '../backup/place.ts';
import type { Db } from '../database/database.ts';
import { createPrepared } from '../database/statement.ts';
import { archiveCut, findCut } from '../domain/audit/archive/archive-chain.ts';
import type { Checkpoint } from '../domain/audit/archive/checkpoints.ts';
import { addCheckpoint, deleteArchivedLinks, dropPartitions, listPartitions } from '../domain/audit/archive/keep-archive.ts';
import { SegmentError } from '../domain/audit/archive/read-segment.ts';
import { AuditChainError } from '../domain/audit/chain-heads.ts';
import { conflict } from '../domain/errors.ts';
import { keptUntil } from '../domain/patient-rights/discard-archive.ts';
import { readRetentionPolicy } from '../domain/patient-rights/retention-policy.ts';
import { listOrganizations } from '../domain/practices/organizations.ts';
import { writeInstant } from '../domain/values/time.ts';
import { RefusedChains, sealAudit } from '../jobs/seal-audit.ts';
import { discardCommand } from './audit-discard.ts';
import { type CommandDeclarer, UsageError } from './command.ts';
import type { Io } from './io.ts';
import { archivePlace, since } from './options.ts';
import { type CommandResult, table } from './output.ts';
import type { Session } from './session.ts';

const options = z.object({
  before: since().describe('a day, from midnight UTC: whole months before it are archived'),
  to: archivePlace().describe('the place, outside of DATA_DIR; each run adds to what is there'),
});

/** A lock counts from a day after the months' end: some entries of a segment are a little younger. */
const DAY_MS = 86_400_000;
/** Attempts to drop partitions, a second apart, while others have them in use. */
const ATTEMPTS = 10;

/** Declares `audit archive` and `audit discard`. */
export function archiveCommands(audit: Command, command: CommandDeclarer['command'], io: Io): void {
  command(audit, 'archive', {
    summary: 'Write whole months of the audit into an archive, and take them out of the database',
    details:
      'The chain of each practice is verified, written as signed segments, read back and verified again; then its links and the months are ' +
      'dropped. A run that was cut off is run again. All servers must be of this release.',
    options,
    run: (session, chosen) => archive(session, chosen, (step) => io.stderr(`${step}\n`)),
  });
  discardCommand(audit, command);
}

/** A sentence for who reads the audit of a practice: where its older entries are; null where all are in the table. */
export async function archiveSentence(db: Db, organizationId: number): Promise<string | null> {
  const newest = await db.auditCheckpoint.findFirst({ where: { organizationId }, orderBy: { position: 'desc' } });
  return (
    newest && `Entries up to ${writeInstant(newest.lastAt)} are in the archive; audit list shows those with: --archive ${newest.place}`
  );
}

async function archive(session: Session, { before, to }: z.output<typeof options>, report: (step: string) => void): Promise<CommandResult> {
  if (before > new Date()) throw new UsageError('--before: must not be in the future.');
  const prepared = createPrepared(session.database.pool);
  const partitions = await listPartitions(prepared, before);
  const cutAt = partitions.filter(({ isWhole }) => isWhole).at(-1)?.upper;
  if (!cutAt) return shown([], [], null, nothing(partitions[0]?.upper));
  report('sealing');
  const refused = await sealAll(session);
  const checkpoints = await writeSegments(session, { cutAt, to, refused }, report);
  for (const checkpoint of checkpoints) {
    const { organizationId, segment } = checkpoint;
    await session.write(organizationId, (db, caller) => addCheckpoint(db, caller, session.keyring, checkpoint));
    report(`organization ${organizationId}: checkpoint of segment ${segment}`);
  }
  for (const { id } of await listOrganizations(session.db)) await deleteArchivedLinks(prepared, id);
  report('deleted the links of what is archived');
  const dropped = await drop(session, cutAt, report);
  for (const name of dropped) report(`dropped ${name}`);
  const left = partitions.filter(({ name, isWhole }) => isWhole && !dropped.includes(name)).map(({ name }) => name);
  return shown(
    checkpoints,
    dropped,
    cutAt,
    left.length === 0 ? null : `${left.join(', ')} stays while a backup is under way: run the command again.`,
  );
}

const nothing = (first: Date | undefined): string =>
  `There is no whole month to archive${first ? `: the oldest that can leave the table ends on ${writeInstant(first)}` : ''}.`;

/** The reasons for which the sealer does not continue the chains of some practices, which are named with those that cannot be written. */
async function sealAll({ database, keyring }: Session): Promise<RefusedChains['reasons']> {
  try {
    await sealAudit(database, keyring);
    return new Map();
  } catch (error) {
    if (error instanceof RefusedChains) return error.reasons;
    throw error;
  }
}

/** Writes the segments of all practices. @throws Failure conflict where one of them cannot be archived: then nothing is dropped */
async function writeSegments(
  { config, db, keyring }: Session,
  { cutAt, to, refused }: { cutAt: Date; to: string; refused: RefusedChains['reasons'] },
  report: (step: string) => void,
): Promise<Checkpoint[]> {
  const locked = await canLock(to, config);
  const checkpoints: Checkpoint[] = [];
  const problems: string[] = [];
  for (const { id } of await listOrganizations(db)) {
    try {
      const reason = refused.get(id);
      if (reason !== undefined) throw new AuditChainError(reason);
      const cut = await findCut(db, keyring, id, cutAt);
      if (!cut) continue;
      const { auditYears } = await readRetentionPolicy(db, id);
      const until = locked ? keptUntil({ lastAt: new Date(cutAt.getTime() + DAY_MS) }, auditYears) : undefined;
      report(`organization ${id}: writing entries ${cut.after.position + 1n} to ${cut.last.position}`);
      checkpoints.push(await archiveCut(db, keyring, createPlace(to, config, until), to, cut));
      report(`organization ${id}: read back and verified`);
    } catch (error) {
      if (!(error instanceof AuditChainError || error instanceof SegmentError)) throw error;
      problems.push(`The audit of organization ${id} cannot be archived: ${error.message}.`);
    }
  }
  if (problems.length > 0) throw conflict('not_archived', [...problems, 'Nothing was taken out of the database.'].join(' '));
  return checkpoints;
}

/** @throws Failure conflict where an entry came late, or somebody has the months in use */
async function drop({ database }: Session, cutAt: Date, report: (step: string) => void): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dropPartitions(createPrepared(database.pool), cutAt);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      if (error.code === '55000') throw conflict('late_entry', `The months stay in the table: ${error.message}. Run the command again.`);
      if (error.code !== '55P03') throw error;
      if (attempt === ATTEMPTS)
        throw conflict('in_use', 'The months are archived and stay in the table, which is in use. Run the command again.');
      report('waiting until nobody reads the months that are to be dropped');
      await sleep(1_000);
    }
  }
}

function shown(checkpoints: readonly Checkpoint[], dropped: readonly string[], cutAt: Date | null, remark: string | null): CommandResult {
  const segments = checkpoints.map(({ organizationId, segment, previousPosition, position, firstAt, lastAt, manifest }) => ({
    organization_id: organizationId,
    segment,
    first: Number(previousPosition) + 1,
    last: Number(position),
    first_at: writeInstant(firstAt),
    last_at: writeInstant(lastAt),
    sha256: manifest.toString('hex'),
  }));
  const list = segments.length === 0 ? 'Nothing was left to archive.' : table(segments);
  return {
    json: { before: writeInstant(cutAt), segments, dropped },
    text: dropped.length === 0 ? list : `${list}\n\nDropped: ${dropped.join(', ')}`,
    ...(remark === null ? {} : { remark }),
  };
}
