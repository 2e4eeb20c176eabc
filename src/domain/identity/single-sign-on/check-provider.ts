import type { Keyring } from '../../../database/encryption/keyring.ts';
import { type OpenIdConnect, type ProviderReport, ProviderUnreachable } from '../../../gateways/openid/openid-connect.ts';
import type { Tx } from '../../tx.ts';
import { readProviderSettings } from './identity-providers.ts';

/** The findings of a check: a problem in words, or the report of a provider that answers. */
export type ProviderCheck = { problem: string; report: null } | { problem: null; report: ProviderReport };

/** Asks the provider of the caller's practice for its metadata and its keys. @throws Failure not_found where there is none */
export async function checkProvider(
  tx: Tx,
  { keyring, openIdConnect }: { keyring: Keyring; openIdConnect: OpenIdConnect },
): Promise<ProviderCheck> {
  const settings = await readProviderSettings(tx, keyring);
  try {
    return { problem: null, report: await openIdConnect.check(settings) };
  } catch (error) {
    if (error instanceof ProviderUnreachable) return { problem: error.message, report: null };
    throw error;
  }
}
