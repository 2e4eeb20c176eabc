import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
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

/** The name of the field that has the focus; null for none. */
export const focused = (page: Page): Promise<string | null> => page.evaluate('document.activeElement?.getAttribute("name") ?? null');
