import { expect, it } from 'vitest';
import { sealSsn } from '../../src/domain/patients/record/ssn.ts';
import { createLocalMailer, findDeliveredMails } from '../../src/gateways/mail/local-mailer.ts';
import { practiceClient } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';

const test = await ownTestApp();
const rows = () => test.database.prisma;
const clinic = await practiceClient(test, { scopes: ['practice.read', 'ssn.read'] });
const { organizationId } = clinic;

/** A chart with the encrypted number of another row, or with one that was spoiled. */
async function chartWith(change: (encrypted: string) => string, sealedFor?: number): Promise<number> {
  const { id } = await createPatient(rows(), { organizationId });
  const { encrypted, hash, lastFour } = sealSsn(test.keyring, { organizationId, row: sealedFor ?? id }, '219099184');
  const data = { ssnEncrypted: change(encrypted), ssnHash: hash, ssnLastFour: lastFour };
  await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data });
  return id;
}

const spoiled = (encrypted: string) => `${encrypted.slice(0, -4)}${encrypted.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;

it.each([
  ['of another row', () => chartWith((encrypted) => encrypted, 4_711)],
  ['that was spoiled', () => chartWith(spoiled)],
  ['of a master key that is gone', () => chartWith((encrypted) => `gone${encrypted.slice(encrypted.indexOf('.'))}`)],
])('a value %s is told apart, named in the log by its place alone, and counted', async (_, make) => {
  const id = await make();
  test.logs.length = 0;
  const before = await counted();
  const answer = await clinic.get(`/patients/${id}?showfullssn=true`);
  expect(answer.status).toBe(500);
  expect(answer.text).toContain('A stored value cannot be decrypted');
  const lines = test.logs.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  expect(lines).toMatchObject([{ err: { name: 'Error', cell: { table: 'patient', column: 'ssn_encrypted', organizationId, row: id } } }]);
  const { ssnEncrypted } = await rows().patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
  for (const secret of ['219099184', ssnEncrypted ?? 'none'])
    expect([answer.text, ...test.logs].some((text) => text.includes(secret))).toBe(false);
  expect(await counted()).toBe(before + 1);
});

async function counted(): Promise<number> {
  const { text } = await test.http.get('/metrics');
  return Number(/^encrypted_values_unreadable_total\{column="patient\.ssn_encrypted"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

it('what does not need the value stays readable: the chart, lists with it, and the other mails of a mailbox', async () => {
  const id = await chartWith(spoiled);
  const { ssn, lastname } = (await clinic.get(`/patients/${id}`)).body[0];
  expect(ssn).toBe('*****9184');
  const found = await clinic.get(`/patients?lastname=${lastname}`);
  expect(found.body.patients.map(({ patientid }: { patientid: string }) => patientid)).toContain(String(id));
  const mailer = createLocalMailer(rows(), test.keyring);
  for (const reference of ['one', 'two'])
    await mailer.send({ reference, fromName: 'Clinic', to: 'a@example.com', subject: 'Hello', body: `body of ${reference}` });
  const { body } = await rows().localMail.findUniqueOrThrow({ where: { reference: 'one' } });
  await rows().localMail.create({ data: { reference: 'moved', fromName: 'Clinic', toAddress: 'a@example.com', subject: 'Hello', body } });
  const opened = await findDeliveredMails(rows(), test.keyring, ['one', 'moved', 'two']);
  expect([...opened].sort()).toEqual([
    ['one', 'body of one'],
    ['two', 'body of two'],
  ]);
});
