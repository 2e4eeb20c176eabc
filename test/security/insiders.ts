import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { type Answered, call } from '../contract/calls.ts';
import { clientClaims, good, openForge, userClaims } from '../contract/forge.ts';
import { type Ids, type Plausible, plausibleRequests } from '../contract/plausible.ts';
import { isOfUsers, type Route } from '../contract/routes.ts';
import { type Furnished, openFurnished } from '../contract/tenant.ts';
import { clientToken } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { createOrganization, createUser, subscribeToChanges } from '../support/factories.ts';

/** A practice with a row of everything, and someone who may do everything in it. */
export interface Insider {
  ids: Ids;
  furnished: Furnished;
  ask(route: Route, request: Plausible): Promise<Answered>;
}

/** Makes a practice whose rows all have one id. @param data of the practice beyond its id */
export async function openInsider(test: TestApp, ids: Omit<Ids, 'practiceId'>, data: object = {}): Promise<Insider> {
  const organizationId = ids.id;
  await createOrganization(test.database.prisma, { id: organizationId, ...data });
  await createUser(test.database.prisma, { organizationId, id: ids.id, type: 'admin' });
  const { clientId } = await clientToken(test, [...CLIENT_SCOPES], [organizationId]);
  await subscribeToChanges(test.database.prisma, { organizationId, clientId });
  const forge = await openForge(test);
  const all = { ...ids, practiceId: organizationId };
  return {
    ids: all,
    // A number has one holder among all practices.
    furnished: await openFurnished(test.databaseUrl, organizationId, all, {
      id: ids.id,
      values: {
        'phone_number.number': `'+1910${String(ids.id).slice(-7)}'`,
        'held_number.number': `'+1911${String(ids.id).slice(-7)}'`,
      },
    }),
    async ask(route, request) {
      // A session of its own for each request: some operations end it.
      const claims = isOfUsers(route.dialect) ? await userClaims(test, organizationId, ids.id) : clientClaims(clientId, CLIENT_SCOPES);
      return call(test, route, request, `Bearer ${good(forge, claims)}`);
    },
  };
}

/** Operations about oneself alone, with a proof that is good once, or that end the session. */
const OWN_PROOF = ['/logout', '/user/step-up', '/user/second-factors/passkeys', '/user/second-factors/authenticator-app'];

/** The operations of a server that need a token and are about records. */
export const recordRoutes = (routes: Route[]): Route[] =>
  routes.filter(({ config, url, method }) => config.protected && !OWN_PROOF.includes(url) && method !== 'HEAD');

/** The plausible request of a route with the most fields that is accepted, or null. Every row is as it was before each try. */
export async function acceptedRequest({ ids, furnished, ask }: Insider, route: Route): Promise<Plausible | null> {
  for (const request of plausibleRequests(route, ids).reverse()) {
    await furnished.furnish();
    const { status } = await ask(route, request);
    if (status < 400 || [409, 410, 422].includes(status)) return request;
  }
  return null;
}
