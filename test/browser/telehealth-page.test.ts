import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserKind } from '../../src/pages/client/media/browser-kind.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { joinAs, lead, leaveAll, meetOnPages, open, SOON, saysGoodbye, seeEachOther } from './visiting.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();
const provider = await signedInUser(test, { type: 'provider' });

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
/** What the tile of a person says beside the name. */
const locateState = (page: Page, name: string) => page.locator('#people figure', { hasText: name }).locator('.state');

describe('before a visit', () => {
  it('who presses Join before the camera is open joins once', async () => {
    const { host, guestLink } = await lead(browser, provider);
    const slowCamera = `{
      const devices = navigator.mediaDevices;
      const open = devices.getUserMedia.bind(devices);
      devices.getUserMedia = async (wanted) => { await new Promise((resolve) => setTimeout(resolve, 3000)); return open(wanted); };
    }`;
    const guest = await joinAs(await open(browser, guestLink, PHONE, slowCamera), 'Sam Doe');
    await press(host, 'Admit: Sam Doe');
    await seeEachOther(host, guest);
    expect(await host.locator('#people figure').count()).toBe(1);
    await leaveAll(host, guest);
  });

  it('the devices are checked, and the speaker by ear', async () => {
    const { host, guestLink } = await lead(browser, provider);
    const guest = await open(browser, guestLink);
    for (const words of ['Camera works', /Microphone (Say something|working)/, /Connection (good|slow)/])
      await guest.getByRole('listitem').filter({ hasText: words }).waitFor();
    await press(guest, 'Play a tone');
    await guest.getByText('If you heard nothing, turn up the sound.').waitFor();
    await picture(guest, 'visit-check');
    await leaveAll(host, guest);
  });

  it('a refused camera comes with what to press in this browser', () => {
    const kinds = {
      ios: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      safari: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      android: 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      chrome: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
      inApp: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/500.0]',
    };
    for (const [kind, agent] of Object.entries(kinds)) expect(browserKind(agent)).toBe(kind);
  });
});

describe('in a visit', () => {
  it('each tile says who is muted and whose camera is off, and shows initials then', async () => {
    const { host, guest } = await meetOnPages(browser, provider);
    await press(guest, 'Mute');
    await press(guest, 'Camera off');
    await expect.poll(() => locateState(host, 'Sam Doe').textContent(), SOON).toBe('muted, camera off');
    expect(await host.locator('#people .initials').textContent()).toBe('SD');
    expect(await host.locator('#people video').isVisible()).toBe(false);
    await picture(host, 'visit-camera-off');
    await press(guest, 'Camera on');
    await press(guest, 'Unmute');
    await expect.poll(() => locateState(host, 'Sam Doe').textContent(), SOON).toBe('');
    await seeEachOther(host, guest);
    await leaveAll(host, guest);
  });

  it('ending it for everyone asks first; Escape and a second thought change nothing, and the focus goes back', async () => {
    const { host, guest } = await meetOnPages(browser, provider);
    const end = host.getByRole('button', { name: 'End for everyone' });
    await end.press('Enter');
    const question = host.getByRole('dialog', { name: 'End the visit for everyone?' });
    await picture(host, 'visit-end-asked');
    await host.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await end.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    await end.press('Enter');
    await question.getByRole('button', { name: 'Stay in the visit' }).press('Enter');
    await seeEachOther(host, guest);
    await leaveAll(host, guest);
  });

  it('the panels of the people and the chat open and close by the keyboard, and the stage goes on beside them', async () => {
    const { host, guest } = await meetOnPages(browser, provider);
    await host.getByRole('button', { name: 'People' }).press('Enter');
    await host.getByText('Guest, not a patient of the practice').waitFor();
    await picture(host, 'visit-people');
    await host.keyboard.press('Escape');
    await host.getByText('Guest, not a patient of the practice').waitFor({ state: 'hidden' });
    await host.getByRole('button', { name: 'Chat', exact: true }).press('Enter');
    await picture(host, 'visit-chat');
    await seeEachOther(host, guest);
    await leaveAll(host, guest);
  });

  it('a host takes one person out and locks the room, and newcomers are told', async () => {
    const { host, guest, guestLink } = await meetOnPages(browser, provider);
    await press(host, 'People');
    await press(host, 'Remove: Sam Doe');
    await host.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await saysGoodbye(guest, 'Your practice removed you from the visit.');
    await picture(guest, 'visit-removed');
    await host.getByText('Nobody else is here.').waitFor();
    await press(host, 'Lock');
    await host.getByText('Locked', { exact: true }).waitFor();
    const late = await joinAs(await open(browser, guestLink), 'Max Roe');
    await saysGoodbye(late, 'This visit is locked.');
    await press(host, 'Unlock');
    await press(late, 'Join again');
    await joinAs(late, 'Max Roe');
    await host.getByRole('button', { name: 'Admit: Max Roe' }).waitFor();
    await leaveAll(host, guest, late);
  });

  it('who closes the page is gone within seconds, and screen readers hear who came and who left', async () => {
    const { host, guest } = await meetOnPages(browser, provider);
    const heard = host.locator('#heard');
    await expect.poll(() => heard.textContent(), SOON).toBe('Sam Doe joined.');
    await guest.goto('about:blank');
    // Without the beacon it takes more than 30 s.
    await host.getByText('Nobody else is here.').waitFor({ timeout: 20_000 });
    await expect.poll(() => heard.textContent(), SOON).toBe('Sam Doe left.');
    expect(await host.title()).toContain('You are in the visit');
    await leaveAll(host, guest);
  });

  it('of the next patient begins when the host says so, and ends that of the one before', async () => {
    const { host, guest, guestLink } = await meetOnPages(browser, provider);
    const next = await joinAs(await open(browser, guestLink), 'Max Roe');
    await press(host, 'Admit: Max Roe');
    await host.getByText('Sam Doe is in the visit. Admit Max Roe with them, or begin the next visit?').waitFor();
    await picture(host, 'visit-who-is-to-meet');
    await press(host, 'Begin the next visit');
    await saysGoodbye(guest, 'Your visit has ended.');
    await seeEachOther(host, next);
    expect(await host.locator('#people figure').count()).toBe(1);
    await leaveAll(host, guest, next);
  });
});

describe('pictures', () => {
  it('name whose they are on the button, and ask where several people are in the room', async () => {
    const { host, guest, guestLink } = await meetOnPages(browser, provider);
    await host.getByRole('button', { name: 'Picture of Sam Doe' }).waitFor();
    const other = await joinAs(await open(browser, guestLink), 'Max Roe');
    await press(host, 'Admit: Max Roe');
    await press(host, 'Admit with them');
    await seeEachOther(host, guest, other);
    await host.getByRole('button', { name: 'Picture', exact: true }).click();
    await host.getByRole('dialog', { name: 'Whose picture is it?' }).getByRole('button', { name: 'Picture of Max Roe' }).waitFor();
    await picture(host, 'visit-whose-picture');
    await press(host, 'Picture of Max Roe');
    await host.getByText(/^The picture (of Max Roe )?was saved\.$/).waitFor();
    await leaveAll(host, guest, other);
  });

  it('in full size are taken by the guest whom the host asks, and sent when the guest has seen them', async () => {
    const { host, guest, guid } = await meetOnPages(browser, provider);
    const ask = async () => {
      await press(host, 'Ask for a picture');
      await host.getByLabel('Part of the body').fill('left forearm');
      await host.getByRole('button', { name: 'Ask', exact: true }).click();
      await guest.getByText('Requested part of the body: left forearm').waitFor();
    };
    await ask();
    await picture(guest, 'visit-still-asked');
    await press(guest, 'Not now');
    await host.getByText('The requested picture was not sent.').waitFor();
    await ask();
    await press(guest, 'Take the picture');
    await picture(guest, 'visit-still-taken');
    await press(guest, 'Send it');
    await host.getByText('The requested picture is in the chart.').waitFor();
    await guest.getByText('Your picture was sent to your practice.').waitFor();
    await seeEachOther(host, guest);
    const kept = await test.database.prisma.sessionImage.findMany({ where: { session: { guid } } });
    expect(kept).toMatchObject([{ bodySite: 'left forearm' }]);
    await leaveAll(host, guest);
  });
});
