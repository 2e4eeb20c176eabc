import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import { decryptIn, ENCRYPTED, encryptIn, type RowOfValue } from '../../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { ProviderSettings } from '../../../gateways/openid/openid-connect.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, Role } from '../../caller.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { inPractice, type PracticeTx, type Tx } from '../../tx.ts';
import { changesTo, type Given } from '../../values/changed-fields.ts';
import { isPracticeOpen } from '../accounts.ts';
import { lockProvider } from '../policies/proven-provider.ts';
import { readSecurityPolicy } from '../policies/security-policy.ts';
import { requireOwnDomains, requireRoles } from './identity-provider-rules.ts';
import { keepProofs, proveDomains } from './mail-domains.ts';

const toRow = (organizationId: number): RowOfValue => ({ organizationId, row: organizationId });

/** The role of the members of each group of the provider. */
export type GroupRoles = Record<string, Role>;
const groupRoles = z.record(z.string(), z.enum(['admin', 'provider', 'staff']));

/** The identity provider of a practice, without its secret. */
export interface IdentityProvider {
  issuer: string;
  clientId: string;
  hasSecret: boolean;
  scopes: string[];
  /** The claim with the groups of a user; dots lead into objects. */
  groupsClaim: string;
  roles: GroupRoles;
  /** Domains of mail addresses whose owners sign in with this provider, in lower case. */
  emailDomains: string[];
  /** Whether users are made when they first sign in. */
  justInTime: boolean;
  enabled: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Absent means unchanged, or the default of a new one. */
export interface IdentityProviderInput {
  issuer?: string | undefined;
  clientId?: string | undefined;
  /** Null for a public client. */
  clientSecret?: string | null | undefined;
  scopes?: string[] | undefined;
  groupsClaim?: string | undefined;
  roles?: GroupRoles | undefined;
  emailDomains?: string[] | undefined;
  justInTime?: boolean | undefined;
  enabled?: boolean | undefined;
}

type Row = Prisma.IdentityProviderGetPayload<object>;

function toProvider({ organizationId: _organizationId, clientSecret, roles, ...row }: Row): IdentityProvider {
  return { ...row, hasSecret: clientSecret !== null, roles: groupRoles.parse(roles) };
}

const findRow = (tx: PracticeTx) => tx.prisma.identityProvider.findUnique({ where: tx.practice });

/** @throws Failure not_found where the practice has none */
export async function findIdentityProvider(tx: PracticeTx): Promise<IdentityProvider> {
  const row = await findRow(tx);
  if (!row) throw notFound('identity provider');
  return toProvider(row);
}

/** The provider of a practice, and all that is needed to speak with it. */
export interface UsableProvider extends IdentityProvider {
  organizationId: number;
  settings: ProviderSettings;
}

/** The provider of a practice if its people may sign in with it; null also for a practice that is closed or does not exist. */
export async function findUsableProvider(db: Db, keyring: Keyring, organizationId: number): Promise<UsableProvider | null> {
  const practice = inPractice(db, organizationId);
  const row = await findRow(practice);
  if (!row?.enabled || !(await isPracticeOpen(practice))) return null;
  return { ...toProvider(row), organizationId, settings: toSettings(keyring, row) };
}

/** The settings with which a provider is tried, whether it is in use or not. @throws Failure not_found */
export async function readProviderSettings(tx: PracticeTx, keyring: Keyring): Promise<ProviderSettings> {
  const row = await findRow(tx);
  if (!row) throw notFound('identity provider');
  return toSettings(keyring, row);
}

function toSettings(keyring: Keyring, { organizationId, issuer, clientId, clientSecret: sealed, scopes }: Row): ProviderSettings {
  const clientSecret = sealed === null ? null : decryptIn(keyring, ENCRYPTED.providerSecret, toRow(organizationId), sealed);
  return { issuer, clientId, clientSecret, scopes };
}

interface ProviderWrite {
  keyring: Keyring;
  /** Whether requests may be sent to an address. */
  accepts(address: string): boolean;
  /** Claimed domains whose records prove them now. */
  recorded?: readonly string[];
}

/**
 * Sets the identity provider of the caller's practice, or changes the one that there is. Another issuer is another provider: users
 * are linked to it again, and it has no secret until it is given one.
 * @throws Failure invalid for settings that cannot work; conflict where nobody could sign in any more
 */
export async function setIdentityProvider(
  tx: Tx,
  { clientSecret, ...input }: IdentityProviderInput,
  { keyring, accepts, recorded = [] }: ProviderWrite,
): Promise<IdentityProvider> {
  const { organizationId } = tx;
  if (input.issuer !== undefined) requireIssuer(input.issuer, accepts);
  if (input.emailDomains !== undefined) requireOwnDomains(input.emailDomains);
  if (input.roles !== undefined) requireRoles(input.roles);
  await lockProvider(tx);
  const row = await findRow(tx);
  const changes = changesTo(row ? toProvider(row) : {}, input);
  // The secret is between this server and one issuer: another one must not get it.
  const secret = clientSecret === undefined && changes.issuer !== undefined ? null : clientSecret;
  const sealed = secretChange(keyring, tx, row, secret);
  const changed = [...Object.keys(changes), ...(sealed === undefined ? [] : ['clientSecret'])];
  if (row && changed.length === 0) {
    await proveDomains(tx, recorded, 'DNS');
    return toProvider(row);
  }
  if (row && (changes.enabled === false || changes.issuer !== undefined)) await requireOtherWayIn(tx);
  const saved = await save(tx.prisma, row, organizationId, { ...changes, ...(sealed === undefined ? {} : { clientSecret: sealed }) });
  recordChange(tx, 'administer', { name: 'identity_provider.changed', id: organizationId, changed });
  if (changes.emailDomains !== undefined) await keepProofs(tx, saved.emailDomains);
  await proveDomains(tx, recorded, 'DNS');
  return toProvider(saved);
}

async function save(db: Db, row: Row | null, organizationId: number, changes: Given<IdentityProviderInput>): Promise<Row> {
  if (row) return db.identityProvider.update({ where: { organizationId }, data: changes });
  const { issuer, clientId, scopes = ['openid', 'profile', 'email'], emailDomains = [], ...rest } = changes;
  if (issuer === undefined) throw invalid('issuer', 'is needed', 'missing');
  if (clientId === undefined) throw invalid('clientId', 'is needed', 'missing');
  return db.identityProvider.create({ data: { organizationId, issuer, clientId, scopes, emailDomains, ...rest } });
}

/** @returns undefined where the secret stays as it is */
function secretChange(keyring: Keyring, { organizationId }: Caller, row: Row | null, secret: string | null | undefined) {
  if (secret === undefined) return undefined;
  if (secret === null) return row?.clientSecret ? null : undefined;
  return encryptIn(keyring, ENCRYPTED.providerSecret, toRow(organizationId), secret);
}

function requireIssuer(issuer: string, accepts: ProviderWrite['accepts']): void {
  const url = URL.parse(issuer);
  if (url?.search !== '' || url.hash !== '' || !accepts(issuer))
    throw invalid('issuer', 'must be the public https address of the provider, without ? and #', 'not_public');
}

/** Removes the provider of the caller's practice, and whom it knows. Sessions go on. @throws Failure not_found, conflict */
export async function removeIdentityProvider(tx: Tx): Promise<void> {
  const { organizationId } = tx;
  await lockProvider(tx);
  await requireOtherWayIn(tx);
  const { count } = await tx.prisma.identityProvider.deleteMany({ where: { organizationId } });
  if (count === 0) throw notFound('identity provider');
  await tx.prisma.externalIdentity.deleteMany({ where: { organizationId } });
  recordChange(tx, 'administer', { name: 'identity_provider.removed', id: organizationId });
}

/** @throws Failure conflict where single sign-on is the only way in */
async function requireOtherWayIn(tx: PracticeTx): Promise<void> {
  if ((await readSecurityPolicy(tx)).passwordSignIn) return;
  throw conflict('only_way_in', 'People of the practice can sign in only with this provider. Allow passwords first.');
}
