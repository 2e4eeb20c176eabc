import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Db } from '../database/database.ts';
import type { Prepared } from '../database/statement.ts';
import type { Caller, Role } from '../domain/caller.ts';
import type { FileStore, StoredFile } from '../domain/files/stored-files.ts';
import type { DirectTransaction } from '../domain/unit-of-work/optimistic-write.ts';

/** The shape of a part that an operation does not have. */
export type None = z.ZodObject<Record<never, never>>;

/** What was asked, in the dialect's words. */
export interface Parts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  request: FastifyRequest;
}

/** What a handler is given: its input, and a transaction (or for a read the client) with its caller. */
export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Parts<P, Q, B> {
  db: Db;
  caller: Caller;
}

/** What the handler of a write is given. */
export interface WriteInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Input<P, Q, B> {
  /** Headers of the answer, for what its body cannot say; kept with it under an Idempotency-Key. Names in lower case. */
  headers: Record<string, string>;
}

/** What the handler of a GET is given; hot reads go through `prepared`. */
export interface ReadInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Input<P, Q, B> {
  prepared: Prepared;
}

/** One operation: everything that is declared about it, and its handler. */
export interface Endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /** Beside the dialect's own scope for reading or writing. */
  scope?: string;
  /** Only these roles, where a person calls. */
  roles?: readonly Role[];
  params?: P;
  query?: Q;
  body?: B;
  /** The body may be left out, which is then as an empty one. */
  bodyOptional?: boolean;
  /** Names fields of the body whose content is of no use and is ignored, to be named beside the unknown ones. */
  ignored?: (body: z.output<B>) => string[];
  response: A;
  /** 200 unless said. */
  status?: 200 | 201 | 204;
  /** Answers with an ETag and honours If-None-Match; for single records. */
  tagged?: boolean;
  /** What the record shows now, to hold If-Match against; for every PUT whose answer is tagged. */
  current?: (input: Input<P, Q, B>) => Promise<z.input<A>>;
  handle: (input: WriteInput<P, Q, B>) => Promise<z.input<A>>;
}

/** What the handler of a direct write is given. */
export interface DirectInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Parts<P, Q, B> {
  tx: DirectTransaction;
  caller: Caller;
}

/** A write that many wait for at once, and that goes past Prisma (UnitOfWork.writeDirectly). */
export interface DirectEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends Omit<Endpoint<P, Q, B, A>, 'handle' | 'current'> {
  current?: (input: DirectInput<P, Q, B>) => Promise<z.input<A>>;
  handle: (input: DirectInput<P, Q, B> & Pick<WriteInput<P, Q, B>, 'headers'>) => Promise<z.input<A>>;
}

/** A GET. */
export interface ReadEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends Omit<Endpoint<P, Q, B, A>, 'handle' | 'current' | 'ignored'> {
  handle: (input: ReadInput<P, Q, B>) => Promise<z.input<A>>;
}

/** A POST that first asks the outside world, which no transaction may wait for. */
export interface LookupEndpoint<B extends z.ZodType, A extends z.ZodType, H>
  extends Omit<Endpoint<None, None, B, A>, 'handle' | 'current' | 'params' | 'query'> {
  /** Also asked where a kept answer is then given again: what cannot be found out is an answer too, and nothing is thrown. */
  lookup: (input: { body: z.output<B> }) => Promise<H>;
  handle: (input: WriteInput<None, None, B> & { lookupResult: H }) => Promise<z.input<A>>;
}

/** A POST whose body is a multipart form with one file. */
export interface UploadEndpoint<P extends z.ZodType, A extends z.ZodType>
  extends Omit<Endpoint<P, None, None, A>, 'handle' | 'current' | 'ignored' | 'query' | 'body' | 'bodyOptional'> {
  /** The name of the file's part. */
  field: string;
  /** Bytes. */
  largest: number;
  /** @param input the file, stored, and to be claimed in the transaction; and its name as the sender wrote it */
  handle: (input: WriteInput<P, None, None> & { file: StoredFile; fileName: string }) => Promise<z.input<A>>;
}

/** Files of a form by the names of their parts, on the disk of this machine for as long as they are worked on. */
export interface SpooledFiles {
  file: SpooledFile;
  [besides: string]: SpooledFile | undefined;
}

export interface SpooledFile {
  path: string;
  /** In hexadecimal. */
  sha256: string;
}

/** A POST whose body is a multipart form with files that are worked on, outside of any transaction, before they are kept. */
export interface MediaEndpoint<P extends z.ZodType, F extends z.ZodObject, A extends z.ZodType, K>
  extends Omit<Endpoint<P, None, None, A>, 'handle' | 'current' | 'ignored' | 'query' | 'body' | 'bodyOptional' | 'params'> {
  params: P;
  /** Parts that may carry a file, beside the one called `file`, which must. */
  besides: readonly string[];
  /** Bytes, of each. */
  largest: number;
  /** The parts that are text. */
  fields: F;
  /** Throws where there is nothing that the files could belong to; asked before the form is read. */
  expect: (input: { prepared: Prepared; caller: Caller; params: z.output<P> }) => Promise<void>;
  /** Makes of the files on the disk what is kept, and stores it. */
  prepare: (store: FileStore, organizationId: number, files: SpooledFiles) => Promise<K>;
  handle: (input: WriteInput<P, None, None> & { fields: z.output<F>; media: K }) => Promise<z.input<A>>;
  /** Takes away what was stored and not kept. */
  discard: (store: FileStore, organizationId: number, media: K) => Promise<void>;
}

/** A file that is sent back. */
export interface ServedFile extends Omit<StoredFile, 'sha256'> {
  sha256: Uint8Array;
  /** Harmless (file-names.ts). */
  fileName: string;
}

/** A GET that answers with the bytes of a file. */
export interface DownloadEndpoint<P extends z.ZodType>
  extends Pick<ReadEndpoint<P, None, None, None>, 'operationId' | 'summary' | 'description' | 'tag' | 'scope' | 'roles' | 'params'> {
  handle: (input: ReadInput<P, None, None>) => Promise<ServedFile>;
}

/** An operation that needs no token. It opens its own work, once it knows for whom; run anew when the connection was lost. */
export interface PublicEndpoint<B extends z.ZodType, A extends z.ZodType> {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  body: B;
  response: A;
  handle: (input: { body: z.output<B>; request: FastifyRequest }) => Promise<z.input<A>>;
}
