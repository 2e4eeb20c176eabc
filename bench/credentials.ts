import { generateKeyPairSync, sign } from 'node:crypto';
import { z } from 'zod';
import { type MasterKey, makeStoredKeys, readFolderKeys } from '../src/config/master-keys.ts';
import { openDatabase } from '../src/database/database.ts';
import { createClient } from '../src/domain/identity/clients/clients.ts';
import { hashSecret, newSecret } from '../src/domain/identity/secrets.ts';
import { TEXTING_ID, TEXTING_USER_ID } from './data/texting.ts';

/** The sender of a request: a client of the practice API, one of the integration API, a signed-in user, or one of the practice that texts. */
export type ClientKind = 'client' | 'integration' | 'user' | 'colleague';

/** The user of the bench: the first provider of the first practice. */
export const USER_ID = 1;

/** Who signs in: the first provider of the practice. */
const USERS = {
  user: { email: 'user1@practice1.example', organizationId: 1, userId: USER_ID },
  colleague: { email: `user1@practice${TEXTING_ID}.example`, organizationId: TEXTING_ID, userId: TEXTING_USER_ID },
} as const;

type Client = Awaited<ReturnType<typeof createClient>>;

/** New clients for this run, and a new password for the users: what an earlier run had is not kept anywhere. */
export interface Credentials {
  practice: Client;
  integration: Client;
  password: string;
  /** Whether the database has the practice that texts. */
  texts: boolean;
}

export async function makeCredentials(url: string): Promise<Credentials> {
  const { prisma, close } = openDatabase({ url, poolSize: 2 });
  try {
    const password = newSecret();
    const passwordHash = await hashSecret(password);
    const texts = (await prisma.organization.count({ where: { id: TEXTING_ID } })) > 0;
    for (const { email, ...user } of texts ? Object.values(USERS) : [USERS.user]) {
      const row = { ...user, passwordHash };
      await prisma.signIn.upsert({ where: { email }, create: { email, ...row }, update: row });
    }
    const client = (api: 'practice' | 'integration') =>
      createClient(prisma, { name: 'Benchmark', scopes: [`${api}.read`, `${api}.write`], organizationIds: [1] });
    return { practice: await client('practice'), integration: await client('integration'), password, texts };
  } finally {
    await close();
  }
}

const tokenResponse = z.object({ access_token: z.string() });
const loginResponse = z.object({ data: z.object({ access_token: z.string() }) });

/** Tokens of our server, got as anyone gets one. A user's lasts fifteen minutes, so each workload gets its own. */
export async function ourTokens(
  address: string,
  { practice, integration, password, texts }: Credentials,
): Promise<Record<ClientKind, string>> {
  return {
    client: await clientToken(address, practice),
    integration: await clientToken(address, integration),
    user: await userToken(address, USERS.user.email, password),
    colleague: texts ? await userToken(address, USERS.colleague.email, password) : '',
  };
}

export async function clientToken(address: string, { clientId, clientSecret }: Client): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
  const answer = await fetch(`${address}/oauth2/v1/token`, { method: 'POST', body: form });
  return tokenResponse.parse(await answer.json()).access_token;
}

async function userToken(address: string, email: string, password: string): Promise<string> {
  const answer = await fetch(`${address}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return loginResponse.parse(await answer.json()).data.access_token;
}

/** The floor's own keys: tokens of the same kind and length, made here; the floor lets anyone who has one ask for anything. */
export function floorKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    tokens(): Record<ClientKind, string> {
      const now = Math.floor(Date.now() / 1000);
      const createToken = (org: number, sub: number) => {
        const signed = `${part({ alg: 'EdDSA', typ: 'JWT', kid: 'floor' })}.${part({ org, sub, iat: now, exp: now + 86_400 })}`;
        return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
      };
      const token = createToken(1, USER_ID);
      return { client: token, integration: token, user: token, colleague: createToken(TEXTING_ID, TEXTING_USER_ID) };
    },
  };
}

/** The master keys under which the bench's database keeps its secrets; made once, kept in its folder. */
export function readMasterKeys(folder: string): MasterKey[] {
  const known = readFolderKeys(folder);
  return known.length > 0 ? known : makeStoredKeys(folder);
}

/** The same as MASTER_KEYS. */
export const masterKeys = (folder: string): string =>
  readMasterKeys(folder)
    .map(({ id, key }) => `${id}:${key.toString('base64')}`)
    .join(',');
