import { statement } from '../database/statements/statement.ts';
import type { Caller } from '../domain/caller.ts';
import { Failure } from '../domain/errors.ts';
import type { PracticeTx } from '../domain/tx.ts';
import type { Fields, Kind, Reading, Work } from './kind.ts';
import { plan } from './plan.ts';
import type { Plan, Step, Wanted } from './planned.ts';
import { forgetKey, keepKey, readRecord } from './record.ts';

/** A file that was read and is valid. */
export interface PracticeFile {
  /** The folder of the file. */
  folder: string;
  key: string | undefined;
  practiceId: number | undefined;
  items: ReadonlyMap<string, readonly Wanted[]>;
}

export interface Done {
  step: Step;
  id: number;
  secret: string | null;
}

/** A plan, and the ids of the items that it names. */
export interface FilePlan extends Plan {
  ids: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Compares a file with the record of its practice. */
export async function planFile(work: Reading, kinds: readonly Kind[], file: PracticeFile): Promise<FilePlan> {
  const record = await readRecord(work, kinds);
  const wanted = new Map<string, Wanted[]>();
  for (const kind of kinds)
    wanted.set(
      kind.name,
      await inOrder(file.items.get(kind.name) ?? [], async (one) => ({ ...one, fields: await comparable(work, kind, one.fields) })),
    );
  const made = plan(kinds, wanted, record);
  const removals = made.steps.filter(({ action }) => action === 'remove');
  const problems = await inOrder(removals, (step) => problemOfRemoval(work, kinds, step));
  const ids = new Map([...record].map(([name, items]) => [name, new Map(items.map((item) => [item.name, item.id]))]));
  return { ...made, problems: [...made.problems, ...problems.flat()], ids };
}

const comparable = async (work: Reading, kind: Kind, fields: Fields): Promise<Fields> =>
  kind.comparable ? await kind.comparable(work, fields) : fields;

async function inOrder<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of all) results.push(await each(one));
  return results;
}

/** Rows of other tables than those of the kinds that refer to an item. */
async function problemOfRemoval({ tx }: Reading, kinds: readonly Kind[], { kind: name, id, path, name: called }: Step) {
  const kind = requireKind(kinds, name);
  if (!kind.remove) return [{ path, message: `The ${kind.one} "${called}" cannot be removed.` }];
  if (kind.table === undefined || id === null) return [];
  const own = new Set(kinds.flatMap(({ table }) => table ?? []));
  const found = await findReferrers(tx, kind.table, id, own);
  if (found.length === 0) return [];
  const instead = 'active' in kind.shape.shape ? ' Set active: false instead.' : '';
  return [{ path, message: `The ${kind.one} "${called}" is not removed. These refer to it: ${found.join(', ')}.${instead}` }];
}

/**
 * Does what a plan says, in the transaction of the caller.
 * @param plan of the same record: that of planFile in this transaction
 * @param others the callers of other practices that are told of changes of what they share, by id
 */
export async function applyPlan(
  reading: Reading,
  kinds: readonly Kind[],
  { steps, ids }: FilePlan,
  others: ReadonlyMap<number, Caller> = new Map(),
): Promise<Done[]> {
  const made = new Map([...ids].map(([name, known]) => [name, new Map(known)]));
  const work: Work = { ...reading, findId: (kind, name) => made.get(kind)?.get(name) ?? noItem(kind, name) };
  const done: Done[] = [];
  const later: Step[] = [];
  for (const step of steps) {
    const kind = requireKind(kinds, step.kind);
    const before = { events: work.tx.journal.events.length, audits: work.tx.journal.audits.length };
    const one = await atStep(step, () => takeStep(work, kind, step, later));
    made.get(kind.name)?.set(step.name, one.id);
    done.push(one);
    if (step.id !== null && kind.sharedWith) tell(work, before, await kind.sharedWith(work, step.id), others);
    const next = steps[steps.indexOf(step) + 1];
    if (next?.kind === step.kind) continue;
    // A field that names another item of the kind waits until all of them are there.
    for (const waiting of later.splice(0)) await atStep(waiting, () => takeStep(work, kind, waiting, []));
  }
  return done;
}

function noItem(kind: string, name: string): never {
  throw new RangeError(`${name} of ${kind} was not created yet`);
}

function requireKind(kinds: readonly Kind[], name: string): Kind {
  const kind = kinds.find((one) => one.name === name);
  if (!kind) throw new RangeError(`there is no kind ${name}`);
  return kind;
}

/** A failure of the domain, at its place in the file. */
export class StepFailure extends Error {
  readonly step: Step;
  readonly failure: Failure;

  constructor(step: Step, failure: Failure) {
    super(failure.message, { cause: failure });
    this.step = step;
    this.failure = failure;
  }
}

async function atStep<T>(step: Step, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? new StepFailure(step, error) : error;
  }
}

async function takeStep(work: Work, kind: Kind, step: Step, later: Step[]): Promise<Done> {
  const { tx } = work;
  if (step.action === 'remove') {
    await kind.remove?.(work, step.id ?? 0);
    await forgetKey(tx, kind.name, step.id ?? 0);
    return { step, id: step.id ?? 0, secret: null };
  }
  const [now, afterwards] = step.action === 'add' ? withoutOwn(kind, step) : [step.changes, []];
  const fields = Object.fromEntries(now.map(({ field, after }) => [field, after]));
  const { id, secret = null } = step.id === null ? await kind.create(work, fields) : { id: step.id };
  if (step.id !== null && now.length > 0) await kind.change(work, step.id, fields);
  if (step.key !== null && !kind.single) await keepKey(tx, kind.name, id, step.key);
  if (afterwards.length > 0) later.push({ ...step, action: 'change', id, key: null, changes: afterwards });
  return { step: { ...step, id }, id, secret };
}

/** The fields of a new item, and those among them that name items of its own kind. */
function withoutOwn(kind: Kind, { changes }: Step): [Step['changes'], Step['changes']] {
  const isOwn = ({ field }: Step['changes'][number]) => kind.references?.[field] === kind.name;
  return [changes.filter((one) => !isOwn(one)), changes.filter(isOwn)];
}

/** The events and audit rows of a step, in the journals of the practices that share its item. */
function tell(
  work: Reading,
  before: { events: number; audits: number },
  ids: readonly number[],
  others: ReadonlyMap<number, Caller>,
): void {
  for (const id of ids) {
    const journal = others.get(id)?.journal;
    journal?.events.push(...work.tx.journal.events.slice(before.events));
    journal?.audits.push(...work.tx.journal.audits.slice(before.audits));
  }
}

/** Foreign keys that keep a row from being deleted. Values: table. */
const FOREIGN_KEYS = statement<{ table: string; column: string }>(
  'foreign_keys_to_table',
  `SELECT c.conrelid::regclass::text AS "table", quote_ident(a.attname) AS "column"
     FROM pg_constraint c
     JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'organization_id'
    WHERE c.contype = 'f' AND c.confrelid = $1::text::regclass AND c.confdeltype IN ('a', 'r') AND c.conparentid = 0
    ORDER BY 1, 2`,
);

/**
 * Lists the records that keep a row of a practice's settings from being deleted, such as `3 appointments`. Rows that are deleted with it do not count.
 * @param without tables that are not looked through
 */
async function findReferrers(tx: PracticeTx, table: string, id: number, without: ReadonlySet<string> = new Set()): Promise<string[]> {
  const found: string[] = [];
  for (const key of await tx.prepared.rows(FOREIGN_KEYS, [`"${table}"`])) {
    const name = key.table.replaceAll('"', '');
    if (without.has(name)) continue;
    const sql = `SELECT count(*)::int AS count FROM ${key.table} r WHERE r.organization_id = $1 AND r.${key.column} = $2`;
    const [counted] = await tx.rows(statement<{ count: number }>(`referrers_${name}_${key.column}`, sql), [id]);
    const count = counted?.count ?? 0;
    if (count > 0) found.push(`${count} ${name.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`);
  }
  return found;
}
