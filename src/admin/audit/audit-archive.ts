import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import pg from 'pg';
import { z } from 'zod';
import { canLock, createPlace } from '../../backup/places/place.ts';
import { rowsOf } from '../../database/statements/practice-rows.ts';
import { createPrepared } from '../../database/statements/statement.ts';
import { ArchiveError } from '../../domain/audit/archive/archive-file.ts';
import {
  type AuditPartition,
  addCheckpoint,
  archiveCut,
  deleteArchived,
  dropPartitions,
  findCut,
  listPartitions,
} from '../../domain/audit/archive/archive-months.ts';
import type { Checkpoint } from '../../domain/audit/archive/checkpoints.ts';
import { AuditChainError } from '../../domain/audit/chain/chain-heads.ts';
import { conflict } from '../../domain/errors.ts';
import { findKeptUntil } from '../../domain/patient-rights/discard-archive.ts';
import { readRetentionPolicy } from '../../domain/patient-rights/retention-policy.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { inPractice, type PracticeTx } from '../../domain/tx.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { RefusedChains, sealAudit } from '../../jobs/upkeep/seal-audit.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { folderOrBucket, since } from '../terminal/options.ts';
import { type CommandResult, table } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { discardCommand, fileRow } from './audit-discard.ts';

const options = z.object({
  before: since().describe('a day (from midnight UTC); all complete months before it are archived'),
  to: folderOrBucket().describe('a folder outside of DATA_DIR, or a bucket; each run adds to it'),
});

/** A lock counts from a day after the month's end: some entries of a file are a little younger. */
const DAY_MS = 86_400_000;
/** Attempts to drop partitions, a second apart, while others have them in use. */
const ATTEMPTS = 10;

export function archiveCommands(audit: Command, command: CommandDeclarer['command'], io: Io): void {
  command(audit, 'archive', {
    summary: 'Archive complete months of the audit, and remove them from the database',
    details:
      'Month by month, the chain of each practice is verified, written as a signed file, read back and verified again; then the month is ' +
      'dropped. If a run is interrupted, run it again.',
    options,
    run: (session, chosen) => archive(session, chosen, (step) => io.stderr(`${step}\n`)),
  });
  discardCommand(audit, command);
}

/** A sentence for who reads the audit of a practice: where its older entries are; null where all are in the table. */
export async function archiveSentence(tx: PracticeTx): Promise<string | null> {
  const newest = await tx.prisma.auditCheckpoint.findFirst({ where: tx.practice, orderBy: { position: 'desc' } });
  return newest && `Entries up to ${writeInstant(newest.lastAt)} are in the archive; to list them: audit list --archive ${newest.place}`;
}

async function archive(session: Session, { before, to }: z.output<typeof options>, report: (step: string) => void): Promise<CommandResult> {
  if (before > new Date()) throw new UsageError('--before: must not be in the future.');
  const prepared = createPrepared(session.database.pool);
  const partitions = await listPartitions(prepared, before);
  const months = partitions.filter(({ isWhole }) => isWhole);
  if (months.length === 0) return toResult([], [], describeNothing(partitions[0]?.upper));
  report('sealing');
  await sealAll(session);
  const checkpoints: Checkpoint[] = [];
  const dropped: string[] = [];
  for (const month of months) {
    checkpoints.push(...(await archiveMonth(session, month, to, report)));
    const names = await drop(session, month.upper, report);
    dropped.push(...names);
    for (const name of names) report(`dropped ${name}`);
    if (!names.includes(month.name))
      return toResult(checkpoints, dropped, `${month.name} stays while a backup is running. Run the command again later.`);
    for (const { id } of await listOrganizations(session.db)) await deleteArchived(rowsOf(prepared, id));
    report('deleted the links of the archived entries');
  }
  return toResult(checkpoints, dropped, null);
}

const describeNothing = (first: Date | undefined): string =>
  `There is no complete month to archive${first ? `: the oldest one that can be archived ends on ${writeInstant(first)}` : ''}.`;

/** @throws Failure conflict naming each practice whose chain the sealer does not continue */
async function sealAll({ database, keyring }: Session): Promise<void> {
  try {
    await sealAudit(database, keyring);
  } catch (error) {
    if (!(error instanceof RefusedChains)) throw error;
    throw notArchived([...error.reasons], 'Nothing was removed from the database.');
  }
}

const notArchived = (reasons: readonly [organizationId: number, reason: string][], end: string) =>
  conflict('not_archived', [...reasons.map(([id, reason]) => `The audit of practice ${id} cannot be archived: ${reason}.`), end].join(' '));

/**
 * Writes a month of all practices, and then its checkpoints.
 * @throws Failure conflict where one of them cannot be archived: then the month and later ones stay
 */
async function archiveMonth(session: Session, month: AuditPartition, to: string, report: (step: string) => void): Promise<Checkpoint[]> {
  const { config, db, keyring } = session;
  const locked = await canLock(to, config);
  const checkpoints: Checkpoint[] = [];
  const reasons: [number, string][] = [];
  for (const { id } of await listOrganizations(db)) {
    try {
      const cut = await findCut(db, keyring, id, month.upper);
      if (!cut) continue;
      const { auditYears } = await readRetentionPolicy(inPractice(db, id));
      const until = locked ? findKeptUntil({ lastAt: new Date(month.upper.getTime() + DAY_MS) }, auditYears) : undefined;
      report(`practice ${id}: writing entries ${cut.after.position + 1n} to ${cut.last.position}`);
      checkpoints.push(await archiveCut(db, keyring, await createPlace(to, config, until), to, cut));
      report(`practice ${id}: read back and verified`);
    } catch (error) {
      if (!(error instanceof AuditChainError || error instanceof ArchiveError)) throw error;
      reasons.push([id, error.message]);
    }
  }
  if (reasons.length > 0) throw notArchived(reasons, `${month.name} and later months stay in the database.`);
  for (const checkpoint of checkpoints) {
    await session.write(checkpoint.organizationId, (tx) => addCheckpoint(tx, keyring, checkpoint));
    report(`practice ${checkpoint.organizationId}: checkpoint of ${checkpoint.file}`);
  }
  return checkpoints;
}

/** @throws Failure conflict where an entry came late, or somebody has the months in use */
async function drop({ database }: Session, upper: Date, report: (step: string) => void): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dropPartitions(createPrepared(database.pool), upper);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      if (error.code === '55000') throw conflict('late_entry', `The months remain in the table: ${error.message}. Run the command again.`);
      if (error.code !== '55P03') throw error;
      if (attempt === ATTEMPTS)
        throw conflict('in_use', 'The months are archived, but remain in the table because it is in use. Run the command again.');
      report('waiting for queries that read the months to be dropped');
      await sleep(1_000);
    }
  }
}

function toResult(checkpoints: readonly Checkpoint[], dropped: readonly string[], remark: string | null): CommandResult {
  const files = checkpoints.map((checkpoint) => ({ ...fileRow(checkpoint), sha256: checkpoint.sha256.toString('hex') }));
  const list = files.length === 0 ? 'Nothing was left to archive.' : table(files);
  return {
    json: { files, dropped },
    text: dropped.length === 0 ? list : `${list}\n\nDropped: ${dropped.join(', ')}`,
    ...(remark === null ? {} : { remark }),
  };
}
