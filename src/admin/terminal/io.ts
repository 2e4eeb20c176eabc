import type { Database } from '../../database/database.ts';

export interface Io {
  env: Record<string, string | undefined>;
  /** For secrets, which must not be arguments: other users of the machine could read those. */
  stdin: AsyncIterable<string | Uint8Array>;
  /** Whether a person sits at standard input, and can be asked. */
  isTerminal?: boolean;
  stdout(text: string): void;
  stderr(text: string): void;
  /** The database at DATABASE_URL, if it is open already. Without it each command opens a connection of its own. */
  database?: Database;
  /** Ends a command that goes on until it is interrupted. Without it, the signals of the process do. */
  stopping?: AbortSignal;
}

/** All of standard input, without its last line break. */
export async function readInput({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
