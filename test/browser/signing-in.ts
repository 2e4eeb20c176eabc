import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import type { TestApp } from '../support/app.ts';
import { PHONE } from '../support/browser.ts';

interface Account {
  email: string;
  password: string;
}

/** A device of its own, as another person's or at another place, with a page of a server open. */
export async function newDevice(browser: Browser, address: string, viewport = PHONE): Promise<Page> {
  const page = await (await browser.newContext({ viewport })).newPage();
  page.on('pageerror', (error) => expect.unreachable(`the page failed: ${error}`));
  await page.goto(address);
  return page;
}

/** Fills in the form for signing in, and sends it. */
export async function enterPassword(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Gives a page a device that keeps passkeys and always knows its user. */
export async function addPasskeyDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const knowsUser = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', transport: 'internal', ...knowsUser } });
}

/** Waits until a field has the focus, which browsers give it soon after a page is there. */
export const focusOn = (page: Page, name: string): Promise<void> => page.locator(`[name="${name}"]:focus`).waitFor();

/** The path in the newest mail to an address. */
export async function mailedPath({ database: { prisma }, keyring }: TestApp, toAddress: string): Promise<string> {
  const find = () => prisma.mailMessage.findFirst({ where: { toAddress }, orderBy: { id: 'desc' } });
  await expect.poll(find, { timeout: 10_000 }).not.toBeNull();
  const mail = await find();
  return new URL(/http\S+/.exec(mail ? fillSealedPlaceholders(keyring, 'mail', mail) : '')?.[0] ?? 'http://none').pathname;
}
