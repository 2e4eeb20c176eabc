import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import { expectAccessible } from './accessibility.ts';

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

/** The windows in which pages are looked at: two desks, a phone upright and on its side. */
const SIZES = [{ width: 1280, height: 720 }, { width: 1366, height: 768 }, PHONE, { width: 844, height: 390 }];

/**
 * Looks at a page in its present state: axe-core finds nothing serious in light or in dark colours; at four sizes the page needs
 * no scrolling sideways, and the page of a visit none downwards either. Where SCREENSHOTS names a folder, pictures are
 * kept there, with an index.
 * @param name of the state, in kebab-case; begins with the name of the page
 */
export async function picture(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  await expectAccessible(page, name);
  const isVisit = (await page.locator('body.visit').count()) > 0;
  for (const size of SIZES) {
    await page.setViewportSize(size);
    const where = `${name} at ${size.width}x${size.height}`;
    const { across, down } = extent.parse(await page.evaluate(EXTENT));
    expect.soft(across, `${where}: nothing is wider than the window`).toBeLessThanOrEqual(size.width);
    if (isVisit) expect.soft(down, `${where}: nothing is taller than the window`).toBeLessThanOrEqual(size.height);
    await keepPicture(page, name, size);
  }
  if (before) await page.setViewportSize(before);
}

const extent = z.object({ across: z.number(), down: z.number() });
const EXTENT = '({ across: document.documentElement.scrollWidth, down: document.documentElement.scrollHeight })';

async function keepPicture(page: Page, name: string, { width, height }: { width: number; height: number }): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const path = join(folder, `${name}.${width}x${height}.${colorScheme}.png`);
    await page.screenshot({ path, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await writeIndex(folder);
}

/** A page of all pictures, a row each state. */
async function writeIndex(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.png')).toSorted();
  const states = Map.groupBy(files, (file) => file.split('.')[0] ?? file);
  const rows = [...states].map(([state, pictures]) => {
    const shown = pictures.map((file) => `<a href="${file}"><img src="${file}" alt="${file}" height="260" loading="lazy"></a>`);
    return `<h2>${state}</h2>\n${shown.join('\n')}`;
  });
  await writeFile(join(folder, 'index.html'), `<!doctype html><meta charset="utf-8"><title>Pages</title>\n${rows.join('\n')}\n`);
}
