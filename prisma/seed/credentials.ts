import type { Db } from '../../src/database/database.ts';
import { createApp } from '../../src/domain/identity/clients/clients.ts';
import type { PracticePlan } from './plan.ts';
import type { Tenancy } from './tenancy.ts';

/** One element of `practices` in demo.json. */
export interface DemoPractice {
  practiceid: number;
  name: string;
  users: { role: 'admin' | 'provider' | 'staff'; email: string; password: string }[];
  clients: { api: 'integration' | 'practice'; client_id: string; client_secret: string; scope: string }[];
  /** To which its users sign in with their browser; it listens on any port of this computer. */
  app?: { client_id: string; redirect_uri: string };
}

export interface CredentialOptions {
  /** The stored hash of a password or client secret. */
  hash: (secret: string) => Promise<string>;
  randomSecret: () => string;
}

/** A practice's sign-ins and clients before they are stored, each with its hash. */
export interface Credentials {
  users: (DemoPractice['users'][number] & { hash: string })[];
  clients: (DemoPractice['clients'][number] & { hash: string; scopes: string[] })[];
}

const ROLES = ['admin', 'provider', 'staff'] as const;
const CLIENTS = [
  {
    api: 'integration',
    name: 'Demo integration app',
    scopes: ['integration.read', 'integration.write', 'readings.write', 'events.read', 'webhooks.write'],
  },
  { api: 'practice', name: 'Demo practice app', scopes: ['practice.read', 'practice.write', 'ssn.read'] },
] as const;

/** Makes a practice's secrets. Hashing is slow on purpose, so it happens before the transaction, all at the same time. */
export async function makeCredentials({ key, domain }: PracticePlan, { hash, randomSecret }: CredentialOptions): Promise<Credentials> {
  const secret = async () => {
    const plain = randomSecret();
    return { plain, hash: await hash(plain) };
  };
  const [users, clients] = await Promise.all([
    Promise.all(
      ROLES.map(async (role) => {
        const { plain, hash } = await secret();
        return { role, email: `${role}@${domain}`, password: plain, hash };
      }),
    ),
    Promise.all(
      CLIENTS.map(async ({ api, scopes }) => {
        const { plain, hash } = await secret();
        return { api, client_id: `${key}-${api}`, client_secret: plain, scope: scopes.join(' '), scopes: [...scopes], hash };
      }),
    ),
  ]);
  return { users, clients };
}

/** An app of the practice. */
export async function seedApp(tx: Db, { practiceid, name }: DemoPractice): Promise<NonNullable<DemoPractice['app']>> {
  const redirect_uri = 'http://127.0.0.1/callback';
  const input = { name: `Demo app of ${name}`, organizationIds: [practiceid], redirectUris: [redirect_uri] };
  return { client_id: (await createApp(tx, input)).clientId, redirect_uri };
}

/** Stores them, and answers what demo.json shows of the practice. */
export async function seedCredentials(tx: Db, tenancy: Tenancy, { users, clients }: Credentials): Promise<DemoPractice> {
  const { organizationId, practice, admin, staff, clinicians, interfaces } = tenancy;
  const holders = { admin: admin.id, provider: clinicians[0]?.userId, staff: staff[0]?.id };
  for (const { role, email, hash } of users) {
    const userId = holders[role];
    if (userId) await tx.signIn.updateMany({ where: { email, organizationId, userId }, data: { passwordHash: hash } });
  }
  await tx.apiClient.createMany({
    data: clients.map(({ api, client_id, scopes }) => ({
      id: client_id,
      name: `${CLIENTS.find((client) => client.api === api)?.name} of ${practice.name}`,
      scopes,
    })),
  });
  await tx.apiClientSecret.createMany({ data: clients.map(({ client_id, hash }) => ({ clientId: client_id, hash })) });
  await tx.apiClientGrant.createMany({
    data: clients.flatMap(({ client_id }, index) => {
      const user = interfaces[index];
      return user ? [{ organizationId, clientId: client_id, userId: user.id }] : [];
    }),
  });
  return {
    practiceid: organizationId,
    name: practice.name,
    users: users.map(({ role, email, password }) => ({ role, email, password })),
    clients: clients.map(({ api, client_id, client_secret, scope }) => ({ api, client_id, client_secret, scope })),
  };
}
