import type { FastifyRequest } from 'fastify';
import type { SignInDetails, SignInMethod } from '../../domain/identity/sessions/sessions.ts';

/** The browser or app that sent a request, in its own words. */
export const readUserAgent = ({ headers }: FastifyRequest): string | null => headers['user-agent'] ?? null;

/** Particulars of the sign-in that a request makes, for the user's list of sessions. */
export const signInDetails = (request: FastifyRequest, methods: readonly SignInMethod[]): SignInDetails => ({
  methods,
  address: request.ip,
  userAgent: readUserAgent(request),
  deviceId: null,
});
