import { as, isTree, listOf, type Tree, textOf } from './tree.ts';

/** One query of a statement with common table expressions; the last has no name. */
interface Part {
  name: string;
  /** The names that it reads from. */
  reads: ReadonlySet<string>;
  changesRows: boolean;
  /** It names a table with rows of practices. */
  readsRows: boolean;
}

/** The words by which a statement says that it is also made in parts (`journaled-statement.ts`). */
export const IN_PARTS = '/* made in parts where a node is down */';

/**
 * Whether a change of rows of practices shares rows with another part of its statement: those rows would be sent to every node of a cluster,
 * so that the statement fails while any of them is down. A part that reads no table may read what a change returns.
 */
export function sharesRowsOfChange(statement: unknown, isOfPractice: (table: string) => boolean): boolean {
  const query = queryOf(statement);
  const clause = isTree(query?.withClause) ? query.withClause : undefined;
  const ctes = listOf(clause?.ctes).flatMap((each): Tree[] => {
    const cte = as(each, 'CommonTableExpr');
    return cte ? [cte] : [];
  });
  if (query === undefined || ctes.length === 0) return false;
  const partOf = (name: string, node: unknown): Part => {
    const reads = namesIn(node);
    return { name, reads, changesRows: isChange(node, isOfPractice), readsRows: [...reads].some(isOfPractice) };
  };
  const { withClause: _, ...rest } = query;
  const kind = isTree(statement) ? (Object.keys(statement)[0] ?? '') : '';
  const parts = [...ctes.map(({ ctename, ctequery }) => partOf(textOf(ctename), ctequery)), partOf('', { [kind]: rest })];
  return parts.some(({ name, changesRows }) => {
    const readers = parts.filter(({ reads }) => name !== '' && reads.has(name));
    return (
      (changesRows && readers.some(({ readsRows }) => readsRows)) || (readers.length > 1 && readers.some((reader) => reader.changesRows))
    );
  });
}

const CHANGES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'];

const queryOf = (node: unknown): Tree | undefined =>
  ['SelectStmt', ...CHANGES].map((kind) => as(node, kind)).find((query) => query !== undefined);

function isChange(node: unknown, isOfPractice: (table: string) => boolean): boolean {
  const change = CHANGES.map((kind) => as(node, kind)).find((query) => query !== undefined);
  return isTree(change?.relation) && isOfPractice(textOf(change.relation.relname));
}

/** The names of a query's tables, at any depth, that stand without a schema. */
function namesIn(node: unknown): ReadonlySet<string> {
  const table = as(node, 'RangeVar');
  if (table && table.schemaname === undefined) return new Set([textOf(table.relname)]);
  const children = Array.isArray(node) ? node : isTree(node) ? Object.values(node) : [];
  return new Set(children.flatMap((child) => [...namesIn(child)]));
}
