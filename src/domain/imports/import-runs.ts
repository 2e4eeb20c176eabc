import { z } from 'zod';
import { databaseTime } from '../../database/clock.ts';
import type { Db } from '../../database/database.ts';
import { overAllPractices } from '../../database/statements/all-practices.ts';
import { preparedIn, statement } from '../../database/statements/statement.ts';
import type { ImportRun, Prisma } from '../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import { type CallerIdentity, maySeeRestricted, RESTRICTED_SCOPE } from '../caller.ts';
import { conflict, Failure, notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { DECISIONS, IMPORT_KINDS } from './import-kinds.ts';
import type { BatchResult, ImportOptions } from './import-rows.ts';
import type { RowFile } from './rows/read-rows.ts';

export type { ImportRun };

const Stored = z.object({ kind: z.enum(IMPORT_KINDS), onMatch: z.enum(DECISIONS), mapping: z.record(z.string(), z.string()) });

export const readOptions = (run: ImportRun): ImportOptions => ({ ...Stored.parse(run), dryRun: run.dryRun });

const Actor = z.object({
  actor: z.string(),
  userId: z.int().nullable(),
  role: z.enum(['admin', 'provider', 'staff']).nullable(),
  seesRestricted: z.boolean(),
});

/** The request id of the events and audit rows of an import, by which its new charts are found. */
export const importRequestId = (id: number): string => `import-${id}`;

/** The caller who asked for an import acts in it: its events and audit rows name them, and charts that they may not see stay hidden. */
export function importCaller(run: Pick<ImportRun, 'organizationId' | 'id' | 'caller'>, operation: string): CallerIdentity {
  const { seesRestricted, ...actor } = Actor.parse(run.caller);
  const scopes = new Set(seesRestricted && actor.userId !== null ? [RESTRICTED_SCOPE] : []);
  const { organizationId, id } = run;
  return { organizationId, ...actor, scopes, sessionId: null, operation, requestId: importRequestId(id), address: null };
}

interface NewImport extends ImportOptions {
  totalBytes: number | null;
  /** Of a command, whose file is at hand. */
  fingerprint?: Uint8Array<ArrayBuffer>;
}

/** Milliseconds for which a file that was refused as a whole keeps its place: to receive and unpack 1 GiB takes seconds of a processor. */
const REFUSED_MS = 86_400_000;
/** The same for one of whose rows none was read. */
const UNREAD_MS = 3_600_000;

/**
 * Makes sure that the practice may announce one more upload: its files wait in the store for their turn.
 * @param most uploads of a practice that have not ended, or were refused a short time ago
 * @throws Failure too_many_requests
 */
export async function requireImportRoom(tx: Tx, most: number): Promise<void> {
  const { organizationId } = tx;
  // One after the other, so that two do not count the same.
  await tx.prisma.$queryRaw`SELECT id FROM organization WHERE id = ${organizationId} FOR NO KEY UPDATE`;
  const since = (ms: number) => ({ gt: new Date(Date.now() - ms) });
  const keepingPlaces: Prisma.ImportRunWhereInput[] = [
    { state: { in: ['receiving', 'running'] } },
    // One that stopped arriving was touched a day ago.
    { state: 'failed', startedAt: null, touchedAt: since(REFUSED_MS) },
    { state: 'failed', startedAt: { not: null }, rows: 0, finishedAt: since(UNREAD_MS) },
  ];
  const open = await tx.prisma.importRun.count({ where: { organizationId, fingerprint: null, OR: keepingPlaces } });
  if (open < most) return;
  const message = `A practice has at most ${most} open imports, which run one after the other. A refused file counts for a day, a file without a readable row for an hour.`;
  throw new Failure('too_many_requests', 'too_many_imports', message, { retryAfter: 60 });
}

export async function createImport(tx: Tx, { totalBytes, fingerprint, ...options }: NewImport): Promise<ImportRun> {
  const { actor, userId, role } = tx;
  const data: Prisma.ImportRunUncheckedCreateInput = {
    ...options,
    ...tx.practice,
    totalBytes,
    mapping: { ...options.mapping },
    caller: { actor, userId, role, seesRestricted: maySeeRestricted(tx) },
    ...(fingerprint ? { fingerprint, state: 'running', startedAt: new Date() } : {}),
  };
  const run = await tx.prisma.importRun.create({ data });
  recordChange(tx, 'create', { name: 'import.created', id: run.id });
  return run;
}

/**
 * The import of this file by this command that was cut off, if there is one. One of the same path whose file was another then has failed.
 * @param fingerprint the hashes of the file with its options, and of its path
 */
export async function resumeCutOff(tx: Tx, fingerprint: Uint8Array<ArrayBuffer>): Promise<ImportRun | null> {
  const where = { ...tx.practice, state: 'running' };
  const cutOff = await tx.prisma.importRun.findMany({ where: { ...where, fingerprint: { not: null } }, orderBy: { id: 'desc' } });
  const [content, path] = splitFingerprint(fingerprint);
  const same = cutOff.find((run) => run.fingerprint && splitFingerprint(run.fingerprint)[0] === content);
  const changed = cutOff.filter((run) => run !== same && run.fingerprint && splitFingerprint(run.fingerprint)[1] === path);
  for (const { id, rows } of changed) await endImport(tx, id, `The file, or how it is imported, was changed after its first ${rows} rows.`);
  return same ?? null;
}

const splitFingerprint = (fingerprint: Uint8Array): [content: string, path: string] => {
  const written = Buffer.from(fingerprint).toString('hex');
  return [written.slice(0, 64), written.slice(64)];
};

/** @throws Failure not_found */
export async function findImport(tx: PracticeTx, id: number): Promise<ImportRun> {
  const run = await tx.prisma.importRun.findUnique({ where: tx.key(id) });
  if (!run) throw notFound('import');
  return run;
}

/** An import whose file a caller may send: their own, because its rows act as who announced it; administrators, any. @throws Failure not_found */
export async function findOwnImport(tx: Tx, id: number): Promise<ImportRun> {
  const run = await findImport(tx, id);
  if (tx.role !== 'admin' && Actor.parse(run.caller).actor !== tx.actor) throw notFound('import');
  return run;
}

/** The imports of the practice, the latest first. */
export async function listImports(tx: Tx, page: PageRequest): Promise<Page<ImportRun>> {
  const where = tx.practice;
  const [items, total] = await Promise.all([
    tx.prisma.importRun.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], ...window(page) }),
    tx.prisma.importRun.count({ where }),
  ]);
  return { ...page, items, total };
}

/** Rows a second since the import began, of those that were dealt with; null before the first. */
export function measureRate({ rows, startedAt, finishedAt, touchedAt }: ImportRun): number | null {
  const end = finishedAt ?? touchedAt;
  const seconds = startedAt === null ? 0 : (end.getTime() - startedAt.getTime()) / 1_000;
  return rows === 0 || seconds <= 0 ? null : Math.round(rows / seconds);
}

/** Milliseconds for which a worker has an import to itself after each batch. */
const LEASE_MS = 60_000;

/**
 * The first uploaded import of each practice, where nobody runs it, and those whose file stopped arriving a day ago: whatever was dealt
 * with last comes last, so that practices take turns.
 */
export const listDueImports = (db: Db): Promise<Pick<ImportRun, 'organizationId' | 'id' | 'state'>[]> => db.$queryRaw`
  SELECT r.organization_id AS "organizationId", r.id, r.state
    FROM (SELECT i.*, row_number() OVER (PARTITION BY i.organization_id, i.state ORDER BY i.created_at, i.id) AS place
            FROM import_run i WHERE i.state IN ('receiving', 'running') AND i.fingerprint IS NULL) AS r
   WHERE (r.state = 'running' AND r.place = 1 AND (r.leased_until IS NULL OR r.leased_until < now()))
      OR (r.state = 'receiving' AND r.touched_at < now() - interval '1 day')
   ORDER BY r.touched_at LIMIT 100 ${overAllPractices('the job looks for what is due')}`;

/** Times that processes may end in the same batch: they ran out of memory, or the batch makes them fail. */
const MOST_ATTEMPTS = 3;

export const hasFailedTooOften = ({ attempts }: ImportRun): boolean => attempts > MOST_ATTEMPTS;

/**
 * Takes an import to run it, which counts as an attempt until a batch is stored or the import is released.
 * @returns null where another process has it, or it has ended
 */
export async function claimImport(db: Db, { organizationId, id }: Pick<ImportRun, 'organizationId' | 'id'>): Promise<ImportRun | null> {
  const now = await databaseTime(db);
  const { count } = await db.importRun.updateMany({
    where: { organizationId, id, state: 'running', OR: [{ leasedUntil: null }, { leasedUntil: { lt: now } }] },
    data: { leasedUntil: new Date(now.getTime() + LEASE_MS), attempts: { increment: 1 } },
  });
  if (count === 0) return null;
  await db.importRun.updateMany({ where: { organizationId, id, startedAt: null }, data: { startedAt: now } });
  return db.importRun.findUnique({ where: { organizationId_id: { organizationId, id } } });
}

/** Ends an attempt in good order. @param data `leasedUntil` null lets another turn go on at once */
export async function releaseImport(
  db: Db,
  { organizationId, id }: Pick<ImportRun, 'organizationId' | 'id'>,
  data: { leasedUntil?: null } = {},
): Promise<void> {
  await db.importRun.updateMany({ where: { organizationId, id, state: 'running' }, data: { ...data, attempts: 0 } });
}

const takenOver = () => conflict('import_taken', 'Another process runs this import.');

/** A chart of a dry run is gone by then. Values: organization, import, rows as JSON. */
const ADD_REPORT_ROWS = statement<never>(
  'add_report_rows',
  `INSERT INTO import_report_row (organization_id, import_id, line, outcome, patient_id, fields, reason, row)
   SELECT $1::int, $2::bigint, r.line, r.outcome, (SELECT p.id FROM patient p WHERE p.organization_id = $1::int AND p.id = r.patient_id),
          r.fields, r.reason, r.row
     FROM jsonb_to_recordset($3::jsonb) AS r (line int, outcome text, patient_id int, fields text, reason text, row text)`,
);

interface Progress {
  result: BatchResult;
  file: RowFile;
  ignored: string[];
  readBytes: number;
}

/** A text that came with a file, as PostgreSQL can store it. */
const makeStorable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');

/**
 * Stores what became of a batch, in its transaction.
 * @param before rows that were dealt with before
 * @throws Failure conflict where another process has dealt with them
 */
export async function storeProgress(db: Db, { organizationId, id, rows: before }: ImportRun, progress: Progress): Promise<void> {
  const { result, file, ignored, readBytes } = progress;
  const { rows, created, updated, skipped, matched, refused } = result.counts;
  const added = { created, updated, skipped, matched, refused };
  const now = await databaseTime(db);
  const { count } = await db.importRun.updateMany({
    where: { organizationId, id, rows: before, state: 'running' },
    data: {
      rows: before + rows,
      ...Object.fromEntries(Object.entries(added).map(([name, increment]) => [name, { increment }])),
      readBytes,
      touchedAt: now,
      attempts: 0,
      leasedUntil: new Date(now.getTime() + LEASE_MS),
      format: file.format,
      columns: file.columns.map(makeStorable),
      ignoredColumns: ignored.map(makeStorable),
    },
  });
  if (count === 0) throw takenOver();
  if (result.reported.length === 0) return;
  const reported = result.reported.map(({ row, reason, fields, patientId, ...one }) => ({
    ...one,
    patient_id: patientId,
    fields: fields && makeStorable(fields),
    reason: makeStorable(reason),
    row: JSON.stringify(row),
  }));
  await preparedIn(db).rows(ADD_REPORT_ROWS, [organizationId, id, JSON.stringify(reported)]);
}

/** Ends an import. @param failure why it failed; null where its rows were dealt with */
export async function endImport(tx: Tx, id: number, failure: string | null): Promise<ImportRun> {
  const state = failure === null ? 'done' : 'failed';
  const run = await tx.prisma.importRun.update({
    where: tx.key(id),
    data: { state, failure: failure && makeStorable(failure), finishedAt: new Date(), leasedUntil: null },
  });
  recordChange(tx, 'update', { name: 'import.ended', id, changed: ['state'] });
  return run;
}

/** Rows of a report that are read at once. */
const PART = 500;

/** The rows that were refused, and those of persons who have a chart that the caller may see, by their lines. */
export async function* readReport(db: Db, { organizationId, id }: ImportRun, caller: Pick<CallerIdentity, 'userId' | 'scopes'>) {
  const visible = maySeeRestricted(caller) ? {} : { OR: [{ patientId: null }, { patient: { organizationId, restricted: false } }] };
  for (let line = 0; ; ) {
    const rows = await db.importReportRow.findMany({
      where: { organizationId, importId: id, line: { gt: line }, ...visible },
      orderBy: { line: 'asc' },
      take: PART,
    });
    yield rows;
    const last = rows.at(-1);
    if (rows.length < PART || !last) return;
    line = last.line;
  }
}

/** An import whose report is to be shown. Audited. @throws Failure not_found, conflict before it ended */
export async function findReported(tx: Tx, id: number): Promise<ImportRun> {
  const run = await findImport(tx, id);
  if (run.state === 'receiving') throw conflict('import_receiving', 'The upload is incomplete: there is no report yet.');
  recordRead(tx, 'import', [id]);
  return run;
}
