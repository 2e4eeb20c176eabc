/** What a command is given of the process around it. */
export interface Io {
  env: Record<string, string | undefined>;
  /** For --password-stdin. */
  stdin: AsyncIterable<string | Uint8Array>;
  /** Takes text as it is. */
  stdout(text: string): void;
  stderr(text: string): void;
}
