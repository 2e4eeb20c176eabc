import type { Database } from '../../database/database.ts';
import { type Prepared, type Statement, statement } from '../../database/statements/statement.ts';
import { inTransaction } from '../../database/transaction.ts';
import { recordRead, recordReadWithPatients } from '../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../caller.ts';
import { Failure, invalid } from '../errors.ts';
import { newestCursor, parseCursor, readEvents } from '../logs/event-log.ts';
import { preparedFor } from '../opened-charts.sql.ts';
import { organizationZone } from '../practices/organization-zone.ts';
import type { Tx } from '../tx.ts';
import { readAhead } from '../values/read-ahead.ts';
import { readRange, type WrittenRange } from '../values/time/date-range.ts';
import { EXPORT_KINDS, type ExportFilterName, type ExportKind, type ExportKindName } from './export-kinds.sql.ts';
import { type ExportPageRow, exportPage, listFilters, selectChangedPage } from './export-page.sql.ts';

export type { ExportKindName };
export const EXPORT_KIND_NAMES = [
  'patients',
  'appointments',
  'texts',
  'readings',
  'visits',
  'insurances',
] as const satisfies readonly ExportKindName[];

/** The records to export. A filter that the kind does not have is refused. */
export interface ExportRequest {
  kind: ExportKindName;
  patient?: number | undefined;
  office?: number | undefined;
  provider?: number | undefined;
  status?: string | undefined;
  /** Of the start, the arrival or the measurement; without an offset on the practice's clocks. */
  dates: WrittenRange;
  /** A cursor of the log of events: only records that events after it name. */
  since?: string | undefined;
}

/** An export whose snapshot is taken. */
export interface OpenExport {
  /** The cursor of the log of events: what changes after the snapshot comes after it. */
  cursor: string;
  /** The names of a record's fields, in order. */
  fields: string[];
  /** Records as JSON, many lines a page without the last line break. Each page was audited. */
  pages: AsyncIterable<string>;
}

/** Runs a read with its audit: each page of an export is one. */
type AuditedRead = <T>(read: (tx: Tx) => Promise<T>) => Promise<T>;

/** Records a page. Texts of megabytes would set off a collection of the whole heap every third page: half of the time of an export. */
const PAGE = 200;

/** Exports of a practice that hold a connection of this process; all of them hold at most half of the connections. */
const AT_ONCE = 2;
/** The exports that run. */
const running = new Set<{ practice: number }>();

const STATEMENTS = new Map(
  Object.entries(EXPORT_KINDS).map(([name, kind]) => [name, { all: exportPage(name, kind), changed: selectChangedPage(name, kind) }]),
);

/**
 * Exports the records of a kind as of one moment, deleted charts left out, restricted ones as the caller may see them. They are read while
 * `send` takes them, in a transaction that ends when it returns.
 * @throws Failure invalid for a filter that cannot be used; gone for a cursor whose events are kept no longer; too_many_requests
 */
export async function exportRecords<T>(
  database: Database,
  audited: AuditedRead,
  request: ExportRequest,
  send: (opened: OpenExport) => Promise<T>,
): Promise<T> {
  const kind: ExportKind = EXPORT_KINDS[request.kind];
  // The cursor is older than the snapshot: an event between the two comes again, and none is missed.
  const { practice, values, cursor } = await audited(async (tx) => {
    const filters = await filterValues(tx, kind, request);
    if (request.since !== undefined) await readEvents(tx, { after: request.since, limit: 1, field: 'since' });
    return { practice: tx.organizationId, values: [maySeeRestricted(tx), ...filters], cursor: await newestCursor(tx.prisma) };
  });
  const isFull = running.size >= (database.pool.options.max ?? 1) / 2;
  if (isFull || [...running].filter((one) => one.practice === practice).length >= AT_ONCE) throw tooMany();
  const one = { practice };
  running.add(one);
  const end = () => void running.delete(one);
  try {
    return await inTransaction(database.pool, (prepared) => sendFrom(prepared, { audited, kind, request, values, cursor, send, end }), {
      repeatable: true,
    });
  } finally {
    end();
  }
}

const tooMany = () => {
  const message = `A practice has at most ${AT_ONCE} concurrent exports, and a server only a few. Try again when one has ended.`;
  return new Failure('too_many_requests', 'too_many_exports', message, { retryAfter: 30 });
};

/** A reader may be slow: the database would end the transaction of one that pauses for as long as that of a request may take. */
const WAIT_FOR_READER = statement<never>('export_wait', 'SET LOCAL idle_in_transaction_session_timeout = 0');

interface Sending<T> {
  audited: AuditedRead;
  kind: ExportKind;
  request: ExportRequest;
  /** Of the statement, after organization, id and limit. */
  values: unknown[];
  cursor: string;
  send: (opened: OpenExport) => Promise<T>;
  end: () => void;
}

async function sendFrom<T>(prepared: Prepared, { audited, kind, request, values, cursor, send, end }: Sending<T>): Promise<T> {
  await prepared.rows(WAIT_FOR_READER, []);
  const { since } = request;
  const statements = STATEMENTS.get(request.kind);
  if (!statements) throw new RangeError(`there is no export of ${request.kind}`);
  const query = since === undefined ? statements.all : statements.changed;
  const after = since === undefined ? [] : [parseCursor(since).transactionId, parseCursor(since).id];
  const pages = readAhead(readPages(prepared, audited, { kind, query, values: [...values, ...after] }));
  return send({ cursor, fields: [...Object.keys(kind.columns), ...(since === undefined ? [] : ['gone'])], pages: untilLast(pages, end) });
}

/** A reader of the line after the last page may begin another export at once. */
async function* untilLast(pages: AsyncIterable<string>, end: () => void): AsyncGenerator<string, void> {
  yield* pages;
  end();
}

async function* readPages(
  prepared: Prepared,
  audited: AuditedRead,
  { kind, query, values }: { kind: ExportKind; query: Statement<ExportPageRow>; values: unknown[] },
): AsyncGenerator<string, void> {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last;
    const page: ExportPageRow = await audited(async (tx) => {
      const [row] = await preparedFor(prepared, tx).rows(query, [tx.organizationId, after, PAGE, ...values]);
      if (!row) throw new Error('a statement of aggregates has one row');
      recordPage(tx, kind, row);
      return row;
    });
    if (page.lines !== '') yield page.lines;
    last = page.scanned < PAGE ? null : page.last;
  }
}

/** As a list does. */
function recordPage(caller: Caller, { subject, table }: ExportKind, { ids, patientIds }: ExportPageRow): void {
  if (ids.length === 0) return;
  if (subject !== 'patient') recordReadWithPatients(caller, subject, { ids, patientIds }, 'search');
  else recordRead(caller, 'patient', table === 'patient' ? ids : patientIds, 'search');
}

/** The values of the filters of a kind, in order. @throws Failure invalid for one that the kind does not have */
async function filterValues(tx: Tx, kind: ExportKind, request: ExportRequest): Promise<unknown[]> {
  const { patient, office, provider, status, dates } = request;
  const { min, max, fields } = dates;
  const given = { patient, office, provider, status, [fields.min]: min, [fields.max]: max };
  const known = listFilters(kind).flatMap((name) => (name === 'time' ? [fields.min, fields.max] : [name]));
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name));
  if (unknown) throw invalid(unknown[0], `is not a filter for ${request.kind}; use one of ${known.join(', ')}`);
  if (status !== undefined && !kind.statuses?.includes(status))
    throw invalid('status', `must be one of ${kind.statuses?.join(', ')} for ${request.kind}`);
  const { from, before } = await readRange(dates, () => organizationZone(tx));
  const values: Record<ExportFilterName, unknown[]> = {
    patient: [patient ?? null],
    office: [office ?? null],
    provider: [provider ?? null],
    status: [status ?? null],
    time: [from, before],
  };
  return listFilters(kind).flatMap((name) => values[name]);
}
