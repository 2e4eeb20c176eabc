import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { CallerIdentity, Role } from '../../domain/caller.ts';
import type { FileStore, StoredFile } from '../../domain/files/stored-files.ts';
import type { Tx } from '../../domain/tx.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import type { Deprecation } from './deprecation.ts';

export interface RunDeps {
  unitOfWork: UnitOfWork;
  keyring: Keyring;
  store: FileStore;
  /** Milliseconds after which a transfer that makes no progress is ended. */
  transferIdleMs: number;
  /** Hold every response against its declared shape; off in production, where the typed mappers are trusted. */
  checkResponses: boolean;
}

/** The shape of a part that an endpoint does not have. */
export type None = z.ZodObject<Record<never, never>>;

/** The parts of a request after validation, in the dialect's words. */
export interface Parts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  request: FastifyRequest;
}

/** Input of a handler with database access: a transaction, or for a read the client. */
export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Parts<P, Q, B> {
  tx: Tx;
}

interface ResponseHeaders {
  /** Headers of the response, beside its body; stored with it under an Idempotency-Key. Names in lower case. */
  headers: Record<string, string>;
}

export type WriteInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Input<P, Q, B> & ResponseHeaders;

export interface ReadInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Input<P, Q, B> {}

interface ReadHandlerInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends ReadInput<P, Q, B>, ResponseHeaders {}

/** The parts of a declaration that the OpenAPI document shows, common to endpoints of every kind. */
export interface Documented {
  operationId: string;
  summary: string;
  description?: string;
  /** Left out where the endpoint has that of its group. */
  tag?: string | undefined;
  /** The API's source document does not have it; the OpenAPI document says so. */
  beyondDocument?: boolean;
  /** Its answers say so, and its document. What may change when is in docs/changes.md. */
  deprecated?: Deprecation;
  /** Its path is another spelling of that of an operation which the document shows instead. */
  isAlias?: boolean;
}

/** A declaration that needs a token and is answered with JSON. */
interface Declared<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> extends Documented {
  /** Required beside the dialect's own scope for reading or writing. */
  scope?: string;
  /** The roles that may call, where a person calls. */
  roles?: readonly Role[];
  /** A person must have signed in, or proved again who they are, within a quarter of an hour. */
  stepUp?: boolean;
  /** It is about how people sign in, or breaks the glass: no registered app does it for them. */
  notForApps?: boolean;
  /**
   * Of a POST whose response no Idempotency-Key stores, since it holds a secret. `once`: a repeated key is refused, and the refusal names
   * what the first request made. `never`: keys have no effect.
   */
  keyed?: 'once' | 'never';
  params?: P;
  query?: Q;
  body?: B;
  /** The body may be left out; an absent one is read as an empty one. */
  bodyOptional?: boolean;
  response: A;
  /** Default 200. */
  status?: 200 | 201 | 202 | 204;
  /** Responds with an ETag and honours If-None-Match; for single records. */
  etag?: boolean;
  /** Headers that only this operation has, by their names in openapi-components.ts. */
  ownHeaders?: readonly string[];
}

/** Parts that several endpoints have in common. */
export type Common = Pick<Declared<None, None, None, None>, 'tag' | 'beyondDocument' | 'scope' | 'roles' | 'stepUp' | 'notForApps'>;

export interface ReadEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends Declared<P, Q, B, A> {
  handle: (input: ReadHandlerInput<P, Q, B>) => Promise<z.input<A>>;
}

interface Trial<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  isAsked: (input: Parts<P, Q, B>) => boolean;
  response: z.ZodType;
  /** Writes nothing that stays: it only checks, or takes back what it wrote (runAndRollBack). */
  handle: (input: WriteInput<P, Q, B>) => Promise<object>;
}

/** The present representation of a record. */
export type Current<P extends z.ZodType> = (input: Pick<Input<P, None, None>, 'tx' | 'params' | 'request'>) => Promise<unknown>;

/** Properties of every write with input and output in JSON. */
interface Write<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> extends Declared<P, Q, B, A> {
  /** Names fields of the body whose values cannot be used: they are ignored, and named beside the unknown fields. `sent` is the body as it came. */
  ignored?: (body: z.output<B>, sent: unknown) => string[];
  /**
   * The present representation of the record that it changes, as the GET or the write itself answers with it, to compare If-Match
   * with; null where there is none. For every write on a record that is tagged anywhere, also under another address.
   */
  current?: (input: Input<P, Q, B>) => Promise<unknown>;
  /** Whether a response tells of nothing new, as after the same request before: it is sent with 200 instead of the status. */
  isNothingNew?: (response: z.input<A>) => boolean;
  /** For a request that only asks what would happen: it is answered with 200, and nothing is stored under an Idempotency-Key. */
  trial?: Trial<P, Q, B>;
}

export interface WriteEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends Write<P, Q, B, A> {
  lookup?: undefined;
  handle: (input: WriteInput<P, Q, B>) => Promise<z.input<A>>;
}

/** A GET that creates something each time, because its document says so: a write in all else, without a HEAD. */
export interface CreatingEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends WriteEndpoint<P, Q, B, A> {
  creates: true;
}

/** A DELETE that is answered with 204. */
export interface RemoveEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>
  extends Omit<WriteEndpoint<P, Q, B, z.ZodNull>, 'response' | 'status' | 'handle'> {
  handle: (input: WriteInput<P, Q, B>) => Promise<unknown>;
}

/** A write with a stage before its transaction: it asks an external service, checks a password, or keeps an attempt that is refused. */
export interface LookupEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, L>
  extends Write<P, Q, B, A> {
  /**
   * Also called where a stored response is then sent again. A lookup without a result is a result too: that of a POST throws only
   * refusals.
   */
  lookup: (input: Parts<P, Q, B>) => Promise<L>;
  handle: (input: WriteInput<P, Q, B> & { lookupResult: L }) => Promise<z.input<A>>;
}

/** A POST whose body is a multipart form with one file. */
export interface UploadEndpoint<P extends z.ZodType, A extends z.ZodType> extends Declared<P, None, None, A> {
  /** Name of the file's part. */
  field: string;
  /** Bytes. */
  largest: number;
  /** @param input the stored file, to be claimed in the transaction, and its name as the sender wrote it */
  handle: (input: WriteInput<P, None, None> & { file: StoredFile; fileName: string }) => Promise<z.input<A>>;
}

/**
 * A POST or PATCH whose body is bytes of a file, of any length: they are stored as they arrive, and what arrived stays where the connection
 * breaks. Its handler opens its own units of work.
 */
export interface BytesEndpoint<P extends z.ZodType, Q extends z.ZodType, A extends z.ZodType> extends Declared<P, Q, None, A> {
  /** Default POST. */
  method?: 'PATCH';
  /** Content types, for the document: any is taken. */
  consumes: readonly string[];
  receive: (
    input: Parts<P, Q, None> & ResponseHeaders & { deps: RunDeps; caller: CallerIdentity; content: Readable },
  ) => Promise<z.input<A>>;
}

/** Files of a form by the names of their parts, on the disk of this machine while they are processed. */
export interface SpooledFiles {
  file: SpooledFile;
  [besides: string]: SpooledFile | undefined;
}

export interface SpooledFile {
  path: string;
  /** The hash of its content, in hexadecimal. */
  sha256: string;
}

/** A POST whose body is a multipart form with files that are processed, outside of any transaction, before they are stored. */
export interface MediaEndpoint<P extends z.ZodType, F extends z.ZodObject, A extends z.ZodType, M> extends Declared<P, None, None, A> {
  params: P;
  /** Optional parts with a file, beside the required one called `file`. */
  besides: readonly string[];
  /** Bytes of each file. */
  largest: number;
  /** The parts that are text. */
  fields: F;
  /** Throws where the record that the files belong to does not exist; called before the form is read. */
  expect: (input: { tx: Tx; params: z.output<P> }) => Promise<void>;
  /** Processes the files on the disk and stores the results. */
  prepare: (store: FileStore, organizationId: number, files: SpooledFiles) => Promise<M>;
  handle: (input: WriteInput<P, None, None> & { fields: z.output<F>; media: M }) => Promise<z.input<A>>;
  /** Deletes stored files that the transaction did not claim. */
  discard: (store: FileStore, organizationId: number, media: M) => Promise<void>;
}

export interface ServedFile extends Omit<StoredFile, 'sha256'> {
  sha256: Uint8Array;
  /** Harmless (file-names.ts). */
  fileName: string;
}

/** A GET that responds with the bytes of a file. */
export interface DownloadEndpoint<P extends z.ZodType> extends Omit<Declared<P, None, None, None>, 'response' | 'status' | 'etag'> {
  handle: (input: ReadInput<P, None, None>) => Promise<ServedFile>;
}

/** A GET that sends its response itself: see event-streams.ts, csv-endpoint.ts and records-endpoint.ts, which make these. */
export interface CustomEndpoint extends Documented {
  /** Required beside the dialect's own scope for reading. */
  scope?: string;
  /** As of endpoints with a JSON response. */
  stepUp?: boolean;
  notForApps?: boolean;
  ownHeaders?: readonly string[];
  params?: z.ZodType;
  query?: z.ZodType;
  response: z.ZodType;
  /** Content types. */
  produces: string[];
  /** The response has no end of its own. */
  isStream?: boolean;
  respond(deps: RunDeps, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** A POST without a token. Its handler opens its own unit of work; it runs once more when the connection was lost. */
export interface PublicEndpoint<B extends z.ZodType, A extends z.ZodType> extends Documented {
  body: B;
  response: A;
  /** Headers, such as a cookie, may be set on the reply. */
  handle: (input: { body: z.output<B>; request: FastifyRequest; reply: FastifyReply }) => Promise<z.input<A>>;
}

/** An operation of an API. `X` is the result of its stage before the transaction: of a lookup, or of processing media. */
export type Endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X> =
  | ({ kind: 'read' } & ReadEndpoint<P, Q, B, A>)
  | ({ kind: 'write' } & (WriteEndpoint<P, Q, B, A> | LookupEndpoint<P, Q, B, A, X>))
  | ({ kind: 'upload' } & UploadEndpoint<P, A>)
  | ({ kind: 'media' } & MediaEndpoint<P, F, A, X>)
  | ({ kind: 'bytes' } & BytesEndpoint<P, Q, A>)
  | ({ kind: 'download' } & DownloadEndpoint<P>)
  | ({ kind: 'custom' } & CustomEndpoint)
  | ({ kind: 'public' } & PublicEndpoint<B, A>);
