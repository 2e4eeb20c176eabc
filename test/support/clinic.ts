import { z } from 'zod';
import { openDatabase } from '../../src/database/database.ts';
import type { ClientScope } from '../../src/domain/identity/clients/client-scopes.ts';
import { createClient } from '../../src/domain/identity/clients/clients.ts';
import { createOrganization } from './factories.ts';

const tokenAnswer = z.object({ access_token: z.string() });

/** An answer of a single record, with its body also as it came. */
export interface ClinicAnswer {
  status: number;
  /** Whether it is the stored response of an earlier request with the same key. */
  replayed: boolean;
  text: string;
  body: { data: { uuid: number; [field: string]: unknown } };
}

/** An integration app of a new organization, that calls a server in another process. */
export interface Clinic {
  organizationId: number;
  get(path: string): Promise<ClinicAnswer>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<ClinicAnswer>;
  put(path: string, body: object): Promise<ClinicAnswer>;
  /** The same client and token, at the address of another start. */
  at(address: string): Clinic;
}

/** Makes an organization and a client straight in the database, and gets a token from the server. */
export async function foundClient(
  address: string,
  databaseUrl: string,
  scopes: ClientScope[],
): Promise<{ organizationId: number; token: string }> {
  const { prisma, close } = openDatabase({ url: databaseUrl, poolSize: 2 });
  try {
    const organization = await createOrganization(prisma);
    const client = await createClient(prisma, { name: 'Test client', scopes, organizationIds: [organization.id] });
    const answer = await fetch(`${address}/oauth2/v1/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret }),
    });
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
    return { organizationId: organization.id, token: tokenAnswer.parse(await answer.json()).access_token };
  } finally {
    await close();
  }
}

/** An integration app of a new organization. */
export async function foundClinic(address: string, databaseUrl: string): Promise<Clinic> {
  const { organizationId, token } = await foundClient(address, databaseUrl, ['integration.read', 'integration.write']);
  return clinicAt(address, token, organizationId);
}

/** The integration app of an organization that has this token. */
export function clinicAt(address: string, token: string, organizationId: number): Clinic {
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<ClinicAnswer> => {
    const answer = await fetch(`${address}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    return { status: answer.status, replayed: answer.headers.get('idempotent-replayed') === 'true', text, body: JSON.parse(text) };
  };
  return {
    organizationId,
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body) => call('PUT', path, body),
    at: (other) => clinicAt(other, token, organizationId),
  };
}
