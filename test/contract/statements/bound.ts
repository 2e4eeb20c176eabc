import { as, columnName, isGiven, lastName, type Tree, toList } from './tree.ts';

/** What the conditions of one query level say about the practice of its tables. */
export interface Bound {
  /** Names of tables whose practice is a parameter. The empty name: a column that names no table. */
  given: Set<string>;
  /** Pairs of names whose practices are equal. */
  equal: [string, string][];
}

const PRACTICE = 'organization_id';

/** What conditions say that hold together. */
export function boundBy(conditions: readonly unknown[]): Bound {
  const bound: Bound = { given: new Set(), equal: [] };
  for (const condition of conditions) add(bound, condition);
  return bound;
}

/** The name of the table whose practice a node is, `''` where it names none; undefined for any other node. */
function findPractice(node: unknown): string | undefined {
  const parts = columnName(node);
  const [column, table = ''] = parts.toReversed();
  return column === PRACTICE ? table : undefined;
}

function add(bound: Bound, condition: unknown): void {
  const { boolop, args } = as(condition, 'BoolExpr') ?? {};
  if (boolop === 'AND_EXPR') for (const each of toList(args)) add(bound, each);
  if (boolop === 'OR_EXPR') {
    const [first, ...others] = toList(args).map((each) => boundBy([each]));
    for (const name of first?.given ?? []) if (others.every(({ given }) => given.has(name))) bound.given.add(name);
  }
  const comparison = as(condition, 'A_Expr');
  if (comparison && lastName(comparison.name) === '=') addComparison(bound, comparison);
}

function addComparison(bound: Bound, { kind, lexpr, rexpr }: Tree): void {
  const rows = as(lexpr, 'RowExpr');
  if (kind === 'AEXPR_IN' && rows) {
    const alternatives = toList(rexpr).map((row) => pairs(rows, as(row, 'RowExpr')));
    toList(rows.args).forEach((left, place) => {
      if (alternatives.every((each) => isGiven(each[place]?.[1])))
        addPair(bound, left, toList(rexpr).length > 0 ? alternatives[0]?.[place]?.[1] : null);
    });
  } else if (kind === 'AEXPR_IN') {
    if (toList(rexpr).every(isGiven)) addPair(bound, lexpr, toList(rexpr)[0]);
  } else if (kind === 'AEXPR_OP' && rows) {
    for (const [left, right] of pairs(rows, as(rexpr, 'RowExpr'))) addPair(bound, left, right);
  } else if (kind === 'AEXPR_OP') addPair(bound, lexpr, rexpr);
}

const pairs = (left: Tree, right: Tree | undefined): [unknown, unknown][] => {
  const others = toList(right?.args);
  return toList(left.args).map((each, place) => [each, others[place]]);
};

function addPair(bound: Bound, left: unknown, right: unknown): void {
  const [one, other] = [findPractice(left), findPractice(right)];
  if (one !== undefined && isGiven(right)) bound.given.add(one);
  if (other !== undefined && isGiven(left)) bound.given.add(other);
  if (one !== undefined && other !== undefined) bound.equal.push([one, other]);
}

/** Adds to the given ones those that are equal to them, where all are tables of the level. */
export function spread({ given, equal }: Bound, names: ReadonlySet<string>): Set<string> {
  const all = new Set(given);
  for (let size = -1; size !== all.size; ) {
    size = all.size;
    for (const [one, other] of equal) {
      if (all.has(one) && names.has(one) && names.has(other)) all.add(other);
      if (all.has(other) && names.has(one) && names.has(other)) all.add(one);
    }
  }
  return all;
}
