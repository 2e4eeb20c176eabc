import { expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { DESK, leaveAll, meetOnPages, SOON } from './visiting.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();
const provider = await signedInUser(test, { type: 'provider' });

it('panels, questions and devices that are off have their place at every size', { timeout: 120_000 }, async () => {
  const { host, guest } = await meetOnPages(browser, provider);
  for (const button of ['Mute', 'Camera off']) await guest.getByRole('button', { name: button }).click();
  await host.getByText('camera off').waitFor();
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
