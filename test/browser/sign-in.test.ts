import { generate } from 'otplib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { personWithApp } from '../support/authenticator-app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { addPasskeyDevice, enterPassword, focusOn, newDevice } from './signing-in.ts';
import { DESK } from './visiting.ts';

const browser = await sharedBrowser();
const test = await sharedTestApp();
const { prisma } = test.database;
/** Passkeys belong to a name, which 127.0.0.1 is not. */
const address = test.address.replace('127.0.0.1', 'localhost');

const device = (path: string, viewport = PHONE) => newDevice(browser, `${address}${path}`, viewport);
const close = (...pages: Page[]) => Promise.all(pages.map((page) => page.context().close()));
const signOut = (page: Page) => page.locator('.staff-bar').getByRole('button', { name: 'Sign out' }).click();
const continueWith = (page: Page) => page.getByRole('button', { name: 'Continue', exact: true }).click();
const news = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();

async function newProvider() {
  const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic' });
  return { organizationId, ...(await createUser(prisma, { organizationId, type: 'provider', firstName: 'Bo', lastName: 'Ek' })) };
}

/** Presses a button that asks, and says yes. */
async function press(page: Page, name: string, state: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('dialog').waitFor();
  await picture(page, state);
  await page.getByRole('dialog').getByRole('button', { name }).click();
}

/** The key of an authenticator app that a page shows. */
const keyOn = async (page: Page) => ((await page.locator('code.recovery-code').textContent()) ?? '').replaceAll(' ', '');

describe('signing in, in a browser', () => {
  it('refuses a wrong password with the email kept, says how long a guesser waits, and knows a device of the person', async () => {
    const person = await newProvider();
    const [home, guesser] = [await device('/break-glass'), await device('/account')];
    await focusOn(home, 'email');
    await picture(home, 'sign-in');
    await enterPassword(home, person);
    await home.waitForURL('**/break-glass');
    await signOut(home);
    await home.getByRole('heading', { name: 'Sign in' }).waitFor();

    await enterPassword(guesser, { ...person, password: 'a guess' });
    await guesser.getByRole('alert').waitFor();
    await focusOn(guesser, 'password');
    expect(await guesser.getByLabel('Email').inputValue()).toBe(person.email);
    expect(await guesser.getByLabel('Password').inputValue()).toBe('');
    await picture(guesser, 'sign-in-refused');
    const locked = guesser.getByRole('alert').filter({ hasText: /Wait \d+ minutes before you try again/ });
    for (let guess = 0; guess < 20 && !(await locked.isVisible()); guess += 1)
      await enterPassword(guesser, { ...person, password: `a guess ${guess}` });
    await enterPassword(guesser, person);
    await locked.waitFor();
    await picture(guesser, 'sign-in-locked');
    await enterPassword(home, person);
    await home.waitForURL('**/lobby');
    await close(home, guesser);
  });

  it('asks for a code of the app or a recovery code, says beside the field what is wrong, and ends the session of another device', async () => {
    const person = await personWithApp(test, { type: 'provider' });
    const page = await device('/account');
    await enterPassword(page, person);
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await focusOn(page, 'code');
    await picture(page, 'second-factor');
    await page.getByLabel('Code of your authenticator app').fill('000000');
    await continueWith(page);
    await page.locator('.field', { hasText: 'The second factor is wrong' }).getByLabel('Code of your authenticator app').waitFor();
    await focusOn(page, 'code');
    await picture(page, 'second-factor-refused');
    await page.getByLabel('Code of your authenticator app').fill(await person.codeAt(0));
    await continueWith(page);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await picture(page, 'account');

    const other = await device('/account', DESK);
    await enterPassword(other, person);
    await other.getByText('Use a recovery code').click();
    await other.getByLabel('Recovery code').fill('not one of them');
    await other.getByRole('button', { name: 'Continue with this code' }).click();
    await other.locator('.field', { hasText: 'The second factor is wrong' }).getByLabel('Recovery code').waitFor();
    await focusOn(other, 'recovery_code');
    await picture(other, 'second-factor-recovery-refused');
    await other.getByLabel('Recovery code').fill(person.codes[0] ?? '');
    await other.getByRole('button', { name: 'Continue with this code' }).click();
    await other.getByRole('heading', { name: 'Your account' }).waitFor();
    await press(other, 'Sign out all other devices', 'account-sign-out-others');
    await news(other, 'All other devices were signed out');
    await page.getByRole('link', { name: 'Manage your second factors' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await close(page, other);
  });

  it('adds a passkey where the practice asks for a second factor, and signs in by it alone, or after the password', async () => {
    const person = await newProvider();
    await prisma.securityPolicy.create({ data: { organizationId: person.organizationId, secondFactor: 'required' } });
    const page = await device('/account/second-factors');
    await addPasskeyDevice(page);
    await enterPassword(page, person);
    await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
    await picture(page, 'enrolment');
    await page.getByLabel('Code of the app').fill('000000');
    await page.getByRole('button', { name: 'Add the app' }).click();
    await page.getByText('This is not the current code of the app').waitFor();
    await focusOn(page, 'code');
    await picture(page, 'enrolment-refused');
    await page.getByLabel('Name of the passkey').fill('Phone');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await picture(page, 'recovery-codes');
    await page.getByRole('link', { name: 'I have saved them' }).click();

    await page.getByLabel('Code of the app').fill(await generate({ secret: await keyOn(page) }));
    await page.getByRole('button', { name: 'Add the app' }).click();
    await news(page, 'The authenticator app was added');
    await page.getByRole('link', { name: 'Your account' }).click();
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL('**/lobby');
    await signOut(page);
    await enterPassword(page, person);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/lobby');
    await close(page);
  });

  it('asks again for a proof after a quarter of an hour, and before it deletes a second factor', async () => {
    const person = await newProvider();
    const page = await device('/account/second-factors');
    await addPasskeyDevice(page);
    await enterPassword(page, person);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    const verifiedAt = new Date(Date.now() - 901_000);
    await prisma.session.updateMany({ where: { organizationId: person.organizationId }, data: { verifiedAt } });
    await page.reload();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    expect(await page.getByRole('link', { name: 'Sign in as somebody else' }).count()).toBe(0);
    await picture(page, 'confirm');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Second factors' }).waitFor();
    await picture(page, 'second-factors');
    await press(page, 'Delete', 'second-factors-delete');
    await news(page, 'The second factor was deleted');
    await page.getByText('You have none yet').waitFor();
    await close(page);
  });

  it('changes the own password, after refusals that name the field and keep nothing', async () => {
    const person = await newProvider();
    const page = await device('/account');
    await enterPassword(page, person);
    for (const [present, next, field] of [
      ['wrong', 'seven quiet rivers below a lamp', 'Current password'],
      [person.password, 'short', 'New password'],
    ] as const) {
      await page.getByLabel('Current password').fill(present);
      await page.getByLabel('New password').fill(next);
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page
        .locator('.field', { has: page.locator('.field-error') })
        .getByLabel(field)
        .waitFor();
      await focusOn(page, field === 'New password' ? 'password' : 'currentPassword');
      expect(await page.getByLabel(field).inputValue()).toBe('');
    }
    await picture(page, 'account-password-refused');
    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('New password').fill('seven quiet rivers below a lamp');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await news(page, 'Your password was changed');
    await close(page);
  });
});
