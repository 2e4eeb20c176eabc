import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import type { TestApp } from '../support/app.ts';
import { createApiClient, createOrganization, createUser } from '../support/factories.ts';

export const INTEGRATION = ['integration.read', 'integration.write'];

/** A client of one organization, and its credentials in both formats. */
export async function newClient(test: TestApp, scopes: string[] = INTEGRATION) {
  const { id } = await createOrganization(test.database.prisma);
  const client = await createApiClient(test.database.prisma, { name: 'Story client', scopes, organizationIds: [id] });
  const inBody = { client_id: client.clientId, client_secret: client.clientSecret };
  return { ...client, organizationId: id, inBody, basic: basic(client.clientId, client.clientSecret) };
}

export const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** Asks for a token, with credentials in the form unless a header is given. */
export function askToken({ address }: TestApp, form: Record<string, string>, authorization?: string, path = '/oauth2/v1/token') {
  const request = supertest(address).post(path).type('form');
  return (authorization ? request.set('authorization', authorization) : request).send(form);
}

/** The token of a client, got at the token endpoint. */
export async function createToken(test: TestApp, client: { basic: string }): Promise<string> {
  const answer = await askToken(test, { grant_type: 'client_credentials' }, client.basic);
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`);
  return String(answer.body.access_token);
}

/** Uses a token at an operation that takes those of users and of integration clients. */
export const use = ({ address }: TestApp, token: string) =>
  supertest(address).get('/api/appointments/types').set('authorization', `Bearer ${token}`);

/** The status of a request with a token: 200 for a valid one. */
export const readStatus = async (test: TestApp, token: string): Promise<number> => (await use(test, token)).status;

/** Milliseconds until a token is refused. Fails after three seconds, which leaves a slow machine two. */
export async function refusedAfter(test: TestApp, token: string): Promise<number> {
  const begun = performance.now();
  while (performance.now() - begun < 3_000) {
    if ((await readStatus(test, token)) === 401) return performance.now() - begun;
    await sleep(25);
  }
  throw new Error('the token is still good after three seconds');
}

/** A user who can sign in. */
export async function newUser(test: TestApp, type: 'admin' | 'provider' | 'staff' | 'interface' = 'staff') {
  const organization = await createOrganization(test.database.prisma);
  return createUser(test.database.prisma, { organizationId: organization.id, type });
}

/** Tries to sign in, from an address that the server believes when TRUST_PROXY says so. */
export function signIn({ address }: TestApp, email: string, password: string, from?: string) {
  const request = supertest(address).post('/login');
  return (from ? request.set('x-forwarded-for', from) : request).send({ email, password });
}

/** Signs in, and answers the pair. */
export async function signedIn(test: TestApp, user: { email: string; password: string }): Promise<Pair> {
  const answer = await signIn(test, user.email, user.password);
  if (answer.status !== 200) throw new Error(`no sign-in: ${answer.status} ${answer.text}`);
  return toPair(answer);
}

export interface Pair {
  access: string;
  refresh: string;
}

export const toPair = ({ body }: supertest.Response): Pair => ({
  access: String(body.data.access_token),
  refresh: String(body.data.refresh_token),
});

export const refresh = ({ address }: TestApp, token: string) => supertest(address).post('/refresh').send({ token });

export const signOut = ({ address }: TestApp, access: string) =>
  supertest(address).post('/logout').set('authorization', `Bearer ${access}`);

/** The claims of a JWT, unverified. */
export function decoded(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const part = (index: number) => JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString('utf8'));
  return { header: part(0), claims: part(1) };
}

/** Does one thing after the other, and answers what came of each. */
export async function oneByOne<T, R>(items: readonly T[], act: (item: T) => PromiseLike<R>): Promise<R[]> {
  const answers: R[] = [];
  for (const item of items) answers.push(await act(item));
  return answers;
}
