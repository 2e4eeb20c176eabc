import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { Failure } from '../../../domain/errors.ts';
import { checkProvider } from '../../../domain/identity/single-sign-on/check-provider.ts';
import {
  findIdentityProvider,
  removeIdentityProvider,
  setIdentityProvider,
} from '../../../domain/identity/single-sign-on/identity-providers.ts';
import { findRecordedDomains, listClaimedDomains } from '../../../domain/identity/single-sign-on/mail-domains.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { Gateways } from '../../../gateways/gateways.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { ssoAddresses } from '../../../http/sign-in/sso-addresses.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { CheckResponse, fromCheck, fromProvider, ProviderRequest, ProviderResponse, toProviderInput } from './identity-provider.wire.ts';

export interface ProviderDeps {
  keyring: Keyring;
  gateways: Pick<Gateways, 'guarded' | 'openIdConnect' | 'domainRecords'>;
}

interface Asked {
  tx: Tx;
  request: FastifyRequest;
}

const listSsoAddresses = ({ tx, request }: Asked) => ssoAddresses(readOrigin(request), tx.organizationId);

/** The identity provider with which the people of the practice sign in (OpenID Connect). */
export function identityProviderRoutes(endpoints: Endpoints, { keyring, gateways }: ProviderDeps): void {
  const { get, put, remove } = endpoints.group({ tag: 'Single sign-on', beyondDocument: true });
  const readProvider = async (asked: Asked) => {
    const provider = await findIdentityProvider(asked.tx);
    const domains = await listClaimedDomains(asked.tx, keyring, provider.emailDomains);
    return { data: fromProvider(provider, domains, listSsoAddresses(asked)) };
  };
  /** The practice may have no provider yet: then there is nothing to compare If-Match with. */
  const currentProvider = (asked: Asked): Promise<object | null> =>
    readProvider(asked).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'not_found') return null;
      throw error;
    });

  get('/identity-provider', {
    operationId: 'getIdentityProvider',
    summary: 'Read the identity provider of the practice',
    description: 'Includes the addresses of this server to register at the provider. The secret is not shown.',
    response: ProviderResponse,
    etag: true,
    handle: readProvider,
  });

  get('/identity-provider/check', {
    operationId: 'checkIdentityProvider',
    summary: 'Check that the identity provider answers',
    description: 'Reads its metadata and keys. Only a sign-in shows whether this server is registered there.',
    response: CheckResponse,
    handle: async ({ tx }) => ({
      data: fromCheck(await checkProvider(tx, { keyring, openIdConnect: gateways.openIdConnect })),
    }),
  });

  put('/identity-provider', {
    operationId: 'updateIdentityProvider',
    summary: 'Update the identity provider of the practice',
    description:
      'Creates one if there is none. Omitted fields keep their values. Changing the issuer means another provider: users must be linked again, and the secret is removed unless a new one is sent. The TXT records of `email_domains` are looked up to prove the domains; 409 `domain_proven` if another practice has proven one. While sign-in with passwords is off, the provider can be neither switched off nor replaced (409 `only_way_in`).',
    stepUp: true,
    body: ProviderRequest,
    response: ProviderResponse,
    etag: true,
    current: currentProvider,
    lookup: ({ body, request }) => findRecordedDomains(gateways.domainRecords, keyring, request.caller, body.email_domains ?? []),
    handle: async ({ tx, body, request, lookupResult: recorded }) => {
      await setIdentityProvider(tx, toProviderInput(body), { keyring, accepts: gateways.guarded.accepts, recorded });
      return readProvider({ tx, request });
    },
  });

  remove('/identity-provider', {
    operationId: 'deleteIdentityProvider',
    summary: 'Remove the identity provider of the practice',
    description:
      'Users keep their accounts and are no longer linked to the provider. 409 `only_way_in` while sign-in with passwords is off.',
    stepUp: true,
    current: currentProvider,
    handle: ({ tx }) => removeIdentityProvider(tx),
  });
}
