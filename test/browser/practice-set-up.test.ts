import { generate } from 'otplib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { picture, sharedBrowser } from '../support/browser.ts';
import { createOrganization, createPatient, createUser } from '../support/factories.ts';
import { OIDC_SECRET, startOidcProvider } from '../support/oidc-provider.ts';
import { enterPassword, mailedPath, newDevice } from './signing-in.ts';

const browser = await sharedBrowser();
const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const { prisma } = test.database;
const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic' });
const admin = await createUser(prisma, { organizationId, type: 'admin', firstName: 'Ada', lastName: 'Quinn', email: 'ada@harbor.example' });
const idp = await closedAfterAll(
  startOidcProvider({
    redirectUris: [`${test.address}/sign-in/sso/callback/${organizationId}`],
    postLogoutUris: [`${test.address}/sign-in`],
    users: {
      maria: { email: 'maria@harbor.example', givenName: 'Maria', familyName: 'Chen', groups: ['clinicians'] },
      ada: { email: 'ada@harbor.example', givenName: 'Ada', familyName: 'Quinn', groups: ['leads'] },
    },
  }),
);
const PASSWORD = 'seven quiet rivers below a lamp';
const REASON = 'Unconscious in the emergency room, allergies unknown';

const newPage = (path: string): Promise<Page> => newDevice(browser, `${test.address}${path}`);

/** A device on which somebody has signed in at the provider's own page. */
async function atProvider(name: string): Promise<Page> {
  const page = await newPage(`/sign-in/sso?practice=${organizationId}`);
  await page.locator('[name=login]').fill(name);
  await page.locator('[name=password]').fill('any');
  await page.getByRole('button').first().click();
  await page.getByRole('link', { name: 'Break-glass' }).waitFor();
  return page;
}

async function invite(
  page: Page,
  { name, role, email, isOfficer = false }: { name: string; role: string; email: string; isOfficer?: boolean },
) {
  const [first = '', last = ''] = name.split(' ');
  await page.goto(`${test.address}/administration/users`);
  await page.getByLabel('First name').fill(first);
  await page.getByLabel('Last name').fill(last);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Role').selectOption(role);
  if (isOfficer) await page.getByLabel('Privacy officer').check();
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText('The invitation was sent').waitFor();
}

/** Accepts an invitation on a device of one's own: chooses a password, signs in, and adds an authenticator app. */
async function accept(email: string): Promise<Page> {
  const page = await newPage(await mailedPath(test, email));
  await page.getByLabel('password').first().fill(PASSWORD);
  await page.getByRole('button').last().click();
  await page.getByRole('link', { name: /sign/i }).click();
  await enterPassword(page, { email, password: PASSWORD });
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  const secret = ((await page.locator('code.recovery-code').first().textContent()) ?? '').replaceAll(' ', '');
  await page.getByLabel('Code of the app').fill(await generate({ secret }));
  await page.getByRole('button', { name: 'Add the app' }).click();
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await page.getByRole('link', { name: 'Account', exact: true }).waitFor();
  return page;
}

describe('a practice that sets itself up by the pages alone, as the guide says', () => {
  it('asks everybody for a second factor, invites its people, and opens a restricted chart in an emergency', async () => {
    const page = await newPage('/administration/policies');
    await enterPassword(page, admin);
    await page.getByLabel('Second factor').selectOption('Everybody must have one');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rules were saved').waitFor();
    await invite(page, { name: 'Bo Ek', role: 'Provider', email: 'bo@harbor.example' });
    await invite(page, { name: 'Pia Roth', role: 'Staff', email: 'pia@harbor.example', isOfficer: true });
    const [bo, pia] = [await accept('bo@harbor.example'), await accept('pia@harbor.example')];

    const patient = await createPatient(prisma, { organizationId, firstName: 'Ina', lastName: 'Sealed' });
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    await bo.getByRole('link', { name: 'Break-glass' }).click();
    await bo.getByLabel('Patient id').fill(String(patient.id));
    await bo.getByLabel('Reason').fill(REASON);
    await bo.getByRole('button', { name: 'Open the chart' }).click();
    await bo.getByText('The chart is open to you').waitFor();
    await bo.getByRole('link', { name: 'Ina Sealed' }).waitFor();
    await pia.getByRole('link', { name: 'Break-glass' }).click();
    await pia.getByText(REASON).waitFor();
    expect(await pia.content()).not.toContain('Sealed');
    expect(await pia.getByRole('link', { name: 'Admin', exact: true }).count()).toBe(0);
    await picture(pia, 'break-glass-officer');
    await pia.getByRole('button', { name: 'Close now' }).click();
    await pia.getByText('closed early').waitFor();
    for (const one of [page, bo, pia]) await one.context().close();
  });

  it('connects its identity provider, tests it, and switches passwords off once the administrator has signed in with it', async () => {
    const page = await newPage('/administration/policies');
    await prisma.securityPolicy.updateMany({ where: { organizationId }, data: { secondFactor: 'optional' } });
    await enterPassword(page, admin);
    await page.getByLabel('Users may sign in with a password').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Set up single sign-on first').waitFor();
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByLabel('Issuer').fill(idp.issuer);
    await page.getByLabel('Client id').fill(idp.clientId);
    await page.getByLabel('Client secret').fill(OIDC_SECRET);
    await page.getByLabel('Email domains').fill('harbor.example');
    await page.getByLabel('Roles of groups').fill('clinicians=nurse');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Each line must be a group and its role').waitFor();
    expect(await page.getByLabel('Client secret').inputValue()).toBe('');
    await picture(page, 'administration-provider-refused');
    await page.getByLabel('Client secret').fill(OIDC_SECRET);
    await page.getByLabel('Roles of groups').fill('clinicians=provider\nleads=admin');
    await page.getByLabel('Create users when they first sign in').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The provider was saved').waitFor();
    await page.getByRole('link', { name: 'Test the connection' }).click();
    await page.getByText('The provider answers as').waitFor();

    const maria = await atProvider('maria');
    await page.getByRole('link', { name: 'Security policy', exact: true }).click();
    await page.getByLabel('Users may sign in with a password').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('You have not signed in with the identity provider yet').waitFor();
    const ada = await atProvider('ada');
    await page.getByLabel('Users may sign in with a password').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rules were saved').waitFor();
    const later = await newPage('/sign-in');
    await enterPassword(later, admin);
    await later.getByText('single sign-on').first().waitFor();
    for (const one of [page, maria, ada, later]) await one.context().close();
  });
});
