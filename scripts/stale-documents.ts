import { readFile } from 'node:fs/promises';

/** A document as it is committed. */
export const written = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;

/**
 * @param files the committed documents
 * @param documents what the server says, in the same order
 * @returns which files are not that, missing ones too, with the command that renews them; null where all are
 */
export async function complaintOfStale(files: readonly string[], documents: readonly string[]): Promise<string | null> {
  const committed = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const stale = files.filter((_, index) => committed[index] !== documents[index]);
  return stale.length === 0 ? null : `${stale.join(', ')}: not what the server says. Run "npm run openapi" and commit what it writes.`;
}
