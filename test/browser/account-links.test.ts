import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { enterPassword, focusOn, mailedPath, newDevice } from './signing-in.ts';

const browser = await sharedBrowser();
const test = await sharedTestApp();
const { prisma } = test.database;
const PASSWORD = 'seven quiet rivers below a lamp';

async function newPerson() {
  const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic' });
  return createUser(prisma, { organizationId, type: 'provider', firstName: 'Bo', lastName: 'Ek' });
}

const device = (path: string): Promise<Page> => newDevice(browser, `${test.address}${path}`, PHONE);

describe('a forgotten password, in a browser', () => {
  it('is set anew by a mailed link, which works once', async () => {
    const person = await newPerson();
    const page = await device('/sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await focusOn(page, 'email');
    await picture(page, 'forgot');
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Mail me the link' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await picture(page, 'forgot-sent');
    const path = await mailedPath(test, person.email);
    await page.goto(`${test.address}${path}`);
    await picture(page, 'reset');
    await page.getByLabel('password').fill('Harbor Clinic Bo Ek');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.field-error').waitFor();
    await focusOn(page, 'password');
    expect(await page.getByLabel('password').inputValue()).toBe('');
    await picture(page, 'reset-refused');
    await page.getByLabel('password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/password-saved');
    await picture(page, 'password-saved');
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await enterPassword(page, { ...person, password: PASSWORD });
    await page.waitForURL('**/lobby');
    expect((await page.goto(`${test.address}${path}`))?.status()).toBe(404);
    await picture(page, 'reset-used');
    await page.context().close();
  });

  it('has its pages in Spanish', async () => {
    const page = await (await browser.newContext({ viewport: PHONE, locale: 'es-MX' })).newPage();
    await page.goto(`${test.address}/sign-in/forgot`);
    await picture(page, 'es-forgot');
    await page.getByLabel('Correo').fill('nobody@clinic.example');
    await page.getByRole('button').last().click();
    await picture(page, 'es-forgot-sent');
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    await page.context().close();
  });
});
