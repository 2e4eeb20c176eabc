import type { Keyring } from '../database/encryption/keyring.ts';
import type { CallerIdentity, Role } from '../domain/caller.ts';
import type { AppScope } from '../domain/identity/clients/client-scopes.ts';
import type { ClientInPractice } from '../domain/identity/clients/request-log.ts';
import type { Deadline } from './requests/requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The origin of links: PUBLIC_URL, or the address that the server listens on. */
    origin(): string;
    hasPublicUrl: boolean;
    keyring: Keyring;
  }

  interface FastifyRequest {
    /** Set by authentication, before any handler of a protected operation runs. */
    caller: CallerIdentity;
    /** For streams alone: the caller as its present rights make it. @throws Failure where it has lost them */
    reauthorize?: () => Promise<CallerIdentity>;
    deadline: Deadline;
    /** The path that is served at this address, where the method is refused; undefined for any other request. */
    refusedUrl?: string;
    /** The API client, or the app, that sent the request, and the practice for which it acts; absent where there is none. */
    clientInPractice?: ClientInPractice | undefined;
    /** The request as it was sent, of which the fingerprint of an Idempotency-Key is made. */
    claimed?: string;
  }

  interface FastifyContextConfig {
    /** The operation needs a token; tests walk all of these. */
    protected?: boolean;
    scope?: string | null;
    appScope?: AppScope | null;
    roles?: readonly Role[] | null;
    /** A person must have proved who they are within a quarter of an hour. */
    stepUp?: boolean;
    /** A POST whose response is stored under no Idempotency-Key (endpoint-types.ts). */
    keyed?: 'once' | 'never' | undefined;
    /** Answers with an ETag; a GET honours If-None-Match. */
    etag?: boolean;
    /** Its body is a form with a file: bounded by its progress, not by 30 s. */
    carriesFile?: boolean;
    /** Its body goes on where an earlier one broke off (Upload-Offset). */
    resumes?: boolean;
    /** Answers with the bytes of a file, or a range of them. */
    sendsFile?: boolean;
    /** Answers with a stream that does not end by itself. */
    sendsStream?: boolean;
    /** Headers of its response that only this operation has. */
    ownHeaders?: readonly string[];
    /** Honours If-Match. */
    ifMatch?: boolean;
    /** The API's source document does not have the operation. */
    beyondDocument?: boolean;
    /** Takes forms with replacement characters: telephones send them in texts, which must not be lost. */
    takesGarbledText?: boolean;
    /** Unknown parameters that are ignored, and whether a form may be sent in the query. */
    query?: { ignored: RegExp | undefined; takesForm: boolean };
    /** Refuses a method that its path does not take. */
    isRefusal?: boolean;
  }
}
