import { expect, it, onTestFinished } from 'vitest';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { ownTestApp } from '../support/app.ts';
import { arrivedMails } from '../support/arrived.ts';
import { eventually } from '../support/server-process.ts';
import { foundPractice, Made, operatorOf } from './command-line.ts';

const test = await ownTestApp();
const operator = operatorOf(test);

it('an invitation is in the language of the practice', async () => {
  const { id } = await foundPractice(operator);
  await operator.say(`organizations set ${id} --language es`);
  const email = `ines.${id}@clinic.example`;
  await operator.ask(Made, `users invite --organization ${id} --type staff --first-name Inés --last-name Ruiz --email ${email}`);
  const mail = await test.database.prisma.mailMessage.findFirstOrThrow({ where: { organizationId: id, toAddress: email } });
  expect(mail.body).toContain('Hola, Inés:');
});

it('a mail that a command causes is sent by the worker, like one of the server', async () => {
  const { id } = await foundPractice(operator);
  const email = `grace.${id}@clinic.example`;
  const invited = await operator.ask(
    Made,
    `users invite --organization ${id} --type staff --first-name Grace --last-name Hopper --email ${email}`,
  );
  await operator.ask(Made, `users invite-again ${invited.id}`);
  onTestFinished(startJobs({ ...test.services, origin: test.address }));
  const arrived = () => arrivedMails(test.database.prisma, test.keyring, { toAddress: email });
  await eventually('both mails', async () => (await arrived()).length === 2);
  const [first, second] = await arrived();
  expect(first?.body).toContain('/invitation/');
  expect(second?.body).toContain('/invitation/');
});
