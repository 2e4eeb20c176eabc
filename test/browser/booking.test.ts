import { expect, it } from 'vitest';
import { BOOKING_WORDS } from '../../src/pages/patients/booking/booking-words.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { written } from '../support/external-messages.ts';
import { waitlistPractice } from '../support/waitlist.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();

it.each(['en', 'es'] as const)(
  'a patient books, moves and cancels a visit at a link, on pages that are legible at every size (%s)',
  async (language) => {
    const words = BOOKING_WORDS[language];
    const clinic = await waitlistPractice(test, { phone: '+19105550111' });
    await clinic.db.appointmentType.create({
      data: { ...clinic.own, name: 'Follow-up after an operation, with X-ray and a change of the dressing', durationMinutes: 30 },
    });
    const { id } = await clinic.patient({ languageCode: language === 'en' ? 'eng' : 'spa', firstName: 'Maximiliane' });
    const made = await clinic.admin.post(`/patients/${id}/booking-links`).send({});
    const address = `${test.address}${new URL(made.body.data.url).pathname}`;
    const page = await (await browser.newContext({ viewport: PHONE })).newPage();
    const look = (state: string) => picture(page, `booking-${state}-${language}`);
    const choose = async (time: RegExp, looked = false) => {
      await page.goto(`${address}?move=yes&type=${clinic.type.id}&from=2031-03-01`);
      await page.getByRole('link', { name: /\b3\b/ }).first().click();
      if (looked) await look('times');
      await page.getByRole('button', { name: time }).click();
      if (looked) await look('confirm');
    };
    await page.goto(address);
    await look('types');
    await page.getByRole('link', { name: 'Visit', exact: true }).click();
    await page.getByRole('button', { name: words.wait }).click();
    await page.getByText(words.waits).waitFor();
    await look('days');
    await choose(/^9:00/, true);
    await page.getByRole('button', { name: words.book }).click();
    await page.getByText(words.youCome).waitFor();
    await choose(/^11:00/);
    await page.getByRole('button', { name: words.moveIt }).click();
    await page.getByText(words.youCome).waitFor();
    await look('booked');
    await page.getByRole('button', { name: words.cancel }).first().click();
    await page.getByRole('button', { name: words.keep }).waitFor();
    await look('cancel');
    await page.getByRole('button', { name: words.cancel }).last().click();
    await page.getByText(words.cancelled).waitFor();
    await look('cancelled');
    expect(await clinic.times()).toEqual(['09:00', '10:00', '11:00']);
    await clinic.db.bookingLink.updateMany({ where: clinic.own, data: { expiresAt: new Date(0) } });
    await page.goto(address);
    await look('expired');
    await page.context().close();
  },
);

it.each(['en', 'es'] as const)(
  'anybody books at the page of a practice by the keyboard, after a code to their phone (%s)',
  async (language) => {
    const words = BOOKING_WORDS[language];
    const { own, times } = await waitlistPractice(test, { phone: '+19105550111', publicBooking: true });
    const page = await (await browser.newContext({ viewport: PHONE, locale: language })).newPage();
    const look = (state: string) => picture(page, `public-booking-${state}-${language}`);
    const press = async (role: 'link' | 'button', name: string | RegExp) => {
      await page.getByRole(role, { name }).first().focus();
      await page.keyboard.press('Enter');
    };
    await page.goto(`${test.address}/book/${own.organizationId}?from=2031-03-01`);
    await look('days');
    await press('link', /\b3\b/);
    await press('link', /^10:00/);
    await page.getByLabel(words.firstName).fill('Ana María');
    await press('button', words.sendCode);
    await page.getByText(words.wrong.contact).waitFor();
    await look('who');
    for (const [label, value] of [
      [words.lastName, 'Núñez'],
      [words.birthDate, '1980-02-29'],
      [words.contact, '910 555 0177'],
    ] as const)
      await page.getByLabel(label).fill(value);
    await press('button', words.sendCode);
    await page.getByRole('button', { name: words.goOn }).waitFor();
    await look('code');
    const [text] = await written(test, own);
    await page.locator('input[name=code]').fill(/\d{6}/.exec(text?.words ?? '')?.[0] ?? '');
    await page.keyboard.press('Enter');
    await press('button', words.book);
    await page.getByText(words.youCome).waitFor();
    expect(await times()).toEqual(['09:00', '11:00']);
    await page.context().close();
  },
);
