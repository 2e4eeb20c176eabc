import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { MESSAGING_SERVICE_SID } from '../../config/checks.ts';
import { Failure, invalid } from '../../domain/errors.ts';
import { EVENT_DIALECTS } from '../../domain/events/dialect-names.ts';
import { namesMatching } from '../../domain/events/event-filter.ts';
import { readClientKeys } from '../../domain/identity/clients/client-keys.ts';
import { SCOPES } from '../../domain/identity/clients/client-scopes.ts';
import {
  createPracticeClient,
  listPracticeClients,
  setPracticeClientActive,
  updatePracticeClient,
  withdrawPracticeClient,
} from '../../domain/identity/clients/practice-clients.ts';
import {
  changeSecurityPolicy,
  readSecurityPolicy,
  SECOND_FACTOR_POLICIES,
  SECURITY_POLICY_LIMITS,
} from '../../domain/identity/policies/security-policy.ts';
import { readDomain } from '../../domain/identity/single-sign-on/identity-provider-rules.ts';
import {
  findIdentityProvider,
  readProviderSettings,
  removeIdentityProvider,
  setIdentityProvider,
} from '../../domain/identity/single-sign-on/identity-providers.ts';
import { listClaimedDomains, proveByWord } from '../../domain/identity/single-sign-on/mail-domains.ts';
import { changeRetentionPolicy, RETENTION_LIMITS, readRetentionPolicy } from '../../domain/patient-rights/retention-policy.ts';
import { createEndpoint, deleteEndpoint, LONGEST_URL, listEndpoints, updateEndpoint } from '../../domain/webhooks/endpoints.ts';
import { active, clearable, field, form, text, whole } from '../fields.ts';
import { type Fields, kind, type Reading, type Work } from '../kind.ts';
import { toStored } from '../stored.ts';

/** More than a practice may have. */
const ALL = { page: 1, limit: 100_000 };

const CLIENT = z.strictObject({
  name: field(text(200), 'Name of the application, shown as the author of records that it creates'),
  scopes: field(z.array(z.enum(SCOPES)), 'Scopes of the client'),
  jwksUri: clearable(text(LONGEST_URL), 'Address of its public keys; a client without keys signs in with a secret'),
  redirectUris: field(z.array(text(LONGEST_URL)), 'Redirect addresses of an app; with them, the client is an app'),
  active: active('false switches it off'),
});

export const clientKind = kind({
  name: 'clients',
  one: 'client',
  names: ['name'],
  unordered: ['scopes', 'redirectUris'],
  shape: CLIENT,
  whole: CLIENT.required({ name: true }),
  read: async ({ tx }) => (await listPracticeClients(tx, ALL)).items.map((row) => toStored(CLIENT, row)),
  async create({ tx, services }, { name, scopes = [], jwksUri = null, redirectUris = [], active: isActive = true }) {
    const keys = jwksUri === null ? null : readClientKeys({ jwksUri }, services.accepts);
    const input = { name, scopes, keys, redirectUris: redirectUris.length > 0 ? redirectUris : null };
    const { client, secret } = await createPracticeClient(tx, services.mostClients, input);
    if (!isActive) await setPracticeClientActive(tx, client.id, false);
    return { id: client.id, secret: secret === null ? null : `client_id ${client.clientId} client_secret ${secret}` };
  },
  async change({ tx, services }, id, { active: isActive, jwksUri, ...changes }) {
    if (jwksUri === null) throw invalid('jwksUri', 'cannot be removed from a client. Add another client, which gets a secret');
    const keys = jwksUri === undefined ? {} : { keys: readClientKeys({ jwksUri }, services.accepts) };
    if (Object.keys({ ...changes, ...keys }).length > 0) await updatePracticeClient(tx, id, { ...changes, ...keys });
    if (isActive !== undefined) await setPracticeClientActive(tx, id, isActive);
  },
  remove: ({ tx }, id) => withdrawPracticeClient(tx, id),
});

const ENDPOINT = z.strictObject({
  url: field(
    text(LONGEST_URL).transform((written) => URL.parse(written)?.href ?? written),
    'https address that receives events',
  ),
  description: clearable(text(500), 'Note for people'),
  types: field(
    z.array(text(100).refine((name) => namesMatching(name).length > 0, 'must be a kind of event, by name or as appointment.*')),
    'Kinds of events, such as patient.updated or appointment.*; empty for all',
  ),
  dialect: clearable(z.enum(EVENT_DIALECTS), 'API whose field names `changed` uses: integration, practice or mobile'),
  ed25519: field(z.boolean(), 'Whether to sign with Ed25519 as well'),
  active: active('Whether events are delivered'),
});

const endpointDeps = ({ services: { keyring, accepts, mostEndpoints } }: Work) => ({ keyring, accepts, most: mostEndpoints });

export const endpointKind = kind({
  name: 'webhookEndpoints',
  one: 'webhook endpoint',
  names: ['url'],
  shape: ENDPOINT,
  whole: ENDPOINT.required({ url: true }),
  async read({ tx, services: { keyring } }) {
    const { items } = await listEndpoints(tx, { keyring, page: ALL });
    const own = items.filter(({ clientId }) => clientId === null);
    return own.map((row) => toStored(ENDPOINT, row, { types: row.eventNames, ed25519: row.publicKey !== null }));
  },
  async create(work, { url, description = null, dialect = null, types = [], ed25519 = false, active: isActive = true }) {
    const input = { url, description, dialect, eventNames: types, asymmetric: ed25519, active: isActive };
    const { endpoint, secret } = await createEndpoint(work.tx, endpointDeps(work), input);
    return { id: endpoint.id, secret: `secret ${secret}` };
  },
  change: (work, id, { types: eventNames, ed25519: asymmetric, ...fields }) =>
    updateEndpoint(work.tx, endpointDeps(work), { id, changes: { ...fields, eventNames, asymmetric } }),
  remove: ({ tx }, id) => deleteEndpoint(tx, id),
});

const domain = () => form(readDomain, 'must be a domain such as clinic.example');
const PROVIDER = z.strictObject({
  issuer: field(text(500), 'Issuer address of the provider, exactly as in its ID tokens'),
  clientId: field(text(200), 'Id under which the provider knows this server'),
  clientSecretFile: field(text(1_000), 'File with the client secret, next to this file'),
  scopes: field(z.array(text(100)), 'Scopes to request'),
  groupsClaim: field(text(200), 'Claim with the groups of a user; dots separate nested names'),
  groupRoles: field(
    z.array(z.strictObject({ group: text(200), role: z.enum(['admin', 'provider', 'staff']) })),
    'Role of the members of each group; if set, people in none of these groups cannot sign in',
  ),
  emailDomains: field(z.array(domain()), 'Mail domains of its users'),
  provenDomains: field(z.array(domain()), 'Mail domains that count as proven without a DNS record'),
  justInTime: field(z.boolean(), 'Whether users are created when they first sign in'),
  enabled: field(z.boolean(), 'Whether people may sign in with it'),
});
type Provider = z.output<typeof PROVIDER>;

export const identityProviderKind = kind({
  name: 'identityProvider',
  one: 'identity provider',
  single: true,
  names: [],
  unordered: ['groupRoles', 'emailDomains', 'provenDomains'],
  shape: PROVIDER,
  whole: PROVIDER.required({ issuer: true, clientId: true }),
  async read({ tx, services: { keyring } }) {
    const provider = await orNull(findIdentityProvider(tx));
    if (!provider) return [];
    const domains = await listClaimedDomains(tx, keyring, provider.emailDomains);
    const groupRoles = Object.entries(provider.roles).map(([group, role]) => ({ group, role }));
    const provenDomains = domains.flatMap((one) => (one.isProven ? [one.domain] : []));
    return [toStored(PROVIDER, { ...provider, id: tx.organizationId }, { groupRoles, provenDomains })];
  },
  comparable,
  create: async (work, item) => {
    await setProvider(work, item);
    return { id: work.tx.organizationId };
  },
  change: (work, _id, changes) => setProvider(work, changes),
  remove: ({ tx }) => removeIdentityProvider(tx),
});

const orNull = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not_found') return null;
    throw error;
  });

/** A secret that is stored already is no change, and a proof is never taken back. */
async function comparable({ tx, folder, services: { keyring } }: Reading, fields: Fields): Promise<Fields> {
  const { clientSecretFile, provenDomains, ...others } = fields;
  const settings = await orNull(readProviderSettings(tx, keyring));
  const isNew = typeof clientSecretFile === 'string' && settings?.clientSecret !== (await secretIn(folder, clientSecretFile));
  const proven = settings ? await tx.prisma.mailDomain.findMany({ where: tx.practice, select: { domain: true } }) : [];
  const all = Array.isArray(provenDomains) ? { provenDomains: [...new Set([...proven.map((one) => one.domain), ...provenDomains])] } : {};
  return { ...others, ...all, ...(isNew ? { clientSecretFile } : {}) };
}

async function secretIn(folder: string, file: string): Promise<string> {
  const content = await readFile(resolve(folder, file), 'utf8').catch(() => {
    throw invalid('clientSecretFile', 'is not a readable file');
  });
  return content.trim();
}

async function setProvider({ tx, folder, services: { keyring, accepts } }: Work, item: Provider): Promise<void> {
  const { clientSecretFile: file, groupRoles, provenDomains = [], ...settings } = item;
  const roles = groupRoles && { roles: Object.fromEntries(groupRoles.map(({ group, role }) => [group, role])) };
  const secret = file === undefined ? {} : { clientSecret: await secretIn(folder, file) };
  await setIdentityProvider(tx, { ...settings, ...roles, ...secret }, { keyring, accepts });
  for (const one of provenDomains) await proveByWord(tx, one);
}

const within = ([least, most]: readonly [number, number]) => whole(least, most);
const security = (rule: keyof typeof SECURITY_POLICY_LIMITS) => within(SECURITY_POLICY_LIMITS[rule]);
const kept = (rule: keyof typeof RETENTION_LIMITS) => within(RETENTION_LIMITS[rule]);
const POLICIES = z.strictObject({
  secondFactor: field(z.enum(SECOND_FACTOR_POLICIES), 'Users who must use a second factor'),
  passwordSignIn: field(z.boolean(), 'Whether people may sign in with a password; false: only with single sign-on'),
  sessionLifeHours: field(security('sessionLifeHours'), 'Hours after which a session ends, however much it is used'),
  sessionIdleMinutes: clearable(security('sessionIdleMinutes'), 'Minutes without a request after which a session ends; null: 30 days'),
  clientSecretDays: clearable(security('clientSecretDays'), 'Days for which a new secret of an API client is valid; null: without end'),
  eventDays: field(security('eventDays'), 'Days for which events are kept'),
  messagingServiceSid: clearable(
    text(34).regex(MESSAGING_SERVICE_SID, 'must be MG and 32 hexadecimal digits'),
    'Messaging service at the carrier for bought numbers; null for that of the server',
  ),
  draftDays: clearable(kept('draftDays'), 'Days for which uploaded files are kept that no record names; null for no limit'),
  mediaDays: clearable(kept('mediaDays'), 'Days for which pictures, recordings and files of messages are kept; null for no limit'),
  textDays: clearable(kept('textDays'), 'Days for which texts and mails are kept; null for no limit'),
  erasure: field(z.boolean(), 'Whether an operator may erase a person (patients erase)'),
  chartYears: field(kept('chartYears'), 'Years after the last visit before a chart can be erased'),
  auditYears: field(kept('auditYears'), 'Years for which the archive of the audit is kept'),
});

export const policyKind = kind({
  name: 'policies',
  one: 'policies',
  single: true,
  names: [],
  shape: POLICIES,
  whole: POLICIES,
  async read({ tx }) {
    return [toStored(POLICIES, { id: tx.organizationId, ...(await readSecurityPolicy(tx)), ...(await readRetentionPolicy(tx)) })];
  },
  async create(work, item) {
    await setPolicies(work, item);
    return { id: work.tx.organizationId };
  },
  change: (work, _id, changes) => setPolicies(work, changes),
});

async function setPolicies({ tx }: Work, item: z.output<typeof POLICIES>): Promise<void> {
  const { draftDays, mediaDays, textDays, erasure, chartYears, auditYears, ...rules } = item;
  await changeSecurityPolicy(tx, rules);
  await changeRetentionPolicy(tx, { draftDays, mediaDays, textDays, erasure, chartYears, auditYears });
}
