import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findLink } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { askingPractice, createRecipient } from '../support/check-ins.ts';
import { lead, leaveAll, open, SOON, saysGoodbye, seeEachOther } from './visiting.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();
const { organizationId } = await askingPractice(test);
const provider = await signedInUser(test, { organizationId, type: 'provider' });

const GO_IN = /^(Join|Enter the waiting room)$/;

/** Links of two patients, made by invites to a path. */
async function linksOfTwo(invite: (patientId: number) => string): Promise<[string, string]> {
  const link = async (firstName: string) => {
    const { id } = await createRecipient(test, organizationId, { firstName });
    const path = invite(id);
    const body = path.includes('waiting-rooms') ? {} : { patient_id: id };
    const { uuid } = (
      await provider
        .post(path)
        .send({ ...body, emailOrSms: 'sms' })
        .expect(201)
    ).body.data;
    return `${test.address}${await findLink(test, organizationId, uuid)}`;
  };
  return [await link('Ann'), await link('Ben')];
}

/** Opens a link and goes in. */
async function comeBy(link: string): Promise<Page> {
  const page = await open(browser, link, PHONE);
  await page.getByRole('button', { name: GO_IN }).click();
  await page.locator('#waiting').waitFor();
  return page;
}

/** Goes in where the page asks; it may go in by itself meanwhile. */
async function goInAgain(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: GO_IN });
  await button.or(page.locator('#waiting')).first().waitFor();
  await expect
    .poll(async () => {
      if (await button.isVisible()) await button.click({ timeout: 1_000 }).catch(() => undefined);
      return page.locator('#waiting').isVisible();
    }, SOON)
    .toBe(true);
}

const here = (host: Page, name: RegExp) => host.locator('#people figure').filter({ hasText: name }).count();

/** Waits again on this page, and is not in the room: neither on the own page nor on that of the host. */
async function waitsOutside(page: Page, host: Page): Promise<void> {
  await page.locator('#waiting').waitFor();
  expect(await page.locator('#room').isVisible()).toBe(false);
  expect(await page.locator('#people video').count()).toBe(0);
  // Where two windows of hers wait, each has a row.
  await host
    .getByRole('button', { name: /^Admit: Ann/ })
    .first()
    .waitFor();
  expect(await here(host, /Ann/)).toBe(0);
  expect(await here(host, /Ben/)).toBe(1);
}

/** Ann is admitted and leaves; Ben is admitted; Ann tries every way back that a browser has. */
async function walkBack(host: Page, [annsLink, bensLink]: [string, string]): Promise<void> {
  const ann = await comeBy(annsLink);
  await host.getByRole('button', { name: /^Admit: Ann/ }).click();
  await seeEachOther(host, ann);
  const kept = await ann.evaluate<[string, string][]>('Object.entries(sessionStorage)');
  await ann.getByRole('button', { name: 'Leave', exact: true }).click();
  await saysGoodbye(ann, 'You left the visit.');
  await expect.poll(() => here(host, /Ann/), SOON).toBe(0);

  const ben = await comeBy(bensLink);
  await host.getByRole('button', { name: /^Admit: Ben/ }).click();
  // Ann left less than a minute ago: the host says whose visit it is.
  await host
    .getByRole('button', { name: 'Begin the next visit' })
    .or(host.locator('#people figure', { hasText: 'Ben' }))
    .first()
    .waitFor();
  const next = host.getByRole('button', { name: 'Begin the next visit' });
  if (await next.isVisible()) {
    await picture(host, 'visit-choose');
    await next.click();
  }
  await seeEachOther(host, ben);

  // What the page had kept comes back with it, as from a copied window.
  await ann.evaluate((entries) => {
    for (const [key, value] of entries) globalThis.sessionStorage.setItem(key, value);
  }, kept);
  const ways: (() => Promise<unknown>)[] = [
    () => ann.reload(),
    async () => {
      await ann.goto(`${test.address}/healthz`);
      await ann.goBack();
    },
    () => ann.goto(annsLink),
  ];
  for (const goBack of ways) {
    await goBack();
    await goInAgain(ann);
    await waitsOutside(ann, host);
  }
  await picture(ann, 'visit-waits-again');
  const another = await comeBy(annsLink);
  await waitsOutside(another, host);
  await seeEachOther(host, ben);
  await leaveAll(host, ann, another, ben);
}

it('who was admitted by an invite and left does not walk into the visit of the next patient', async () => {
  const { host, guid } = await lead(browser, provider);
  await walkBack(host, await linksOfTwo(() => `/video-session/${guid}/invite`));
});

it('nor who came through a waiting room', async () => {
  const room = await test.database.prisma.waitingRoom.create({ data: { organizationId, userId: provider.user.id, name: 'Lobby' } });
  const { host } = await lead(browser, provider);
  await walkBack(host, await linksOfTwo((patientId) => `/waiting-rooms/${room.id}/invite/${patientId}`));
});
