import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Actor } from '../support/actors.ts';
import { PHONE } from '../support/browser.ts';

/** Timeout of expectations, long enough for a slow machine. */
export const SOON = { timeout: 40_000, interval: 250 };
export const DESK = { width: 1280, height: 800 };

/**
 * Cameras give small pictures, ten a second: software that encodes and decodes large ones for several pages at once needs more
 * than the machines that run these tests have.
 */
const SMALL_CAMERA = `{
  const devices = navigator.mediaDevices;
  const open = devices?.getUserMedia.bind(devices);
  if (open) devices.getUserMedia = ({ audio, video }) =>
    open({ audio, video: video && { ...Object(video), width: 320, height: 240, frameRate: 10 } });
}`;

/** A window of its own, as another person's. */
export async function open(browser: Browser, link: string, viewport = PHONE, script?: string): Promise<Page> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  page.setDefaultTimeout(SOON.timeout);
  page.on('pageerror', (error) => expect.unreachable(`the page failed: ${error}`));
  await page.addInitScript(SMALL_CAMERA);
  if (script) await page.addInitScript(script);
  await page.goto(link);
  return page;
}

/** Goes in, by the page's first screen. */
export async function joinAs(page: Page, name?: string): Promise<Page> {
  if (name !== undefined) await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Join' }).click();
  return page;
}

/** Frames decoded so far of the other person with the fewest. */
export const framesOn = async (page: Page): Promise<number> => {
  const counts = await page
    .locator('#people video')
    .evaluateAll((videos) => videos.map((video) => Object(video).getVideoPlaybackQuality().totalVideoFrames));
  return counts.length === 0 ? 0 : Math.min(...z.array(z.number()).parse(counts));
};

/** The picture of the other moves, on each of the pages, from now on. */
export async function seeEachOther(...pages: Page[]): Promise<void> {
  for (const page of pages) {
    await expect.poll(() => framesOn(page), SOON).toBeGreaterThan(0);
    // The count begins anew where a connection is replaced by another.
    let before = await framesOn(page);
    const moved = async () => {
      const now = await framesOn(page);
      before = Math.min(before, now);
      return now - before;
    };
    await expect.poll(moved, SOON).toBeGreaterThan(5);
  }
}

export const saysGoodbye = (page: Page, words: string) => page.locator('#goodbye', { hasText: words }).waitFor();

/** A host in a new session, alone so far, and the links of it. */
export async function lead(browser: Browser, provider: Actor): Promise<{ host: Page; guid: string; hostLink: string; guestLink: string }> {
  const { guid, host_link: hostLink, guest_link: guestLink } = (await provider.get('/meet-session').expect(200)).body.data;
  const host = await joinAs(await open(browser, hostLink, DESK));
  await host.getByText('Nobody else is here.').waitFor();
  return { host, guid, hostLink, guestLink };
}

/** A host and a guest who see each other. */
export async function meetOnPages(browser: Browser, provider: Actor) {
  const session = await lead(browser, provider);
  const guest = await joinAs(await open(browser, session.guestLink), 'Sam Doe');
  await session.host.getByRole('button', { name: 'Admit: Sam Doe' }).click();
  await seeEachOther(session.host, guest);
  return { ...session, guest };
}

/** Ends the visit for everyone, and says so when the page asks. */
export async function endForAll(host: Page): Promise<void> {
  await host.getByRole('button', { name: 'End for everyone' }).click();
  await host.getByRole('button', { name: 'End the visit' }).click();
}

export const leaveAll = (...pages: Page[]) => Promise.all(pages.map((page) => page.context().close()));
