import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ownTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';

const test = await ownTestApp();
const MIGRATION = new URL('../../prisma/migrations/20261123070000_calls_keep_their_owner/migration.sql', import.meta.url);
const SHARED = '+13365550151';
const OWN = '+13365550152';

it('calls, voice messages and texts that stand get their patients: of a number that a restricted patient shares, that patient', async () => {
  const db = test.database.prisma;
  const { id: organizationId } = await createOrganization(db);
  const listed = await createPatient(db, { organizationId, mobilePhone: SHARED });
  const restricted = await createPatient(db, { organizationId, homePhone: SHARED });
  const other = await createPatient(db, { organizationId, mobilePhone: OWN });
  await db.privacyRestriction.create({
    data: { organizationId, patientId: restricted.id, kind: 'record', createdAt: new Date('2031-03-02') },
  });
  const line = { organizationId, number: '+13365550150', kind: 'voice_pager', state: 'active' } as const;
  const { id: phoneNumberId } = await db.phoneNumber.create({ data: line });
  const appointment = await db.appointment.create({ data: { organizationId, timeZone: 'UTC', durationMinutes: 30 } });
  const text = { organizationId, direction: 'inbound', state: 'received', toNumber: line.number, fromNumber: SHARED } as const;
  await db.smsMessage.createMany({
    data: [
      { ...text, body: 'before', patientId: listed.id, queuedAt: new Date('2031-03-01') },
      { ...text, body: 'since', patientId: listed.id, queuedAt: new Date('2031-03-03') },
      { ...text, body: 'answer', patientId: listed.id, queuedAt: new Date('2031-03-03'), appointmentId: appointment.id },
      { ...text, body: 'nobody', queuedAt: new Date('2031-03-01') },
      { ...text, body: 'stranger', fromNumber: OWN, queuedAt: new Date('2031-03-03') },
    ],
  });
  await runAsOwner(
    test.databaseUrl,
    'ALTER TABLE incoming_call DROP COLUMN patient_id; ALTER TABLE voice_pager_message DROP COLUMN patient_id',
  );
  for (const [at, number] of [SHARED, OWN, '+13365550159'].entries()) {
    await db.$executeRaw`
      INSERT INTO incoming_call (organization_id, phone_number_id, carrier_call_id, from_number, to_number, status, started_at)
      VALUES (${organizationId}, ${phoneNumberId}, ${`CA-${at}`}, ${number}, ${line.number}, 'completed', now())`;
    await db.$executeRaw`
      INSERT INTO voice_pager_message (organization_id, phone_number_id, carrier_id, from_number, received_at)
      VALUES (${organizationId}, ${phoneNumberId}, ${`VM-${at}`}, ${number}, now())`;
  }
  await runAsOwner(test.databaseUrl, await readFile(MIGRATION, 'utf8'));
  const found = { where: { organizationId }, orderBy: { id: 'asc' }, select: { patientId: true } } as const;
  const patients = [restricted.id, other.id, null];
  expect((await db.incomingCall.findMany(found)).map(({ patientId }) => patientId)).toEqual(patients);
  expect((await db.voicePagerMessage.findMany(found)).map(({ patientId }) => patientId)).toEqual(patients);
  const texts = await db.smsMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  expect(texts.map(({ body, patientId }) => [body, patientId])).toEqual([
    ['before', listed.id],
    ['since', restricted.id],
    ['answer', listed.id],
    ['nobody', restricted.id],
    ['stranger', null],
  ]);
});

it('calls and voice messages that stand get the call group that their number has, or none', async () => {
  const db = test.database.prisma;
  const { id: organizationId } = await createOrganization(db);
  const chat = await db.chat.create({ data: { organizationId, name: 'On Call' } });
  const lines = await Promise.all(
    [chat.id, null].map((chatId, at) =>
      db.phoneNumber.create({ data: { organizationId, number: `+1336555016${at}`, kind: 'plain', chatId } }),
    ),
  );
  await runAsOwner(
    test.databaseUrl,
    'ALTER TABLE incoming_call DROP COLUMN chat_id; ALTER TABLE voice_pager_message DROP COLUMN chat_id; ALTER TABLE phone_number DROP COLUMN releases_at',
  );
  for (const { id, number } of lines) {
    await db.$executeRaw`
      INSERT INTO incoming_call (organization_id, phone_number_id, carrier_call_id, from_number, to_number, status, started_at)
      VALUES (${organizationId}, ${id}, ${number}, ${OWN}, ${number}, 'completed', now())`;
    await db.$executeRaw`
      INSERT INTO voice_pager_message (organization_id, phone_number_id, carrier_id, from_number, received_at)
      VALUES (${organizationId}, ${id}, ${number}, ${OWN}, now())`;
  }
  await runAsOwner(test.databaseUrl, await readFile(new URL('../20261125010000_numbers/migration.sql', MIGRATION), 'utf8'));
  const found = { where: { organizationId }, orderBy: { id: 'asc' }, select: { chatId: true } } as const;
  expect(await db.incomingCall.findMany(found)).toEqual([{ chatId: chat.id }, { chatId: null }]);
  expect(await db.voicePagerMessage.findMany(found)).toEqual([{ chatId: chat.id }, { chatId: null }]);
});
