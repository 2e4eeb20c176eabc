import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Db } from '../database.ts';
import type { Caller, Role } from '../domain/caller.ts';

/** The shape of a part that an operation does not have. */
export type None = z.ZodObject<Record<never, never>>;

/** What a handler is given: its input in the dialect's words, and a transaction (or for a read the client) with its caller. */
export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  db: Db;
  caller: Caller;
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  request: FastifyRequest;
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
  answers: A;
  /** 200 unless said. */
  status?: 200 | 201 | 204;
  /** Answers with an ETag and honours If-None-Match; for single records. */
  tagged?: boolean;
  /** What the record shows now, to hold If-Match against; for every PUT whose answer is tagged. */
  current?: (input: Input<P, Q, B>) => Promise<z.input<A>>;
  handle: (input: Input<P, Q, B>) => Promise<z.input<A>>;
}

/** An operation that needs no token. It opens its own work, once it knows for whom; run anew when the connection was lost. */
export interface OpenEndpoint<B extends z.ZodType, A extends z.ZodType> {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  body: B;
  answers: A;
  handle: (input: { body: z.output<B>; request: FastifyRequest }) => Promise<z.input<A>>;
}
