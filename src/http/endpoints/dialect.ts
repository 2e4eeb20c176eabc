import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { CallerIdentity, Role } from '../../domain/caller.ts';
import type { Failure } from '../../domain/errors.ts';
import type { AppScope, ClientScope } from '../../domain/identity/clients/client-scopes.ts';
import type { Principal } from '../auth/authenticate.ts';
import type { ErrorResponse, FailedRequest } from '../errors/error-mapping.ts';
import type { DocumentedWebhook } from './documented-webhooks.ts';
import type { Examples } from './examples.ts';

export const bodyType = ({ forms }: Pick<Dialect, 'forms'>) => (forms ? 'application/x-www-form-urlencoded' : 'application/json');

/** The caller that a principal is in one dialect and one organization. */
export type AuthorizedCaller = Omit<CallerIdentity, 'operation' | 'requestId' | 'address'>;

export type SecurityScheme = { type: 'http'; scheme: 'bearer'; bearerFormat: string; description: string } | { type: 'oauth2' };

/** Everything in which one of the APIs differs from the others at the edge. */
export interface Dialect {
  name: 'integration' | 'practice' | 'mobile' | 'platform';
  title: string;
  description: string;
  /** Prefix of every path; may have parameters. */
  prefix: string;
  /** Matches the addresses whose failures have the form of this dialect, also where no operation is there. */
  addresses: RegExp;
  /** The shape of those parameters. */
  prefixParams?: z.ZodType;
  /** Bodies are forms, and nothing else; or else JSON, and nothing else. */
  forms: boolean;
  /** Unknown parameters of a query that are ignored; any other is refused. */
  ignoredParameters?: RegExp;
  /** Scopes required by endpoints that declare none; null where the role alone decides. */
  scopes: { read: string | null; write: string | null };
  /** Scopes of API clients that open an operation, or show more of one. */
  clientScopes: readonly ClientScope[];
  /** Scopes with which people's apps may read and write; no app is admitted where they are left out. */
  appScopes?: { read: AppScope; write: AppScope };
  /** Roles required by endpoints that declare none, where a person calls; every role where it is left out. */
  roles?: readonly Role[];
  security: { name: string; scheme: SecurityScheme };
  /** The caller, and the organization; what they may do is up to requireRights. @throws Failure forbidden, not_found */
  authorize(principal: Principal, request: FastifyRequest): AuthorizedCaller;
  tags: Readonly<Record<string, string>>;
  /** Descriptions of fields that have none of their own, by name, for the document: names that mean the same in every shape. */
  fieldDescriptions: Readonly<Record<string, string>>;
  errorShape: z.ZodType;
  errorContentType: string;
  /** The file of its document in `openapi`; null where the configuration makes another one, which is written when it is read. */
  document: string | null;
  /** Of its operations, for the document. */
  examples(): Examples;
  /** Messages that the server posts to addresses which clients of this API gave it. Made when the document is: a start needs none. */
  webhooks?: () => DocumentedWebhook[];
  writeError(failure: Failure, request: FailedRequest): ErrorResponse;
}
