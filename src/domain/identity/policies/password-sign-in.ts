import { Failure } from '../../errors.ts';
import type { SecurityPolicy } from './security-policy.ts';

/**
 * Refuses a sign-in without the provider of the practice, where the practice has switched the other ways off: passwords and passkeys,
 * and the first sign-in after an invitation or a reset. To be called after the right password, so that nobody learns it of strangers.
 * @throws Failure forbidden `sso_required` with the address of single sign-on, relative to this server
 */
export function requireAllowedMethod(
  { passwordSignIn }: Pick<SecurityPolicy, 'passwordSignIn'>,
  organizationId: number,
  methods: readonly string[],
): void {
  if (passwordSignIn || methods.includes('sso')) return;
  throw new Failure('forbidden', 'sso_required', 'The practice allows only single sign-on.', {
    extensions: { sso_url: `/sign-in/sso?practice=${organizationId}` },
  });
}
