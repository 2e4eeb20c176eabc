import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/domain/identity/clients/clients.ts';
import { sharedTestApp } from '../support/app.ts';
import { picture, sharedBrowser } from '../support/browser.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { enterPassword, newDevice } from './signing-in.ts';

const browser = await sharedBrowser();
const test = await sharedTestApp();
const { prisma } = test.database;
const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic' });
/** Another site than that of the programs below, to whose requests a browser adds no strict cookie. */
const address = test.address.replace('127.0.0.1', 'localhost');

/** An app whose first page, on this computer, leads to its request, and which waits there for the person. */
async function newApp(customRedirect?: string) {
  let asks = '';
  const program = createServer((_request, reply) =>
    reply.setHeader('content-type', 'text/html').end(`<title>Rounds</title><a href="${asks}">Sign in</a>`),
  );
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
  afterAll(() => void program.close());
  const bound = program.address();
  const start = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : bound}/`;
  const redirect = customRedirect ?? `${start}cb`;
  const registered = customRedirect ?? 'http://127.0.0.1/cb';
  const { clientId } = await createApp(prisma, { name: 'Rounds', organizationIds: [organizationId], redirectUris: [registered] });
  const verifier = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirect,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state & more',
  });
  asks = `${address}/oauth2/v1/authorize?${parameters}`;
  const exchange = async (code: string | null) => {
    const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirect, code_verifier: verifier };
    return (await test.http.post('/oauth2/v1/token').type('form').send(form).expect(200)).body;
  };
  return { start, exchange };
}

const newProvider = (practice = organizationId) =>
  createUser(prisma, { organizationId: practice, type: 'provider', firstName: 'Bo', lastName: 'Ek' });

describe('signing in to an app by the browser', () => {
  it('leads from a page of the app by signing in and the question back to it, the next time by the question alone', async () => {
    const app = await newApp();
    const page = await newDevice(browser, app.start);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await enterPassword(page, await newProvider());
    await page.getByRole('heading', { name: 'Sign in to Rounds' }).waitFor();
    await picture(page, 'app-consent');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${app.start}cb?code=*`);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('state')).toBe('a state & more');
    expect(await app.exchange(searchParams.get('code'))).toMatchObject({ token_type: 'Bearer', scope: 'mobile' });
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${app.start}cb?error=access_denied*`);
    await page.context().close();
  });

  it('leads to an app that the device knows by a scheme of its own', async () => {
    const app = await newApp('com.example.app:/cb');
    const page = await newDevice(browser, app.start);
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(message.text()));
    const opened = page.waitForRequest(/^com\.example\.app:\/cb\?code=/);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await enterPassword(page, await newProvider());
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await app.exchange(new URL((await opened).url()).searchParams.get('code'))).toMatchObject({ token_type: 'Bearer' });
    expect(blocked).toEqual([]);
    await page.context().close();
  });

  it('tells somebody whose practice does not use the app, and lets somebody else sign in to it', async () => {
    const app = await newApp();
    const page = await newDevice(browser, app.start);
    const { id: elsewhere } = await createOrganization(prisma, { name: 'Hill Clinic' });
    const stranger = await newProvider(elsewhere);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await enterPassword(page, stranger);
    await page.getByText('whose practice does not use Rounds').waitFor();
    await picture(page, 'app-not-for-practice');
    await page.getByRole('link', { name: 'Back to the app' }).click();
    await page.waitForURL(`${app.start}cb?error=access_denied*`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await enterPassword(page, await newProvider());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${app.start}cb?code=*`);
    await page.context().close();
  });
});
