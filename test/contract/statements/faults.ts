import { PLACEMENTS } from '../../../src/database/distribution/placements.ts';
import { boundBy, spread } from './bound.ts';
import { comparesWithoutJoin, forbiddenReckonings } from './reckonings.ts';
import { as, columnName, isGiven, isTree, lastName, parseStatements, type Tree, toList, toText } from './tree.ts';

/** Functions whose result no statement over rows of practices may draw: a worker's would differ from the coordinator's. */
const DRAWN = [
  'clock_timestamp',
  'statement_timestamp',
  'timeofday',
  'log_horizon',
  'log_transaction',
  'nextval',
  'random',
  'gen_random_uuid',
  'uuidv7',
];

/** Functions that read rows, for triggers alone: a node reads none for a statement that it has been sent. */
const OF_TRIGGERS = ['number_stopped_texts', 'patient_is_restricted', 'closed_month_hash', 'renew_patient_name_keys'];

/** The ordered logs. */
const LOGS = ['event', 'audit_entry', 'audit_record'];

/** A table as one level of a query names it. */
interface Reference {
  table: string;
  name: string;
  /** Not a common table expression. */
  isStored: boolean;
}

interface Level {
  references: Reference[];
  /** Names of subqueries in FROM. */
  subqueries: string[];
  conditions: unknown[];
  /** Everything else of the level, in which subqueries may be. */
  rest: unknown[];
}

/** Reads one statement, and collects what breaks the rules. */
class Reader {
  readonly faults = new Set<string>();
  /** Tables whose practice no parameter names. */
  readonly unbound = new Set<string>();
  locks = false;
  writesLog = false;
  readonly touched = new Set<string>();
  readonly #tables: ReadonlySet<string>;

  constructor(tables: ReadonlySet<string>) {
    this.#tables = tables;
  }

  query(node: unknown, known: ReadonlySet<string>): void {
    const select = as(node, 'SelectStmt');
    if (select) this.select(select, known);
    const insert = as(node, 'InsertStmt');
    if (insert) this.#insert(insert, known);
    const update = as(node, 'UpdateStmt') ?? as(node, 'DeleteStmt');
    if (update) this.#change(update, known);
  }

  #with(clause: unknown, known: ReadonlySet<string>): ReadonlySet<string> {
    const names = new Set(known);
    for (const each of toList(isTree(clause) ? clause.ctes : [])) {
      const cte = as(each, 'CommonTableExpr');
      if (isTree(clause) && clause.recursive) names.add(toText(cte?.ctename));
      this.query(cte?.ctequery, names);
      names.add(toText(cte?.ctename));
    }
    return names;
  }

  select(select: Tree, outer: ReadonlySet<string>): void {
    const known = this.#with(select.withClause, outer);
    if (isTree(select.larg) && isTree(select.rarg)) {
      this.select(select.larg, known);
      this.select(select.rarg, known);
    }
    if (toList(select.lockingClause).length > 0) this.locks = true;
    const { fromClause, whereClause, larg: _l, rarg: _r, withClause: _w, ...rest } = select;
    this.#level(toList(fromClause), [whereClause], [rest], known);
  }

  #change(change: Tree, outer: ReadonlySet<string>): void {
    const known = this.#with(change.withClause, outer);
    const { relation, fromClause, usingClause, whereClause, withClause: _w, ...rest } = change;
    if (this.#tables.has(isTree(relation) ? toText(relation.relname) : ''))
      for (const fault of forbiddenReckonings(change, true)) this.faults.add(fault);
    this.#level([{ RangeVar: relation }, ...toList(fromClause), ...toList(usingClause)], [whereClause], [rest], known);
  }

  #insert(insert: Tree, outer: ReadonlySet<string>): void {
    const known = this.#with(insert.withClause, outer);
    const table = isTree(insert.relation) ? toText(insert.relation.relname) : '';
    if (this.#tables.has(table)) {
      this.touched.add(table);
      if (LOGS.includes(table)) this.writesLog = true;
      for (const fault of forbiddenReckonings(insert, false)) this.faults.add(fault);
      if (comparesWithoutJoin(insert.selectStmt, (name) => this.#tables.has(name)))
        this.faults.add('adds rows of a function that a subquery compares with others');
      const place = toList(insert.cols).findIndex((column) => toText(as(column, 'ResTarget')?.name) === 'organization_id');
      if (!isPracticeGiven(as(insert.selectStmt, 'SelectStmt'), place))
        this.unbound.add(`a row of ${table} takes its practice from no parameter`);
    }
    this.query(insert.selectStmt, known);
    this.#level([], [], [insert.onConflictClause, insert.returningClause, insert.returningList], known);
  }

  #level(from: readonly unknown[], conditions: unknown[], rest: unknown[], known: ReadonlySet<string>): void {
    const level: Level = { references: [], subqueries: [], conditions, rest };
    for (const item of from) this.#from(item, level, known);
    const bound = boundBy(level.conditions);
    const names = new Set(level.references.map(({ name }) => name));
    const practices = level.references.filter(({ table, isStored }) => isStored && this.#tables.has(table));
    // A column without a table belongs to the only one that has it.
    const [only] = practices;
    if (bound.given.has('') && only && practices.length === 1) bound.given.add(only.name);
    const given = spread(bound, names);
    for (const { table, name } of practices) {
      this.touched.add(table);
      if (!given.has(name)) this.unbound.add(`${table}${name === table ? '' : ` ${name}`} is not bound to the practice by a parameter`);
    }
    this.#placements(level, names);
    for (const part of [...level.conditions, ...rest]) this.#expression(part, known);
  }

  /** Rows of practices and tables of the coordinator, each by itself or as a common table expression, are on different nodes. */
  #placements(level: Level, names: ReadonlySet<string>): void {
    const placed = level.references.filter(({ isStored }) => isStored).map(({ table }) => PLACEMENTS.get(table));
    const isJoined =
      placed.includes('local') &&
      (placed.includes('distributed') || namesOthers(level.conditions, new Set([...names, ...level.subqueries])));
    if (isJoined) this.faults.add('joins rows of practices with a table of the coordinator');
  }

  #from(item: unknown, level: Level, known: ReadonlySet<string>): void {
    const table = as(item, 'RangeVar');
    if (table) {
      const name = toText(table.relname);
      const alias = isTree(table.alias) ? toText(table.alias.aliasname) : '';
      // A name with a schema is never that of a common table expression.
      level.references.push({ table: name, name: alias || name, isStored: table.schemaname !== undefined || !known.has(name) });
    }
    const join = as(item, 'JoinExpr');
    if (join) {
      this.#from(join.larg, level, known);
      this.#from(join.rarg, level, known);
      if (join.quals) level.conditions.push(join.quals);
    }
    const subquery = as(item, 'RangeSubselect');
    if (subquery) {
      level.subqueries.push(isTree(subquery.alias) ? toText(subquery.alias.aliasname) : '');
      this.query(subquery.subquery, known);
    }
    if (!table && !join && !subquery) level.rest.push(item);
  }

  /** Subqueries and functions in an expression. */
  #expression(node: unknown, known: ReadonlySet<string>): void {
    if (Array.isArray(node)) for (const each of node) this.#expression(each, known);
    if (!isTree(node)) return;
    const subquery = as(node, 'SubLink');
    if (subquery) this.query(subquery.subselect, known);
    const called = as(node, 'FuncCall');
    const name = called ? lastName(called.funcname) : '';
    if (DRAWN.includes(name)) this.faults.add(`draws ${name}() inside`);
    if (called && namesZone(name, toList(called.args))) this.faults.add('reads a zone of PostgreSQL, which may differ from that of Node');
    if (OF_TRIGGERS.includes(name)) this.faults.add(`calls ${name}(), which reads rows`);
    for (const [key, child] of Object.entries(node)) if (key !== 'subselect') this.#expression(child, known);
  }
}

/** Whether a function takes a zone other than UTC: `AT TIME ZONE` is one, too. */
function namesZone(name: string, args: readonly unknown[]): boolean {
  const zone = name === 'timezone' ? args[0] : name === 'date_trunc' ? args[2] : undefined;
  return zone !== undefined && !JSON.stringify(zone).includes('"UTC"');
}

/** Whether a condition outside of subqueries has a column of another level. */
function namesOthers(node: unknown, names: ReadonlySet<string>): boolean {
  const [table, column] = columnName(node).slice(-2);
  if (table !== undefined && column !== undefined) return !names.has(table);
  const children = Array.isArray(node) ? node : isTree(node) ? Object.values(node) : [];
  return as(node, 'SubLink') === undefined && children.some((child) => namesOthers(child, names));
}

/** Whether every row that is inserted has a parameter at a place. */
function isPracticeGiven(source: Tree | undefined, place: number): boolean {
  if (!source || place < 0) return false;
  if (isTree(source.larg) && isTree(source.rarg)) return isPracticeGiven(source.larg, place) && isPracticeGiven(source.rarg, place);
  const rows = toList(source.valuesLists);
  if (rows.length > 0) return rows.every((row) => isGiven(toList(row)[place]));
  return isGiven(as(toList(source.targetList)[place], 'ResTarget')?.val);
}

/** What a text does, and what of it breaks the rules. */
export async function readStatements(text: string, tables: ReadonlySet<string>) {
  const reader = new Reader(tables);
  for (const statement of await parseStatements(text)) reader.query(statement, new Set());
  const { faults, unbound, touched, locks, writesLog } = reader;
  return { faults: [...faults].sort(), unbound: [...unbound].sort(), touched, locks, writesLog };
}
