import { as, isTree, lastName, type Tree, toList } from './tree.ts';

/** Functions whose result depends on their arguments alone, and which changes may so return and store. More are added as they are needed. */
const IMMUTABLE = ['array_remove', 'encode', 'sha256', 'timezone', 'make_interval', 'unnest'];

/** What a change of rows of practices may not reckon where its rows are on several nodes; nothing where it may be sent there. */
export function forbiddenReckonings(change: Tree, isUpdate: boolean): string[] {
  const { returningClause, returningList, onConflictClause, withClause: _, selectStmt: __, ...rest } = change;
  const stored = isTree(onConflictClause) ? [onConflictClause.targetList, onConflictClause.whereClause] : [];
  return [
    ...functionsIn([returningClause, returningList]).map((name) => `returns what ${name}() makes of a row`),
    ...functionsIn(stored).map((name) => `stores what ${name}() makes over a row that exists`),
    ...(isUpdate && reckonsWithNow(rest) ? ['reckons with now() and a column in a change'] : []),
    ...(isUpdate ? choicesIn(rest).map((name) => `chooses in a change whether it draws ${name}()`) : []),
    ...(isUpdate && castsColumn(rest) ? ['makes another type of a column in a change'] : []),
    ...(isUpdate && addsTime(rest) ? ['adds a time to an instant in a change'] : []),
  ];
}

/** Functions in an expression, but for those of its subqueries, whose result may depend on more than their arguments. */
function functionsIn(node: unknown): string[] {
  const called = as(node, 'FuncCall');
  const name = called ? lastName(called.funcname) : '';
  const own = as(node, 'SQLValueFunction') ? ['now'] : name && !IMMUTABLE.includes(name) ? [name] : [];
  if (as(node, 'SubLink')) return [];
  return [...new Set([...own, ...listChildren(node).flatMap(functionsIn)])];
}

/** Functions of CASE and coalesce(), which the coordinator cannot draw before it knows the row. */
function choicesIn(node: unknown): string[] {
  const choice = as(node, 'CaseExpr') ?? as(node, 'CoalesceExpr');
  return choice ? functionsIn(choice) : listChildren(node).flatMap(choicesIn);
}

/** Types to which a column is cast without a look at settings of the session. */
const PLAIN = ['int4', 'int8', 'float8', 'numeric', 'text'];

function castsColumn(node: unknown): boolean {
  const cast = as(node, 'TypeCast');
  const type = isTree(cast?.typeName) ? lastName(cast.typeName.names) : '';
  if (cast && as(cast.arg, 'ColumnRef') && !PLAIN.includes(type)) return true;
  return listChildren(node).some(castsColumn);
}

/** The two sides of a sum or difference. */
function findSides(node: unknown): [unknown, unknown] | undefined {
  const sum = as(node, 'A_Expr');
  return sum !== undefined && ['+', '-'].includes(lastName(sum.name)) ? [sum.lexpr, sum.rexpr] : undefined;
}

/** Whether a sum or difference has `now()` on one side and a column on the other. */
function reckonsWithNow(node: unknown): boolean {
  const [left, right] = findSides(node) ?? [];
  if ((hasNow(left) && hasColumn(right)) || (hasColumn(left) && hasNow(right))) return true;
  return listChildren(node).some(reckonsWithNow);
}

/** Whether a sum has a time and a column, and is not reckoned in a zone that it names: PostgreSQL takes it for one of the session's zone. */
function addsTime(node: unknown): boolean {
  const sides = findSides(node);
  if (sides?.some(isTime) && sides.some(hasColumn) && !sides.some(isWallTime)) return true;
  return listChildren(node).some(addsTime);
}

const isTime = (node: unknown): boolean =>
  lastName(as(node, 'FuncCall')?.funcname) === 'make_interval' ||
  lastName((as(node, 'TypeCast')?.typeName as Tree | undefined)?.names) === 'interval';
const isWallTime = (node: unknown): boolean => lastName(as(node, 'FuncCall')?.funcname) === 'timezone';

const listChildren = (node: unknown): unknown[] => (Array.isArray(node) ? node : isTree(node) ? Object.values(node) : []);
const hasColumn = (node: unknown): boolean => as(node, 'ColumnRef') !== undefined || listChildren(node).some(hasColumn);
const hasNow = (node: unknown): boolean =>
  lastName(as(node, 'FuncCall')?.funcname) === 'now' || as(node, 'SQLValueFunction') !== undefined || listChildren(node).some(hasNow);

/** Whether rows come from functions alone, and are compared with those of a practice in a subquery. */
export function comparesWithoutJoin(source: unknown, isOfPractice: (table: string) => boolean): boolean {
  const select = as(source, 'SelectStmt');
  const from = toList(select?.fromClause);
  return from.length > 0 && from.every((item) => as(item, 'RangeFunction')) && readsFrom(select?.whereClause, isOfPractice);
}

const readsFrom = (node: unknown, isOfPractice: (table: string) => boolean): boolean =>
  isOfPractice(String(as(node, 'RangeVar')?.relname ?? '')) || listChildren(node).some((child) => readsFrom(child, isOfPractice));
