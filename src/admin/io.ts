/** What a command is given of the process around it. */
export interface Io {
  env: Record<string, string | undefined>;
  /** For what must be no argument, where other users of the machine could read it. */
  stdin: AsyncIterable<string | Uint8Array>;
  /** Takes text as it is. */
  stdout(text: string): void;
  stderr(text: string): void;
}

/** All of standard input, without its last line break. */
export async function readInput({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
