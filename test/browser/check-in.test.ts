import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createSurvey, everyKind, sentCheckIn, surveyingPractice } from '../support/check-ins.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();
const practice = await surveyingPractice(test);

/** A phone on which a link was tapped. */
async function opened(path: string, more: object = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: PHONE, ...more });
  const page = await context.newPage();
  await page.goto(`${test.address}${path}`);
  return page;
}

const isWiderThanThePhone = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth');

describe('a patient on a phone', () => {
  it('is told what is missing, is taken to it, and what was typed is still there', async () => {
    const { id, path } = await sentCheckIn(test, practice);
    const page = await opened(path, { javaScriptEnabled: false });
    await picture(page, 'check-in');
    await page.getByLabel('The upper number').fill('12 8');
    await page.getByLabel('Anything that we should know?').fill('Slept badly because of the heat');
    await page.getByRole('button', { name: 'Send my answers' }).click();
    await picture(page, 'check-in-faults');
    expect(await page.getByRole('alert').textContent()).toContain('Please look at 4 answers again');
    expect(await page.getByLabel('The upper number').inputValue()).toBe('12 8');
    await page.getByRole('link', { name: 'Did you sleep well?' }).click();
    expect(new URL(page.url()).hash).toBe('#answer_slept');
    await page.getByLabel('The upper number').fill('128');
    await page
      .getByRole('group', { name: 'Do you feel any of these?' })
      .or(page.getByRole('radiogroup', { name: 'Do you feel any' }))
      .getByText('None')
      .click();
    await page.getByLabel('4', { exact: true }).check();
    await page.getByLabel('Yes', { exact: true }).check();
    await page.getByRole('button', { name: 'Send my answers' }).click();
    await page.getByRole('heading', { name: 'Thank you, Rosa' }).waitFor();
    await picture(page, 'check-in-thanks');
    const key = { organizationId_id: { organizationId: practice.organizationId, id } };
    expect((await test.database.prisma.checkIn.findUniqueOrThrow({ where: key })).answers).toEqual({
      systolic: 128,
      symptom: 'None',
      feeling: 4,
      slept: true,
      note: 'Slept badly because of the heat',
    });
    await page.context().close();
  });

  it('answers by keyboard alone', async () => {
    const { path } = await sentCheckIn(test, practice);
    const page = await opened(path);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // The way past the header, the other language and the practice's telephone number come first.
    await press('Tab', 'Tab', 'Tab', 'Tab');
    await page.keyboard.type('130');
    await press('Tab', 'Space', 'Tab', 'Space', 'ArrowRight', 'Tab', 'Space', 'Tab', 'Tab', 'Enter');
    await page.getByRole('heading', { name: 'Thank you, Rosa' }).waitFor();
    await page.context().close();
  });

  it('sees what the practice says to the answers, when the link is opened again, in the dark too', async () => {
    const { id, path, recipient } = await sentCheckIn(test, practice);
    const { organizationId, person } = practice;
    await test.database.prisma.checkIn.update({
      where: { organizationId_id: { organizationId, id } },
      data: { answeredAt: new Date(), answers: {} },
    });
    await test.database.prisma.checkInReview.create({
      data: {
        organizationId,
        checkInId: id,
        patientId: recipient.id,
        userId: person.user.id,
        minutes: 5,
        startedAt: new Date(),
        message: 'Your readings are in range, keep going.\nSee you in June.',
        display: true,
      },
    });
    const page = await opened(path, { colorScheme: 'dark' });
    await picture(page, 'check-in-remark');
    expect(await page.locator('blockquote').textContent()).toBe('Your readings are in range, keep going.\nSee you in June.');
    await page.context().close();
  });

  it('is told at a danger value what to do now, with the numbers to call', async () => {
    const where = { organizationId_id: { organizationId: practice.organizationId, id: practice.item.id } };
    await test.database.prisma.item.update({ where, data: { minTarget: 90, maxTarget: 140, dangerMax: 180 } });
    const { path } = await sentCheckIn(test, practice);
    const page = await opened(path, { javaScriptEnabled: false });
    await page.getByLabel('The upper number').fill('210');
    await page.getByText('Headache').click();
    await page.getByLabel('2', { exact: true }).check();
    await page.getByLabel('No', { exact: true }).check();
    await page.getByRole('button', { name: 'Send my answers' }).click();
    await page.getByRole('heading', { name: 'What to do now' }).waitFor();
    expect(await page.getByRole('link', { name: 'Call 911' }).getAttribute('href')).toBe('tel:911');
    await picture(page, 'check-in-danger');
    await page.context().close();
  });

  it('need not move the page sideways, however long the words and however wide the scale', async () => {
    const long = 'Otorhinolaryngologischer'.repeat(6);
    const questions = [
      ...everyKind(practice.item.id),
      { key: 'wide', text: 'How much pain?', kind: 'scale', min: 0, max: 10, minLabel: 'none', maxLabel: 'as bad as can be' },
      { key: 'words', text: long, kind: 'choice', choices: [long, 'Short'] },
    ];
    const { id } = await createSurvey(test, practice.organizationId, { name: 'Long', questions });
    const { path } = await sentCheckIn(test, practice, { survey_type_id: id });
    const page = await opened(path);
    await picture(page, 'check-in-wide');
    expect(await isWiderThanThePhone(page)).toBe(false);
    await page.getByRole('button', { name: 'Send my answers' }).click();
    await page.getByRole('alert').waitFor();
    expect(await isWiderThanThePhone(page)).toBe(false);
    expect(await page.evaluate<string | null>("document.activeElement?.getAttribute('role')")).toBe('alert');
    await page.context().close();
  });
});
