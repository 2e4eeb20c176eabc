import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { newestCode, sender, sendLink } from '../support/external-messages.ts';
import { createPatient, createProvider } from '../support/factories.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();
const who = await sender(test, { type: 'provider' });
await createProvider(test.database.prisma, {
  organizationId: who.organizationId,
  userId: who.user.id,
  firstName: 'Ada',
  lastName: 'Quinn',
  providerTypeId: 'MD',
});

/** A phone that runs no script and has been nowhere. */
async function phone(): Promise<Page> {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false });
  return context.newPage();
}

const fits = async (page: Page) => {
  const width = await page.locator('html').evaluate((root) => root.scrollWidth);
  expect(width, 'nothing is wider than the phone').toBeLessThanOrEqual(PHONE.width);
};

it('is read on a phone: what it says, who sent it, and its files', async () => {
  const files = [
    await upload(test, who, '%PDF-1.4 a plan of care that is longer than it seems', 'Plan of care for the next twelve weeks, signed.pdf'),
    await upload(test, who, 'name,value\r\na,1\r\n', 'values.csv'),
  ];
  const { path } = await sendLink(test, who, {
    subject: 'Your care plan',
    message: 'Dear Pat,\n\nhere is the plan that we talked about.\nPlease read it before Tuesday.\n\nWarm regards',
    display_credentials: 1,
    attachments: files.map(({ body }) => body.data.uuid),
  });
  const page = await phone();
  await page.goto(`${test.address}${path}`);
  await picture(page, 'message');
  await fits(page);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your care plan');
  expect(await page.getByText('From Ada Quinn, MD').isVisible()).toBe(true);
  const words = await page.getByText('Dear Pat,').boundingBox();
  expect(words?.height, 'with its lines, of which there are six').toBeGreaterThan(6 * 18);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'values.csv' }).click()]);
  expect(download.suggestedFilename()).toBe('values.csv');
  const { data } = (await who.get('/external-messages')).body;
  expect(data[0]).toMatchObject({ total_views: 1, total_downloads: 1 });
  await page.context().close();
});

it('opens with a code that is typed by keyboard alone, after a wrong one', async () => {
  const { organizationId } = who;
  const { id } = await createPatient(test.database.prisma, { organizationId, mobilePhone: '+19195550150', email: 'pat@example.com' });
  const { path } = await sendLink(test, who, { subject: 'Your results', extra_auth: 1, sent_to: undefined, Contact: id });
  const page = await phone();
  await page.goto(`${test.address}${path}`);
  await picture(page, 'message-locked');
  await fits(page);
  expect(await page.getByText('p•••@example.com').isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Send me the code' }).focus();
  await page.keyboard.press('Enter');
  const field = page.getByRole('textbox', { name: 'Code' });
  await field.waitFor();
  await picture(page, 'message-code');
  const code = await newestCode(test, who);
  await field.focus();
  await page.keyboard.type(code === '111111' ? '222222' : '111111');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await picture(page, 'message-wrong-code');
  await fits(page);
  expect(await page.getByRole('alert').textContent()).toContain('You can try 4 more times.');
  await field.focus();
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your results' }).waitFor();
  await page.reload();
  expect(await page.getByRole('heading', { level: 1 }).textContent(), 'for a while, in this browser').toBe('Your results');
  const another = await phone();
  await another.goto(`${test.address}${path}`);
  expect(await another.getByRole('heading', { level: 1 }).textContent()).toBe('You have a message');
  await Promise.all([page.context().close(), another.context().close()]);
});

it('says so where it has expired or is none', async () => {
  const { path, uuid } = await sendLink(test, who);
  const key = { organizationId: who.organizationId, id: uuid };
  await test.database.prisma.externalMessage.update({ where: { organizationId_id: key }, data: { expiresAt: new Date() } });
  const page = await phone();
  await page.goto(`${test.address}${path}`);
  await picture(page, 'message-expired');
  expect(await page.getByRole('link', { name: '(919) 555-0100', exact: true }).isVisible()).toBe(true);
  await page.goto(`${test.address}${path}x`);
  await picture(page, 'message-unknown');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('This link does not work');
  await page.context().close();
});
