import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { askingPractice, createRecipient } from '../support/check-ins.ts';

const testPracticeIds: number[] = [];
const test = await ownTestApp({}, { testPracticeIds });
const browser = await sharedBrowser();
const practice = await askingPractice(test);
const { organizationId } = practice;
testPracticeIds.push(organizationId);
const admin = await signedInUser(test, { organizationId, type: 'admin' });
const { id, mobilePhone } = await createRecipient(test, organizationId);
const patient = { id, phone: (mobilePhone ?? '').replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3') };
const stopJobs = startJobs({ ...test.services, origin: test.address });
afterAll(stopJobs);
const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false });

const SOON = { timeout: 20_000 };

/** Reloads a page of the sandbox until an element appears, and continues there. */
async function shelf(label: string, words: RegExp): Promise<Page> {
  const page = await context.newPage();
  await expect
    .poll(async () => {
      await page.goto(`${test.address}/sandbox`);
      return page.getByRole('link', { name: label }).count();
    }, SOON)
    .toBe(1);
  if (label === patient.phone) await picture(page, 'story-sandbox');
  await page.getByRole('link', { name: label }).click();
  await lookFor(page, words);
  return page;
}

/** Looks at a phone again until words are there. */
async function lookFor(page: Page, words: RegExp): Promise<void> {
  await expect
    .poll(async () => {
      await page.getByRole('link', { name: 'Look again' }).click();
      return page.getByText(words).count();
    }, SOON)
    .toBeGreaterThan(0);
}

/** Follows the newest link, which opens beside the sandbox. */
async function follow(page: Page, words: RegExp): Promise<Page> {
  const link = page.locator('.message', { hasText: words }).last().getByRole('link');
  const [opened] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await opened.waitForLoadState();
  return opened;
}

it('an appointment is made, a text asks, the patient answers, and the practice sees that they will come', async () => {
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const made = await admin.post('/appointments/').send({ patient_id: patient.id, appointment_date: `${day}T10:00:00` });
  expect(made.status, made.text).toBe(201);
  const template = await admin.post('/sms-message-template').send({
    category: 'reminder',
    name: 'Will you come?',
    tracks_response: 1,
    body: '{{first name}}, we expect you at {{appointment time}}. Reply Y or N.',
  });
  const asked = await admin.post(`/appointments/${made.body.data.uuid}/send-sms`).send({ template_id: template.body.data.uuid });
  expect(asked.status, asked.text).toBe(201);
  expect((await admin.get('/appointments/percentage')).body.data).toMatchObject({ percentage: 0, pending: 1 });

  const page = await shelf(patient.phone, /Rosa, we expect you at 10:00 AM/);
  await picture(page, 'story-phone');
  await page.getByRole('button', { name: 'Y', exact: true }).click();
  await page.getByText('From this phone').waitFor();
  expect((await admin.get('/appointments/percentage')).body.data).toMatchObject({ percentage: 100, confirmed: 1, total: 1 });
  expect((await admin.get(`/appointments/${made.body.data.uuid}`)).body.data.confirmation).toMatchObject({ status: 'Yes', by: 'patient' });
  await page.close();
});

it('a check-in goes out, is filled in on the phone, and the practice has the answers', async () => {
  const sent = await admin.post('/checkin/send').send({
    message: '{{first name}}, how are you? {{url}}',
    sms_email: 'sms',
    recipient_id: patient.id,
    survey_type_id: practice.survey.id,
  });
  expect(sent.status, sent.text).toBe(201);
  const phone = await shelf(patient.phone, /Rosa, how are you\? http/);
  const page = await follow(phone, /how are you/);
  await page.getByLabel('The upper number').fill('128,5');
  await page.getByLabel('Headache').check();
  await page.getByLabel('4', { exact: true }).check();
  await page.getByLabel('Yes', { exact: true }).check();
  await page.getByLabel('Anything that we should know?').fill('I sleep well again.');
  await page.getByRole('button', { name: 'Send my answers' }).click();
  await page.getByRole('heading', { name: 'Thank you, Rosa' }).waitFor();
  await picture(page, 'story-check-in');
  const seen = await admin.get(`/remote-patient-monitoring/checkins/patients/${patient.id}`);
  expect(seen.status, seen.text).toBe(200);
  for (const words of ['I sleep well again.', 'Headache', '128.5']) expect(seen.text).toContain(words);
  await Promise.all([page.close(), phone.close()]);
});

it('a message with a file comes by text, opens with the code from the mailbox, and is counted', async () => {
  const file = await upload(test, admin, 'name,value\r\nsystolic,128\r\n', 'values.csv');
  const sent = await admin.post('/external-messages').send({
    Contact: patient.id,
    subject: 'Your values',
    message: 'They look good.',
    extra_auth: 1,
    attachments: [file.body.data],
  });
  expect(sent.status, sent.text).toBe(201);
  const phone = await shelf(patient.phone, /has a message for you/);
  const page = await follow(phone, /has a message for you/);
  await page.getByRole('button', { name: 'Send me the code' }).click();
  await page.getByText('r•••@example.com').waitFor();
  const mailbox = await shelf('rosa@example.com', /is your code/);
  await picture(mailbox, 'story-mailbox');
  const [, code = ''] = /(\d{6}) is your code/.exec((await mailbox.locator('main').textContent()) ?? '') ?? [];
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Open the message' }).click();
  await page.getByRole('heading', { name: 'Your values' }).waitFor();
  expect(await page.getByText('They look good.').count()).toBe(1);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'values.csv' }).click()]);
  expect(download.suggestedFilename()).toBe('values.csv');
  await picture(page, 'story-message');
  const { data } = (await admin.get(`/external-messages/${sent.body.data.uuid}`)).body;
  expect(data).toMatchObject({ total_views: 1, total_downloads: 1, last_viewed_at: expect.any(String) });
  await expect
    .poll(async () => (await admin.get(`/external-messages/${sent.body.data.uuid}`)).body.data.delivery.state, SOON)
    .toBe('delivered');
  await Promise.all([page.close(), phone.close(), mailbox.close()]);
});

it('a conversation is in Spanish for a patient who reads Spanish: texts, answers and the pages behind links', async () => {
  const luz = await createRecipient(test, organizationId, { firstName: 'Luz', languageCode: 'spa', email: 'luz@example.com' });
  const label = (luz.mobilePhone ?? '').replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3');
  const day = new Date(Date.now() + 4 * 86_400_000).toISOString().slice(0, 10);
  const made = await admin.post('/appointments/').send({ patient_id: luz.id, appointment_date: `${day}T10:00:00` });
  const template = await admin.post('/sms-message-template').send({
    category: 'reminder',
    name: 'Will you come, in two languages?',
    tracks_response: 1,
    body: '{{first name}}, we expect you on {{appointment date}} at {{appointment time}}.',
    variants: [{ language: 'es', body: '{{first name}}, le esperamos el {{appointment date}}, {{appointment time}}.' }],
  });
  const asked = await admin.post(`/appointments/${made.body.data.uuid}/send-sms`).send({ template_id: template.body.data.uuid });
  expect(asked.status, asked.text).toBe(201);

  const phone = await shelf(label, /Luz, le esperamos el .* 10:00 a\.m\..* Responda S/);
  await phone.getByRole('button', { name: 'Sí', exact: true }).click();
  await phone.getByText('From this phone').waitFor();
  await lookFor(phone, /Gracias\. Le esperamos el .*10:00 a\.m\. Responda N si no puede venir/);
  const sent = { sms_email: 'sms', recipient_id: luz.id, survey_type_id: practice.survey.id };
  expect((await admin.post('/checkin/send').send(sent)).status).toBe(201);
  await lookFor(phone, /Hola,? Luz.* http/);
  expect(await phone.locator('.theirs .message:not([lang=es])').count()).toBe(0);
  await picture(phone, 'story-phone-in-spanish');
  const page = await follow(phone, /Hola,? Luz/);
  expect(await page.locator('html').getAttribute('lang')).toBe('es');
  await page.getByRole('button', { name: 'Enviar mis respuestas' }).waitFor();
  await picture(page, 'story-check-in-in-spanish');
  await Promise.all([page.close(), phone.close()]);
});
