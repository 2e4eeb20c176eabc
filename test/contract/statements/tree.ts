import { parse } from 'libpg-query';

/** A node of PostgreSQL's own parse tree, or a list of them: an object with one key, the kind of the node, or its fields. */
export type Tree = Readonly<Record<string, unknown>>;

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a node of a kind; undefined for one of another kind. */
export function as(node: unknown, kind: string): Tree | undefined {
  const fields = isTree(node) ? node[kind] : undefined;
  return isTree(fields) ? fields : undefined;
}

export function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const list = as(value, 'List');
  return list ? toList(list.items) : [];
}

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

const listStrings = (names: unknown): string[] => toList(names).map((name) => toText(as(name, 'String')?.sval));

/** The parts of a column's name: `['p', 'id']`. Empty for anything else. */
export const columnName = (node: unknown): string[] => listStrings(as(node, 'ColumnRef')?.fields);

/** The name of a function or operator without its schema. */
export const lastName = (names: unknown): string => listStrings(names).at(-1) ?? '';

/** A parameter or a constant, with or without a cast. */
export function isGiven(node: unknown): boolean {
  const cast = as(node, 'TypeCast');
  if (cast) return isGiven(cast.arg);
  return as(node, 'ParamRef') !== undefined || as(node, 'A_Const') !== undefined;
}

/** The statements of a text. @throws Error where PostgreSQL would not understand it */
export async function parseStatements(text: string): Promise<unknown[]> {
  const { stmts = [] } = await parse(text);
  return stmts.map(({ stmt }) => stmt);
}
