import { type Field, type Fields, RECORD_APIS } from './field.ts';

/**
 * The names that the fields of a record have in imported files, beside the domain's: those of the APIs, without parts of objects, and those of
 * their rows. Names that differ only in case and underscores are the same.
 * @param others names that mean something else in a file
 */
export function headersOf<R extends Fields>(fields: R, others?: readonly string[]): { readonly [F in keyof R]?: readonly string[] };
export function headersOf(fields: Fields, others: readonly string[] = []): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const words = listNames(field).filter((word) => plain(word) !== plain(name) && !others.includes(word));
      return words.length > 0 ? [[name, words]] : [];
    }),
  );
}

/** Each name once. */
function listNames(field: Field): string[] {
  const names = [...RECORD_APIS.flatMap((api) => field[api] ?? []).filter((name) => !name.includes('.')), ...(field.headers ?? [])];
  return [...new Map(names.map((name) => [plain(name), name])).values()];
}

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '');
