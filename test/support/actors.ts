import supertest from 'supertest';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import type { Served } from './app.ts';
import { createApiClient, createOrganization, createUser } from './factories.ts';
import { keepConnection } from './keep-connection.ts';

type Method = 'get' | 'post' | 'put' | 'delete';

/** Someone who calls with a token: `clinic.post('/patients').send({…})`, under a path that is theirs. */
export type Actor = Record<Method, (path: string) => supertest.Test> & { token: string; organizationId: number };

export function actorWith({ address }: Served, token: string, organizationId: number, prefix = ''): Actor {
  const call = (method: Method) => (path: string) =>
    supertest(address)[method](`${prefix}${path}`).set('authorization', `Bearer ${token}`).use(keepConnection);
  return { get: call('get'), post: call('post'), put: call('put'), delete: call('delete'), token, organizationId };
}

/** A token of a new API client, got at the token endpoint as clients do. */
export async function clientToken(test: Served, scopes: string[], organizationIds: number[]) {
  const client = await createApiClient(test.database.prisma, { name: 'Test client', scopes, organizationIds });
  const answer = await test.http
    .post('/oauth2/v1/token')
    .type('form')
    .auth(client.clientId, client.clientSecret)
    .send({ grant_type: 'client_credentials' });
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`);
  return { ...client, token: String(answer.body.access_token) };
}

interface ActorOptions {
  /** An organization that stands; else a new one. */
  organizationId?: number;
  /** Fields of the new organization that differ from the default. */
  organization?: Partial<Prisma.OrganizationUncheckedCreateInput>;
  scopes?: string[];
}

/** An integration app of an organization; its paths are under /api. */
export async function integrationClient(
  test: Served,
  { organizationId, organization, scopes = ['integration.read', 'integration.write'] }: ActorOptions = {},
) {
  const id = organizationId ?? (await createOrganization(test.database.prisma, organization)).id;
  const { token, clientId, clientSecret } = await clientToken(test, scopes, [id]);
  return { ...actorWith(test, token, id, '/api'), clientId, clientSecret };
}

/** A practice system of an organization; its paths are under /v1/{practiceid}. */
export async function practiceClient(
  test: Served,
  { organizationId, organization, scopes = ['practice.read', 'practice.write'] }: ActorOptions = {},
) {
  const id = organizationId ?? (await createOrganization(test.database.prisma, organization)).id;
  const { token, clientId, clientSecret } = await clientToken(test, scopes, [id]);
  return { ...actorWith(test, token, id, `/v1/${id}`), clientId, clientSecret };
}

/** Someone who signed in. */
export async function signedInUser(
  test: Served,
  {
    organizationId,
    organization,
    type = 'staff',
    user: fields = {},
  }: ActorOptions & { type?: 'admin' | 'provider' | 'staff'; user?: Partial<Prisma.UserUncheckedCreateInput> } = {},
) {
  const id = organizationId ?? (await createOrganization(test.database.prisma, organization)).id;
  const { user, email, password } = await createUser(test.database.prisma, { ...fields, organizationId: id, type });
  const answer = await test.http.post('/login').send({ email, password });
  if (answer.status !== 200) throw new Error(`no sign-in: ${answer.status} ${answer.text}`);
  return {
    ...actorWith(test, answer.body.data.access_token, id),
    refreshToken: String(answer.body.data.refresh_token),
    user,
    email,
    password,
  };
}
