import { expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createPatient } from '../support/factories.ts';
import { DESK, joinAs, leaveAll, meetOnPages, open, SOON } from './visiting.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();
const provider = await signedInUser(test, { type: 'provider' });

it('panels, questions and devices that are off have their place at every size', async () => {
  const { host, guest } = await meetOnPages(browser, provider);
  for (const button of ['Mute', 'Camera off']) await guest.getByRole('button', { name: button }).click();
  await host.locator('#people .state', { hasText: 'camera off' }).waitFor();
  await picture(host, 'visit-camera-off');
  await picture(guest, 'visit-own-camera-off');
  await guest.getByRole('button', { name: 'Chat' }).click();
  await guest.locator('#chat-side').waitFor();
  await picture(guest, 'visit-chat');
  await guest.keyboard.press('Escape');
  await guest.locator('#chat-side').waitFor({ state: 'hidden' });
  await host.setViewportSize(PHONE);
  await host.getByRole('button', { name: 'More' }).click();
  await picture(host, 'visit-more');
  await host.setViewportSize(DESK);
  await host.getByRole('button', { name: 'People' }).click();
  await host.locator('#people-side').waitFor();
  await picture(host, 'visit-people');
  await host.keyboard.press('Escape');
  for (const [button, name] of [
    ['End for everyone', 'visit-end'],
    ['Ask for a picture', 'visit-ask'],
  ] as const) {
    const opener = host.getByRole('button', { name: button });
    await opener.click();
    await host.getByRole('dialog').waitFor();
    await picture(host, name);
    await host.keyboard.press('Escape');
    await host.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => opener.evaluate((one) => one === one.ownerDocument.activeElement), SOON).toBe(true);
  }
  await leaveAll(host, guest);
});

it('a knock, the chat, and the chart of a guest are seen and done on the page', async () => {
  const chart = { firstName: 'Samuel', lastName: 'Dawson', birthDate: new Date('1980-02-29') };
  await createPatient(test.database.prisma, { organizationId: provider.organizationId, ...chart });
  const { host, guest, guestLink } = await meetOnPages(browser, provider);
  const second = await joinAs(await open(browser, guestLink), 'Nora New');
  const row = host.locator('#guests li').filter({ hasText: 'Nora New' });
  await row.getByText('Guest, not a patient of the practice').waitFor();
  await picture(host, 'visit-knock');
  await host.getByRole('button', { name: 'End for everyone' }).click();
  await host.getByText('Nora New is still waiting').waitFor();
  await picture(host, 'visit-end-while-waiting');
  await host.getByRole('button', { name: 'Stay in the visit' }).click();
  await row.getByRole('button', { name: 'Not now: Nora New' }).click();
  await row.waitFor({ state: 'detached' });

  await guest.getByRole('button', { name: 'Chat' }).click();
  await guest.getByText('Nobody has written yet.').waitFor();
  await guest.getByLabel('Your message').fill('I have no microphone.');
  await guest.getByRole('button', { name: 'Send' }).click();
  await host.getByRole('button', { name: 'Chat, 1 unread' }).click();
  await host.locator('#messages').getByText('I have no microphone.').waitFor();
  await host.getByLabel('Your message').fill('Then we write.');
  await host.getByLabel('Your message').press('Enter');
  await guest.locator('#messages').getByText('Then we write.').waitFor();
  await picture(host, 'visit-chat-written');
  await host.keyboard.press('Escape');

  await host.getByRole('button', { name: 'People' }).click();
  await host.getByRole('button', { name: 'Attach a chart: Sam Doe' }).click();
  await host.getByLabel('Last name').fill('Dawson');
  await host.getByLabel('Birth date').fill('1980-02-28');
  await host.getByRole('button', { name: 'Attach', exact: true }).click();
  await host.getByText('No patient of the practice has').waitFor();
  await picture(host, 'visit-attach-refused');
  expect(await host.getByLabel('Last name').inputValue()).toBe('Dawson');
  await host.getByLabel('Birth date').fill('1980-02-29');
  await host.getByRole('button', { name: 'Attach', exact: true }).click();
  await host.getByText('The chart of Samuel Dawson is attached.').waitFor();
  await host.locator('#people-list').getByText('Patient', { exact: true }).waitFor();
  await leaveAll(host, guest, second);
});
