import { expect, it, onTestFinished } from 'vitest';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { ownTestApp } from '../support/app.ts';
import { arrivedMails } from '../support/arrived.ts';
import { eventually } from '../support/server-process.ts';
import { createOperator, foundPractice, Made } from './command-line.ts';

const test = await ownTestApp();
const operator = createOperator(test);

it('an invitation is in the language of the practice', async () => {
  const { id } = await foundPractice(operator);
  const email = `ines.${id}@clinic.example`;
  const users = [{ email, first_name: 'Inés', last_name: 'Ruiz', role: 'staff' }];
  expect(await operator.apply(id, { language_id: 'es', users })).toMatchObject({ code: 0 });
  const mail = await test.database.prisma.mailMessage.findFirstOrThrow({ where: { organizationId: id, toAddress: email } });
  expect(mail.body).toContain('Hola, Inés:');
});

it('a mail that a command causes is sent by the worker, like one of the server', async () => {
  const { id } = await foundPractice(operator);
  const email = `grace.${id}@clinic.example`;
  await operator.apply(id, { users: [{ email, first_name: 'Grace', last_name: 'Hopper', role: 'staff' }] });
  await operator.ask(Made, `users invite-again ${email}`);
  onTestFinished(startJobs({ ...test.services, origin: test.address }));
  const arrived = () => arrivedMails(test.database.prisma, test.keyring, { toAddress: email });
  await eventually('both mails', async () => (await arrived()).length === 2);
  const [first, second] = await arrived();
  expect(first?.body).toContain('/invitation/');
  expect(second?.body).toContain('/invitation/');
});
