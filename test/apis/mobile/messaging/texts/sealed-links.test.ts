import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { sendMails } from '../../../../../src/jobs/sending/send-mails.ts';
import { sendTexts } from '../../../../../src/jobs/sending/send-texts.ts';
import { newUser } from '../../../../identity/support.ts';
import { openMeeting } from '../../../../realtime/room.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { arrivedMails, arrivedTexts } from '../../../../support/arrived.ts';
import { createSurvey } from '../../../../support/check-ins.ts';
import { written } from '../../../../support/external-messages.ts';
import { textingPractice } from './consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart } = await textingPractice(test);
const rows = () => test.database.prisma;

/** Tables with a row that has one of the words in some column, as text or as bytes. */
async function tablesWith(words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await test.database.pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'queue'::regnamespace)
        AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const forms = words.flatMap((word) => [word, Buffer.from(word).toString('hex')]).map((form) => `%${form}%`);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await test.database.pool.query(`SELECT FROM ${name} AS t WHERE t::text LIKE ANY ($1) LIMIT 1`, [forms]);
    if (rowCount) found.push(name);
  }
  return found;
}

/** Hands all messages that wait over to the simulated carrier and mailer. */
async function sendAll(organizationId: number): Promise<void> {
  const { keyring } = test;
  const { unitOfWork, gateways } = test.services;
  const texts = await rows().smsMessage.findMany({ where: { organizationId, state: 'queued' } });
  const mails = await rows().mailMessage.findMany({ where: { organizationId, state: 'queued' } });
  const text = sendTexts({ unitOfWork, keyring, carrier: gateways.carrier, statusUrl: null });
  for (const { id } of texts) await text.run(organizationId, id);
  for (const { id } of mails) await sendMails({ unitOfWork, keyring, mailer: gateways.mailer }).run(organizationId, id);
}

it('no link that was texted or mailed stands in any column, not in a job, an event, the audit, a stored response or a sent message', async () => {
  const survey = (await createSurvey(test, organizationId)).id;
  const room = (await rows().waitingRoom.create({ data: { organizationId, name: 'Hall' } })).id;
  const meeting = (await openMeeting(person)).guid;
  const { id } = await chart();
  await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { email: 'rosa@example.com' } });
  const doors: [string, object][] = ['sms', 'email'].flatMap((channel): [string, object][] => [
    ['/checkin/send', { recipient_id: id, survey_type_id: survey, sms_email: channel }],
    [`/video-session/${meeting}/invite`, { patient_id: id, emailOrSms: channel }],
    [`/waiting-rooms/${room}/invite/${id}`, { emailOrSms: channel }],
  ]);
  for (const [path, body] of [...doors, ['/external-messages', { message: 'Hi', Contact: id }] as const])
    expect((await person.post(path).set('idempotency-key', randomUUID()).send(body)).status, path).toBe(201);
  const { user, email } = await newUser(test);
  expect((await test.http.post('/forgot-password').send({ email })).status).toBeLessThan(300);
  await expect.poll(() => rows().mailMessage.count({ where: { toAddress: email } }), { timeout: 10_000 }).toBe(1);
  const everybody = [organizationId, user.organizationId];
  const links = (await Promise.all(everybody.map((id) => written(test, { ...person, organizationId: id }))))
    .flat()
    .flatMap(({ words }) => words.match(/https?:\/\/\S+/g) ?? []);
  const tokens = links.flatMap((link) => link.match(/[\w-]{32}/g) ?? []);
  expect(tokens).toHaveLength(8);
  expect(await tablesWith(tokens)).toEqual([]);
  for (const organization of everybody) await sendAll(organization);
  const arrived = [...(await arrivedTexts(rows(), test.keyring)), ...(await arrivedMails(rows(), test.keyring))].map(({ body }) => body);
  expect(tokens.filter((token) => arrived.some((body) => body.includes(token))).length).toBeGreaterThan(0);
  expect(await tablesWith(tokens)).toEqual([]);
  expect(await tablesWith(['rosa@example.com'])).toEqual(expect.arrayContaining(['mail_message', 'patient']));
});
