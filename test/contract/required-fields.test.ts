import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { clientToken } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { type Answered, call } from './calls.ts';
import { clientClaims, good, openForge, userClaims } from './forge.ts';
import { plausibleRequests } from './plausible.ts';
import { isOfUsers, listRoutes, writeRoute } from './routes.ts';

const OURS = { id: 1_999_999_993, guid: randomUUID(), practiceId: 1_999_999_993 };

const test = await sharedTestApp();
const routes = listRoutes(test);

const body = z.object({ $ref: z.string().default(''), required: z.array(z.string()).default([]) });
const document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        requestBody: z.object({ content: z.record(z.string(), z.object({ schema: body })) }).optional(),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), body) }),
});

/** The fields that the committed documents require in the body of each operation, by API and operationId. */
const REQUIRED = new Map(
  ['integration', 'practice', 'mobile', 'platform'].flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'openapi', `${name}.json`), 'utf8');
    const { paths, components } = document.parse(JSON.parse(text));
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    return operations.flatMap(({ operationId, requestBody }): [string, string[]][] =>
      Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
        const { required } = components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? schema;
        return type === 'multipart/form-data' ? [] : [[`${name} ${operationId}`, required]];
      }),
    );
  }),
);

const errors = z.object({
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).default([]),
  missingfields: z.array(z.string()).default([]),
  message: z.string().default(''),
});

/** The fields that a response names as missing, before it looks up any record. */
function missingIn(answer: Answered): string[] {
  const { errors: problems, missingfields, message } = errors.parse(answer.body ?? {});
  const pointed = problems.flatMap(({ pointer, detail }) => (detail === 'is missing' ? [pointer.slice(1)] : []));
  const told = message.split('; ').flatMap((one) => /^(\w+): is missing$/.exec(one)?.[1] ?? []);
  return [...pointed, ...missingfields, ...told];
}

it('a body without fields is refused by the name of each that its document requires, and of no other', async () => {
  await createOrganization(test.database.prisma, { id: OURS.id });
  await createUser(test.database.prisma, { organizationId: OURS.id, id: OURS.id, type: 'admin' });
  const { clientId } = await clientToken(test, [...CLIENT_SCOPES], [OURS.id]);
  const forge = await openForge(test);
  const client = good(forge, clientClaims(clientId, CLIENT_SCOPES));
  const user = good(forge, await userClaims(test, OURS.id, OURS.id));
  const found: Record<string, string[]> = {};
  const documented: Record<string, string[]> = {};
  for (const route of routes) {
    const required = REQUIRED.get(`${route.dialect} ${route.schema.operationId}`);
    const [request] = plausibleRequests(route, OURS);
    // Signing out ends the session, and needs no field. What may come in the query or the form, or under either of two names,
    // no document can require.
    if (
      !required ||
      !request ||
      [
        'logout',
        'refreshToken',
        'cancelAppointment',
        'confirmAppointment',
        'rescheduleAppointment',
        'bookAppointment',
        'freezeAppointment',
        'createWaitlistEntry',
      ].includes(route.schema.operationId ?? '')
    )
      continue;
    const answer = await call(test, route, { ...request, body: {} }, `Bearer ${isOfUsers(route.dialect) ? user : client}`);
    expect(answer.status, writeRoute(route)).not.toBe(401);
    documented[writeRoute(route)] = required.toSorted();
    found[writeRoute(route)] = missingIn(answer).toSorted();
  }
  expect(found).toEqual(documented);
  expect(Object.keys(found).length).toBeGreaterThan(30);
});
