import type { FastifyReply, FastifyRequest } from 'fastify';
import { findUsableProvider } from '../../../../domain/identity/single-sign-on/identity-providers.ts';
import { ProviderUnreachable } from '../../../../gateways/openid/openid-connect.ts';
import { sendPage } from '../../../design/layout/page.ts';
import type { StaffPageDeps } from '../staff-page-deps.ts';
import { bindToBrowser, type StartedSignIn } from './sso-cookie.ts';
import { refusedPage } from './sso-view.ts';

/** A sign-in that begins, and the mail address that somebody has typed, which the provider may fill in. */
export interface SsoStart extends StartedSignIn {
  email?: string | undefined;
}

/** The address that begins a sign-in again. */
export const startAddress = (organizationId: number, to?: string): string =>
  `/sign-in/sso?practice=${organizationId}${to === undefined ? '' : `&to=${encodeURIComponent(to)}`}`;

/**
 * Begins a sign-in at the provider of a practice: binds it to the browser.
 * @returns the provider's address; null where the practice has no provider in use
 * @throws ProviderUnreachable
 */
export async function startSso(
  { database, keyring, gateways }: StaffPageDeps,
  { email, ...started }: SsoStart,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | null> {
  const provider = await findUsableProvider(database.prisma, keyring, started.organizationId);
  if (!provider) return null;
  return gateways.openIdConnect.authorizationUrl(provider.settings, bindToBrowser(keyring, started, request, reply), email);
}

/** Runs a step with a provider. A provider that does not answer is a page that says so; other errors are thrown on. */
export async function orUnreachable(
  request: FastifyRequest,
  reply: FastifyReply,
  again: string,
  step: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ProviderUnreachable)) throw error;
    request.log.warn({ err: error }, 'an identity provider does not answer');
    return sendPage(
      reply.code(503).header('retry-after', '30'),
      refusedPage({
        title: 'The sign-in service does not respond',
        words:
          'The sign-in service of your practice cannot be reached at this moment. Nothing is wrong with your account. Try again in a minute, or ask the people who run the service.',
        again,
      }),
    );
  }
}
