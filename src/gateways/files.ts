import type { Readable } from 'node:stream';

/** Where the bytes of files lie. Keys are made by this server; names that people gave never come here. */
export interface Files {
  readonly name: 'local' | 's3';
  /** Stores what flows in, whole or not at all, without holding it in memory. */
  write(key: string, content: Readable): Promise<void>;
  /** @param range bytes from start to end, both inclusive. @throws FileMissing */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** No error where it is gone already. */
  remove(key: string): Promise<void>;
}

export class FileMissing extends Error {}
