import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { Failure, invalid } from '../../../domain/errors.ts';
import { checkProvider } from '../../../domain/identity/single-sign-on/check-provider.ts';
import { readDomain } from '../../../domain/identity/single-sign-on/identity-provider-rules.ts';
import {
  findIdentityProvider,
  type GroupRoles,
  type IdentityProviderInput,
  removeIdentityProvider,
  setIdentityProvider,
} from '../../../domain/identity/single-sign-on/identity-providers.ts';
import { findRecordedDomains, listClaimedDomains } from '../../../domain/identity/single-sign-on/mail-domains.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Gateways } from '../../../gateways/gateways.ts';
import { readInput } from '../../../http/input/input.ts';
import { ssoAddresses } from '../../../http/sign-in/sso-addresses.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { secret, text } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import type { RefusedForm } from '../forms/form-state.ts';
import { newsIn, requireAdmin, requireProvenAdmin, requireUnchanged, runForm } from '../forms/run-form.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { providerValues, singleSignOnPage } from './single-sign-on-view.ts';

const ADDRESS = '/administration/single-sign-on';
const LONGEST_LIST = 10_000;
const DONE = {
  saved: 'The provider was saved. Test the connection before people rely on it.',
  removed: 'The provider was removed. People now sign in with their passwords.',
};

const yes = z.literal('yes').optional();
const ProviderForm = z.object({
  issuer: text(500),
  client_id: text(200),
  client_secret: secret(500).optional(),
  groups_claim: text(200).min(1),
  group_roles: z.string().max(LONGEST_LIST).default(''),
  email_domains: z.string().max(LONGEST_LIST).default(''),
  just_in_time: yes,
  enabled: yes,
});
const PageQuery = z.object({ test: yes.catch(undefined) });
const role = z.enum(['admin', 'provider', 'staff']);

const splitLines = (written: string): string[] => written.split(/[\n,]/).flatMap((line) => line.trim() || []);

/** Lines such as `clinicians=provider`. @throws Failure invalid for others */
function groupRolesIn(written: string): GroupRoles {
  const pairs = splitLines(written).map((line) => {
    const at = line.lastIndexOf('=');
    const { data } = role.safeParse(line.slice(at + 1).trim());
    if (at < 1 || data === undefined)
      throw invalid('group_roles', 'Each line must be a group and its role (admin, provider or staff), such as clinicians=provider.');
    return [line.slice(0, at).trim(), data] as const;
  });
  return Object.fromEntries(pairs);
}

const toProviderInput = (form: z.output<typeof ProviderForm>): IdentityProviderInput => ({
  issuer: form.issuer,
  clientId: form.client_id,
  // An empty field keeps the secret, which is never shown.
  ...(form.client_secret ? { clientSecret: form.client_secret } : {}),
  groupsClaim: form.groups_claim,
  roles: groupRolesIn(form.group_roles),
  emailDomains: splitLines(form.email_domains).map((line) => readDomain(line) ?? line),
  justInTime: form.just_in_time === 'yes',
  enabled: form.enabled === 'yes',
});

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return null;
    throw error;
  }
}

interface SingleSignOnDeps extends Pick<StaffPageDeps, 'unitOfWork' | 'database'> {
  keyring: Keyring;
  gateways: Pick<Gateways, 'guarded' | 'openIdConnect' | 'domainRecords'>;
}

/** The identity provider of the practice. To be registered in a staffScope. */
export function singleSignOnPages(app: FastifyInstance, { unitOfWork, database, keyring, gateways }: SingleSignOnDeps): void {
  const show = (request: FastifyRequest, { refused, isTest = false }: { refused?: RefusedForm; isTest?: boolean } = {}): Promise<string> =>
    unitOfWork.read(requireAdmin(request), async (tx) => {
      const provider = await orNull(findIdentityProvider(tx));
      const { openIdConnect } = gateways;
      const check = provider && isTest ? await checkProvider(tx, { keyring, openIdConnect }) : null;
      const addresses = ssoAddresses(readOrigin(request), tx.organizationId);
      return singleSignOnPage({
        practice: await requireLinkPractice(tx),
        provider,
        domains: await listClaimedDomains(tx, keyring, provider?.emailDomains ?? []),
        addresses,
        check,
        refused,
        news: newsIn(request, DONE),
      });
    });

  app.get(ADDRESS, async (request, reply) => {
    const { test } = readInput(PageQuery, request.query);
    return sendPage(reply, await show(request, { isTest: test === 'yes' }));
  });

  app.post(ADDRESS, (request, reply) => {
    const work = async () => {
      const admin = await requireProvenAdmin(database.prisma, request);
      const input = toProviderInput(readInput(ProviderForm, request.body ?? {}));
      const { accepts } = gateways.guarded;
      const recorded = await findRecordedDomains(gateways.domainRecords, keyring, admin, input.emailDomains ?? []);
      return unitOfWork.write(admin, async (tx) => {
        requireUnchanged(request, providerValues(await orNull(findIdentityProvider(tx))));
        return setIdentityProvider(tx, input, { keyring, accepts, recorded });
      });
    };
    return runForm(request, reply, { address: ADDRESS, done: 'saved', work, show: (refused) => show(request, { refused }) });
  });

  app.post(`${ADDRESS}/remove`, (request, reply) => {
    const work = async () => unitOfWork.write(await requireProvenAdmin(database.prisma, request), removeIdentityProvider);
    return runForm(request, reply, {
      address: ADDRESS,
      done: 'removed',
      isButton: true,
      work,
      show: (refused) => show(request, { refused }),
    });
  });
}
