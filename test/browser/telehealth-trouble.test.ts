import { describe, expect, it } from 'vitest';
import { enter, toPath } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { DESK, endForAll, joinAs, lead, leaveAll, meetOnPages, open, SOON, saysGoodbye, seeEachOther } from './visiting.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();
const provider = await signedInUser(test, { type: 'provider' });

describe('a visit goes on', () => {
  it('after either page was reloaded, without anybody being asked again', async () => {
    const { host, guest } = await meetOnPages(browser, provider);
    for (const page of [guest, host]) {
      await page.reload();
      await seeEachOther(host, guest);
    }
    expect(await host.locator('#people figure').count()).toBe(1);
    expect(await guest.locator('#people figure').count()).toBe(1);
    await leaveAll(host, guest);
  });

  it('after the line to the server broke, where it was', async () => {
    const { host, guestLink } = await lead(browser, provider);
    const keepSockets = 'window.WebSocket = class extends WebSocket { constructor(url) { super(url); window.lastSocket = this; } };';
    const guest = await joinAs(await open(browser, guestLink, PHONE, keepSockets), 'Sam Doe');
    await host.getByRole('button', { name: 'Admit: Sam Doe' }).click();
    await seeEachOther(host, guest);
    const seen = Promise.withResolvers<void>();
    await guest.route('**/join', (route) => seen.promise.then(() => route.continue()));
    await guest.evaluate('window.lastSocket.close(4000)');
    await guest.getByText('Reconnecting you').waitFor();
    await picture(guest, 'visit-lost');
    seen.resolve();
    await guest.getByText('Reconnecting you').waitFor({ state: 'hidden' });
    await seeEachOther(host, guest);
    await guest.getByRole('button', { name: 'Leave' }).click();
    await saysGoodbye(guest, 'You left the visit.');
    await leaveAll(host, guest);
  });

  it('and tells within five seconds that nothing arrives any more', async () => {
    const { host, guestLink } = await lead(browser, provider);
    const guest = await open(browser, guestLink);
    let isSilent = false;
    await guest.routeWebSocket('**/v/signal**', (page) => {
      const server = page.connectToServer();
      server.onMessage((message) => isSilent || page.send(message));
    });
    await joinAs(guest, 'Sam Doe');
    await host.getByRole('button', { name: 'Admit: Sam Doe' }).click();
    await seeEachOther(host, guest);
    isSilent = true;
    await guest.getByText('You have no internet connection at the moment.').waitFor({ timeout: 5_000 });
    isSilent = false;
    await guest.getByText('You have no internet connection').waitFor({ state: 'hidden' });
    await leaveAll(host, guest);
  });
});

describe('a room', () => {
  it('lets a host admit only whose page is connected', async () => {
    const { host, guestLink } = await lead(browser, provider);
    const slowSocket =
      'window.WebSocket = class extends WebSocket { addEventListener(name, heard) { super.addEventListener(name, name !== "open" ? heard : () => { window.goOn = heard; }); } };';
    const guest = await joinAs(await open(browser, guestLink, PHONE, slowSocket), 'Sam Doe');
    await expect.poll(() => guest.evaluate<boolean>('Boolean(window.goOn)'), SOON).toBe(true);
    expect(await host.getByRole('button', { name: 'Admit: Sam Doe' }).count()).toBe(0);
    await guest.evaluate('void window.goOn()');
    await host.getByRole('button', { name: 'Admit: Sam Doe' }).click();
    await seeEachOther(host, guest);
    await leaveAll(host, guest);
  });

  it('of three shows each of them both others, and who is left when one goes', async () => {
    const { host, guest, guestLink } = await meetOnPages(browser, provider);
    const third = await joinAs(await open(browser, guestLink), 'Max Roe');
    await host.getByRole('button', { name: 'Admit: Max Roe' }).click();
    await host.getByRole('button', { name: 'Admit with them' }).click();
    for (const page of [host, guest, third]) await expect.poll(() => page.locator('#people video').count(), SOON).toBe(2);
    await seeEachOther(host, guest, third);
    await picture(host, 'visit-three');
    await picture(third, 'visit-three-phone');
    await guest.getByRole('button', { name: 'Leave' }).click();
    for (const page of [host, third]) await expect.poll(() => page.locator('#people video').count(), SOON).toBe(1);
    await seeEachOther(host, third);
    await leaveAll(host, guest, third);
  });
});

describe('a recording', () => {
  it('that grows too large for one file is kept in parts; the last one also where the host hangs up meanwhile', async () => {
    const { host, guest, guid } = await meetOnPages(browser, provider);
    const session = { guid };
    await host.context().route('**/client/media/recording.ts', async (route) => {
      const body = (await (await route.fetch()).text())
        .replace('MAX_PART_BYTES = 20 * 1024 * 1024', 'MAX_PART_BYTES = 20 * 1024')
        .replace('size += data.size;', 'size += data.size; window.recordedBytes = (window.recordedBytes ?? 0) + data.size;');
      await route.fulfill({ contentType: 'text/javascript', body });
    });
    await host.reload();
    await seeEachOther(host);
    await host.getByRole('button', { name: 'Record' }).click();
    await guest.getByRole('button', { name: 'Yes, record' }).click();
    const kept = () => test.database.prisma.sessionVideo.findMany({ where: { session } });
    await expect.poll(async () => (await kept()).length, SOON).toBeGreaterThan(1);
    const before = (await kept()).length;
    const recordedBytes = () => host.evaluate<number>('window.recordedBytes');
    const bytesBefore = await recordedBytes();
    await expect.poll(recordedBytes, SOON).toBeGreaterThan(bytesBefore);
    await host.getByRole('button', { name: 'Leave' }).click();
    await saysGoodbye(host, 'You left the visit.');
    await guest.getByText('This visit is being recorded.').waitFor({ state: 'hidden' });
    const parts = await kept();
    expect(parts.length).toBeGreaterThan(before);
    for (const part of parts) expect(part).toMatchObject({ seekable: true, thumbnailAttachmentId: expect.any(Number) });
    await leaveAll(host, guest);
  });
});

describe('a page says plainly', () => {
  it('that the camera may not be used, and lets one join all the same', async () => {
    const { host, guestLink } = await lead(browser, provider);
    const refuse = "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('no', 'NotAllowedError'); };";
    const guest = await open(browser, guestLink, PHONE, refuse);
    await guest.getByText('The browser does not allow this page to use your camera').waitFor();
    await picture(guest, 'visit-no-camera');
    await joinAs(guest, 'Sam Doe');
    await host.getByRole('button', { name: 'Admit: Sam Doe' }).click();
    await seeEachOther(guest);
    expect(await guest.getByRole('button', { name: /Mute|Camera/ }).count()).toBe(0);
    await picture(guest, 'visit-sees-only');
    await leaveAll(host, guest);
  });

  it('that one was not let in, that it goes on in another window, and that it was ended for all', async () => {
    const { host, guestLink, guest } = await meetOnPages(browser, provider);
    const other = await joinAs(await open(browser, guestLink), 'Max Roe');
    await host.getByRole('button', { name: 'Not now: Max Roe' }).click();
    await host.locator('#waiting-panel').getByText('answered: not now').waitFor();
    await saysGoodbye(other, 'Your practice knows that you are here, but cannot see you right now.');
    await picture(other, 'visit-refused');
    const [second] = await Promise.all([guest.waitForEvent('popup'), guest.evaluate('void window.open(location.href)')]);
    await saysGoodbye(guest, 'You opened this visit in another window.');
    await seeEachOther(second);
    await endForAll(host);
    for (const page of [second, host]) await saysGoodbye(page, 'This visit has ended.');
    expect(await second.getByRole('button', { name: 'Join again' }).isVisible()).toBe(false);
    await host.reload();
    await host.getByRole('heading', { name: 'This visit has ended.' }).waitFor();
    await leaveAll(host, guest, other);
  });

  it('that the room is full', async () => {
    const { host, hostLink, guestLink } = await lead(browser, provider);
    for (const name of ['A', 'B', 'C', 'D']) {
      await enter(test, toPath(guestLink), { name });
      await host.getByRole('button', { name: `Admit: ${name}` }).click();
      if (name !== 'A') await host.getByRole('button', { name: 'Admit with them' }).click();
      if (name !== 'D') await host.getByRole('button', { name: `Admit: ${name}` }).waitFor({ state: 'hidden' });
    }
    await host.getByRole('alert').filter({ hasText: 'The room is full: 4 people are in it.' }).waitFor();
    await picture(host, 'visit-full');
    const fifth = await joinAs(await open(browser, hostLink, DESK));
    await saysGoodbye(fifth, 'The room is full: 4 people are in it.');
    expect(await fifth.getByRole('button', { name: 'Join again' }).isVisible()).toBe(true);
    await leaveAll(host, fifth);
  });

  it('that its link has run out, where somebody waited', async () => {
    const { host, guestLink, guid } = await lead(browser, provider);
    const keepSockets = 'window.WebSocket = class extends WebSocket { constructor(url) { super(url); window.lastSocket = this; } };';
    const guest = await joinAs(await open(browser, guestLink, PHONE, keepSockets), 'Sam Doe');
    await host.locator('#guests', { hasText: 'Sam Doe' }).waitFor();
    await test.database.prisma.videoSession.updateMany({ where: { guid }, data: { expiresAt: new Date() } });
    await guest.evaluate('window.lastSocket.close(4000)');
    await saysGoodbye(guest, 'This link has expired.');
    expect(await guest.getByRole('button', { name: 'Join again' }).isVisible()).toBe(false);
    await leaveAll(host, guest);
  });
});
