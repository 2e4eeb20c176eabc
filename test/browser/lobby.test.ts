import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';

const browser = await sharedBrowser();
const test = await sharedTestApp();
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const provider = await signedInUser(test, { organizationId, type: 'provider', user: { firstName: 'Maria', lastName: 'Chen' } });
const desk = await signedInUser(test, { organizationId });

describe('the lobby in a browser', () => {
  it('shows at once who waits, and one tap on a telephone tells them that the practice runs late', async () => {
    const staff = await (await browser.newContext({ viewport: PHONE })).newPage();
    await staff.goto(`${test.address}/lobby`);
    await picture(staff, 'sign-in');
    await staff.getByLabel('Email').fill(desk.email);
    await staff.getByLabel('Password').fill(desk.password);
    await staff.getByRole('button', { name: 'Sign in', exact: true }).click();
    await staff.getByRole('heading', { name: 'No one is waiting' }).waitFor();
    await picture(staff, 'lobby-empty');

    const guest = await (await browser.newContext({ viewport: PHONE, timezoneId: 'Asia/Kolkata' })).newPage();
    await guest.goto(`${test.address}${(await openMeeting(provider)).guest}`);
    await guest.getByLabel('Your name').fill('Gus Guest');
    await guest.getByRole('button', { name: 'Join' }).click();
    const row = staff.getByRole('listitem').filter({ hasText: 'Gus Guest' });
    await row.waitFor();
    await expect.poll(() => staff.title()).toContain('(1)');
    // Both read the clock of the practice.
    const since = await row.locator('time').innerText();
    expect(await guest.locator('#since').innerText()).toMatch(new RegExp(`^${since} E[SD]T$`));

    // The click begins before another guest comes into the list, and ends after it.
    await row.getByLabel('Minutes late: Tell Gus Guest').selectOption('10');
    const tap = row.getByRole('button', { name: 'Tell Gus Guest' });
    await tap.hover();
    await staff.mouse.down();
    const second = await (await browser.newContext()).newPage();
    await second.goto(`${test.address}${(await openMeeting(provider)).guest}`);
    await second.getByLabel('Your name').fill('Nora New');
    await second.getByRole('button', { name: 'Join' }).click();
    await staff.getByText('Nora New', { exact: true }).waitFor();
    await staff.mouse.up();
    await guest.getByText('about 10 minutes late').waitFor();
    await row.getByText('10 minutes late', { exact: false }).first().waitFor();
    await picture(staff, 'lobby');

    const all = staff.locator('#late-everybody');
    await all.getByRole('combobox').selectOption('45');
    await all.getByRole('button', { name: 'Tell everyone' }).click();
    for (const page of [guest, second]) await page.getByText('about 45 minutes late').waitFor();

    await staff.getByRole('button', { name: 'Sign out' }).click();
    await staff.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  });
});
