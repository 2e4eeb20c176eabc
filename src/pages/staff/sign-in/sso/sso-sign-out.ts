import type { FastifyRequest } from 'fastify';
import type { SignedIn } from '../../../../domain/identity/sessions/sessions.ts';
import { findExternalSession } from '../../../../domain/identity/single-sign-on/external-sessions.ts';
import { findUsableProvider } from '../../../../domain/identity/single-sign-on/identity-providers.ts';
import { ProviderUnreachable } from '../../../../gateways/openid/openid-connect.ts';
import { ssoAddresses } from '../../../../http/sign-in/sso-addresses.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import type { StaffPageDeps } from '../staff-page-deps.ts';
import { onwardPage } from './sso-view.ts';

/**
 * The page that leads to the provider behind a session, where its user signs out as well; null for a session of another way to sign
 * in, and for a provider without such an address or that does not answer: then the session here has ended all the same.
 */
export async function providerSignOutPage(
  { database, keyring, gateways }: StaffPageDeps,
  session: Pick<SignedIn, 'organizationId' | 'sessionId'>,
  request: FastifyRequest,
): Promise<string | null> {
  const { organizationId } = session;
  const behind = await findExternalSession(database.prisma, keyring, session);
  const provider = behind && (await findUsableProvider(database.prisma, keyring, organizationId));
  if (!provider) return null;
  const { afterLogout } = ssoAddresses(readOrigin(request), organizationId);
  try {
    const address = await gateways.openIdConnect.logoutUrl(provider.settings, behind.idToken, afterLogout);
    const words = 'You are signed out here. Now sign out of the sign-in service of your practice.';
    return address === null ? null : onwardPage({ title: 'Signed out', address, words, label: 'Continue' });
  } catch (error) {
    if (!(error instanceof ProviderUnreachable)) throw error;
    request.log.warn({ err: error }, 'a provider does not answer at sign-out');
    return null;
  }
}
