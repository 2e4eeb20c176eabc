import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { findLink, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createPatient } from '../support/factories.ts';
import { enterPassword, newDevice } from './signing-in.ts';

const browser = await sharedBrowser();
const test = await sharedTestApp();
const { prisma } = test.database;
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const provider = await signedInUser(test, { organizationId, type: 'provider', user: { firstName: 'Maria', lastName: 'Chen' } });
const desk = await signedInUser(test, { organizationId });

describe('the lobby in a browser', () => {
  it('shows at once who waits, and one tap on a telephone tells them that the practice runs late', async () => {
    const staff = await (await browser.newContext({ viewport: PHONE })).newPage();
    await staff.goto(`${test.address}/lobby`);
    await picture(staff, 'sign-in');
    await enterPassword(staff, desk);
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

  it('follows an appointment that is moved while its patient waits, on the page of the patient too', async () => {
    const { id: patient_id } = await createPatient(prisma, {
      organizationId,
      firstName: 'Ola',
      lastName: 'Moves',
      mobilePhone: '+12125550177',
    });
    const start = Temporal.Now.zonedDateTimeISO('America/New_York');
    const moved = start.add({ minutes: start.hour < 12 ? 1 : -1 });
    const writeStart = (time: Temporal.ZonedDateTime) => time.toString({ timeZoneName: 'never', smallestUnit: 'minute' });
    const writeListed = (time: Temporal.ZonedDateTime) =>
      `${time.toLocaleString('en-US', { hour: 'numeric', minute: '2-digit' })} Ola Moves`;
    const booking = { patient_id, appointment_date: writeStart(start), duration_minutes: 30, 'user[]': [provider.user.id] };
    const { uuid } = (await provider.post('/appointments/').send(booking).expect(201)).body.data;

    const staff = await newDevice(browser, `${test.address}/lobby`);
    await enterPassword(staff, desk);
    const row = staff.locator(`#appointment-${uuid}`);
    await row.getByText(writeListed(start)).waitFor();
    await row.getByRole('button', { name: 'Send the link: Ola Moves' }).click();
    await row.getByText('link on its way').waitFor();
    const invite = await prisma.sessionInvite.findFirstOrThrow({ where: { organizationId, patientId: patient_id } });
    const patient = await newDevice(browser, `${test.address}${await findLink(test, organizationId, invite.id)}`);
    await patient.getByRole('button', { name: 'Join' }).click();
    const waiting = staff.locator('#lobby-guests').getByText('Ola Moves');
    await waiting.waitFor();

    await provider
      .post(`/appointments/${uuid}`)
      .send({ appointment_date: writeStart(moved) })
      .expect(200);
    await row.getByText(writeListed(moved)).waitFor({ timeout: 5_000 });
    await waiting.waitFor({ state: 'detached', timeout: 5_000 });
    await patient.getByText('Your appointment was moved to another time.').waitFor({ timeout: 5_000 });
  });
});
