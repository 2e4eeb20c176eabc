import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PROOF_SECONDS } from '../../../domain/messaging/external-messages/external-message-proofs.ts';
import { asSeen } from '../../../domain/values/same-text.ts';
import { pathCookieName, readCookie, setCookie } from '../../../http/auth/cookies.ts';

const COOKIE = 'opened';
const codeForm = z.object({ code: z.string().max(40) });

/** The code that was entered; null where it does not have six digits. */
export function readCode(body: unknown): string | null {
  const code = asSeen(codeForm.safeParse(body).data?.code ?? '').replaceAll(/[\s-]/g, '');
  return /^\d{6}$/.test(code) ? code : null;
}

/** The evidence of a right code that the browser sends. */
export const readProof = (request: FastifyRequest): string | undefined => readCookie(request, pathCookieName(request, COOKIE));

/** Keeps the evidence in a cookie that is valid only for the pages at this address. */
export function keepProof(request: FastifyRequest, reply: FastifyReply, path: string, proof: string): void {
  setCookie(request, reply, { name: pathCookieName(request, COOKIE), value: proof, path, seconds: PROOF_SECONDS });
}
