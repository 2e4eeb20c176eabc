import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** A phone, as wide as most are. */
export const PHONE = { width: 390, height: 844 };

/** A browser without a window, which asks nobody for anything by itself. Close it at the end. */
export function startBrowser(more: string[] = []): Promise<Browser> {
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
      ...more,
    ],
  });
}

/** Keeps a picture of the whole page where SCREENSHOTS names a folder; else does nothing. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
