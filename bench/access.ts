import { generateKeyPairSync, sign } from 'node:crypto';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { openDatabase } from '../src/database.ts';
import { createClient } from '../src/domain/identity/clients.ts';
import { hashSecret, newSecret } from '../src/domain/identity/secrets.ts';

/** Who asks: a client of the practice API, or a person who signed in. */
export type Asker = 'client' | 'user';

/** The user of the bench: the first provider of the first practice. */
export const USER_ID = 1;
const EMAIL = `user${USER_ID}@practice1.example`;

/** A new client for this run, and a new password for the user: what an earlier run had is not kept anywhere. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
  password: string;
}

export async function makeCredentials(url: string): Promise<Credentials> {
  const { prisma, close } = openDatabase({ url, poolSize: 2 });
  try {
    const password = newSecret();
    const passwordHash = await hashSecret(password);
    const row = { organizationId: 1, userId: USER_ID, passwordHash };
    await prisma.signIn.upsert({ where: { email: EMAIL }, create: { email: EMAIL, ...row }, update: row });
    const { clientId, clientSecret } = await createClient(prisma, {
      name: 'Benchmark',
      scopes: ['practice.read', 'practice.write'],
      organizationIds: [1],
    });
    return { clientId, clientSecret, password };
  } finally {
    await close();
  }
}

const tokenAnswer = z.object({ access_token: z.string() });
const loginAnswer = z.object({ data: z.object({ access_token: z.string() }) });

/** A token of our server, got as any client gets one. A user's lasts fifteen minutes, so each workload gets its own. */
export async function ourToken(address: string, asker: Asker, credentials: Credentials): Promise<string> {
  if (asker === 'user') {
    const answer = await fetch(`${address}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: EMAIL, password: credentials.password }),
    });
    return loginAnswer.parse(await answer.json()).data.access_token;
  }
  const { clientId, clientSecret } = credentials;
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
  const answer = await fetch(`${address}/oauth2/v1/token`, { method: 'POST', body: form });
  return tokenAnswer.parse(await answer.json()).access_token;
}

/** The floor's own keys: tokens of the same kind and length, made here. */
export function floorKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    token(): string {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const now = Math.floor(Date.now() / 1000);
      const signed = `${part({ alg: 'EdDSA', typ: 'JWT', kid: 'floor' })}.${part({ org: 1, sub: USER_ID, iat: now, exp: now + 86_400 })}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

/** The master keys under which the bench's database keeps its secrets, as MASTER_KEYS; made once, kept in its folder. */
export function masterKeys(folder: string): string {
  const { MASTER_KEYS } = readConfig({ DATA_DIR: folder });
  return MASTER_KEYS.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
}
