import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { setIdentityProvider } from '../../src/domain/identity/single-sign-on/identity-providers.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createOrganization } from '../support/factories.ts';
import { OIDC_SECRET, startOidcProvider } from '../support/oidc-provider.ts';
import { newDevice } from './signing-in.ts';
import { DESK } from './visiting.ts';

const browser = await sharedBrowser();
const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const { prisma } = test.database;
const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic' });
const idp = await closedAfterAll(
  startOidcProvider({
    hostname: 'localhost',
    redirectUris: [`${test.address}/sign-in/sso/callback/${organizationId}`],
    postLogoutUris: [`${test.address}/sign-in`],
    users: {
      maria: { email: 'maria@harbor.example', givenName: 'Maria', familyName: 'Chen', groups: ['clinicians'] },
      guest: { email: 'guest@harbor.example', givenName: 'Gus', familyName: 'Guest', groups: ['everybody'] },
    },
  }),
);
/** A practice whose provider does not answer. */
const { id: cutOff } = await createOrganization(prisma, { name: 'Hill Clinic' });

async function setUp(practice: number, issuer: string, domain: string): Promise<void> {
  const client = { clientId: idp.clientId, clientSecret: OIDC_SECRET };
  const people = { roles: { clinicians: 'provider' } as const, justInTime: true, emailDomains: [domain] };
  const { accepts } = test.services.gateways.guarded;
  await test.services.unitOfWork.write(operator(practice, 'test'), (tx) =>
    setIdentityProvider(tx, { issuer, ...client, ...people }, { keyring: test.keyring, accepts, recorded: [domain] }),
  );
}
await setUp(organizationId, idp.issuer, 'harbor.example');
await setUp(cutOff, 'http://localhost:9', 'hill.example');

const device = (path: string, viewport = PHONE) => newDevice(browser, `${test.address}${path}`, viewport);

/** Signs in at the provider's own page. */
async function atProvider(page: Page, name: string): Promise<void> {
  await page.waitForURL(`${idp.issuer}/**`);
  await page.locator('[name=login]').fill(name);
  await page.locator('[name=password]').fill('any');
  await page.getByRole('button').first().click();
}

describe('single sign-on in a browser', () => {
  it('leads by the email to the provider and back to the page that was asked for, and signs out at both', async () => {
    const page = await device('/account');
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await picture(page, 'sso-email');
    await page.getByLabel('Work email').fill('maria@elsewhere.example');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.field', { hasText: 'No practice uses single sign-on' }).getByLabel('Work email').waitFor();
    expect(await page.getByLabel('Work email').inputValue()).toBe('maria@elsewhere.example');
    await picture(page, 'sso-email-refused');
    await page.getByLabel('Work email').fill('maria@harbor.example');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Continue to' }).click();
    await atProvider(page, 'maria');
    await page.waitForURL(`${test.address}/account`);
    await page.getByText('You sign in as maria@harbor.example with single sign-on').waitFor();
    await picture(page, 'sso-account');
    await page.locator('.staff-bar').getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${idp.issuer}/**`);
    await page.getByRole('button').first().click();
    await page.waitForURL(`${test.address}/sign-in`);
    await page.goto(`${test.address}/account`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  it('tells a person whom no group lets in, and one who cancels', async () => {
    const page = await device(`/sign-in/sso?practice=${organizationId}`, DESK);
    await atProvider(page, 'guest');
    await page.getByText('None of your groups').waitFor();
    await picture(page, 'sso-refused');
    const again = await device(`/sign-in/sso?practice=${organizationId}`);
    await again.waitForURL(`${idp.issuer}/**`);
    await again.getByRole('link', { name: /cancel/i }).click();
    await again.getByText('You did not complete the sign-in').waitFor();
    await picture(again, 'sso-cancelled');
    for (const one of [page, again]) await one.context().close();
  });

  it('asks for a proof at the provider before something sensitive', async () => {
    const page = await device(`/sign-in/sso?practice=${organizationId}&to=/account`);
    await atProvider(page, 'maria');
    await page.waitForURL(`${test.address}/account`);
    const verifiedAt = new Date(Date.now() - 901_000);
    await prisma.session.updateMany({ where: { organizationId }, data: { verifiedAt } });
    await page.getByRole('link', { name: 'Add a second factor' }).click();
    await picture(page, 'sso-confirm');
    await page.getByRole('link', { name: 'Continue' }).click();
    await atProvider(page, 'maria');
    await page.getByRole('heading', { name: 'Second factors' }).waitFor();
    await page.context().close();
  });

  it('says when the provider does not answer, and how to sign in without it', async () => {
    const page = await device('/sign-in/sso');
    await page.getByLabel('Work email').fill('maria@hill.example');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'The sign-in service does not respond' }).waitFor();
    await picture(page, 'sso-unreachable');
    await page.getByRole('link', { name: 'Sign in with a password' }).click();
    await page.getByLabel('Password').waitFor();
    await page.context().close();
  });
});
