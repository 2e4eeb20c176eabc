import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll } from 'vitest';

/** A phone, as wide as most are. */
export const PHONE = { width: 390, height: 844 };

/** The browser that test files of one process share. */
let shared: Promise<Browser> | undefined;

/** A headless browser that makes no requests of its own. The pages that a test file opens are closed after its last test. */
export async function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser();
  const browser = await shared;
  afterAll(() => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}

function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A camera and a microphone that show and play a test signal.
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  });
}

/** Keeps a picture of the whole page where SCREENSHOTS names a folder; else does nothing. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
