import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/errors.ts';
import { nameOperation } from '../errors/error-mapping.ts';

/** The sender of a refused sign-in, as far as it is known. Never an email: people type passwords in its place. */
interface Refused {
  user?: number | undefined;
  organization?: number | undefined;
  client?: string | undefined;
  /** A code of this program. */
  reason: string;
}

/** Writes a refused sign-in to the log, with the network address that it came from. */
export function logRefusedSignIn(request: FastifyRequest, { user, organization, client, reason }: Refused): void {
  request.log.info({ operation: nameOperation(request), address: request.ip, user, organization, client, reason }, 'sign-in refused');
}

/** Whether an error refuses a sign-in: a wrong proof, or one too many. */
export const isRefusal = (error: unknown): error is Failure =>
  error instanceof Failure && (error.kind === 'unauthenticated' || error.kind === 'too_many_requests');
