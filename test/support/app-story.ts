import { createHash, randomBytes } from 'node:crypto';
import type { AppScope } from '../../src/domain/identity/clients/client-scopes.ts';
import { createApp } from '../../src/domain/identity/clients/clients.ts';
import { askToken, newUser } from '../identity/support.ts';
import { actorWith } from './actors.ts';
import type { TestApp } from './app.ts';
import { staffPages } from './staff-pages.ts';

export const REDIRECT = 'https://rounds.example.com/signed-in?from=triptych';

interface Given {
  type?: 'admin' | 'provider' | 'staff';
  /** Of the app; `mobile` where they are left out. */
  scopes?: AppScope[];
  redirectUris?: string[];
}

/** An app, a person of its practice who is signed in at the pages, and a request of the app with its verifier. */
export async function appStory(test: TestApp, { type = 'provider', scopes, redirectUris = [REDIRECT] }: Given = {}) {
  const person = await newUser(test, type);
  const { organizationId } = person.user;
  const input = { name: 'Rounds <b>', organizationIds: [organizationId], redirectUris, ...(scopes ? { scopes } : {}) };
  const app = await createApp(test.database.prisma, input);
  const verifier = randomBytes(32).toString('base64url');
  const request: Record<string, string> = {
    client_id: app.clientId,
    redirect_uri: redirectUris[0] ?? '',
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state & more',
  };
  return { person, organizationId, clientId: app.clientId, verifier, request, browser: await staffPages(test).browse(person) };
}

export type AppStory = Awaited<ReturnType<typeof appStory>>;

/** The way of the person through the page where they let the app act for them. */
export function appSteps(test: TestApp) {
  const pages = staffPages(test);
  const open = (request: Record<string, string>, headers: Record<string, string> = {}) =>
    pages.http
      .get(`/oauth2/v1/authorize?${new URLSearchParams(request)}`)
      .set(headers)
      .redirects(0);

  const decide = async ({ request, browser }: AppStory, decision = 'continue') => {
    const { headers } = await pages.send('/oauth2/v1/authorize', { ...request, decision }, browser).expect(303);
    return new URL(String(headers.location), test.address);
  };

  const exchange = ({ clientId, verifier, request }: AppStory, code: string | null, differently: Record<string, string> = {}) =>
    askToken(test, {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: code ?? '',
      redirect_uri: request.redirect_uri ?? '',
      code_verifier: verifier,
      ...differently,
    });

  return {
    pages,
    open,
    decide,
    exchange,
    /** The person agrees to a request with these parameters, and the app calls as they. */
    async signIn(story: AppStory, parameters: Record<string, string> = {}) {
      const asked = { ...story, request: { ...story.request, ...parameters } };
      const { body } = await exchange(story, (await decide(asked)).searchParams.get('code'));
      return actorWith(test, String(body.access_token), story.organizationId);
    },
  };
}
