import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { sendMails } from '../../../../../src/jobs/sending/send-mails.ts';
import { integrationClient } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { arrivedMails } from '../../../../support/arrived.ts';
import { createSurvey } from '../../../../support/check-ins.ts';
import { textingPractice } from '../texts/consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart } = await textingPractice(test);
const client = await integrationClient(test, { organizationId });
const rows = () => test.database.prisma;

it('the link of a check-in by mail asks for a code once the patient has another address', async () => {
  const email = `${randomUUID()}@example.com`;
  const { id, number } = await chart({ email });
  const survey = (await createSurvey(test, organizationId)).id;
  await person.post('/checkin/send').send({ recipient_id: id, survey_type_id: survey, sms_email: 'email' }).expect(201);
  const mails = sendMails({ unitOfWork: test.services.unitOfWork, keyring: test.keyring, mailer: test.services.gateways.mailer });
  await mails.run(organizationId, (await rows().mailMessage.findFirstOrThrow({ where: { organizationId, toAddress: email } })).id);
  const [sent] = await arrivedMails(rows(), test.keyring, { toAddress: email });
  const path = /https?:\/\/[^/]+(\/\w\/\S+)/.exec(sent?.body ?? '')?.[1];
  const open = (end = '') => fetch(`${test.address}${path}${end}`, { redirect: 'manual' });
  expect(await (await open()).text()).toContain('<form');
  await client.put(`/patients/${id}`).send({ email: 'other@example.com' }).expect(200);
  const closed = await open();
  expect([closed.status, closed.headers.get('location')]).toEqual([303, `${path}/open`]);
  expect(await (await open('/open')).text()).toContain(number.slice(-4));
});
