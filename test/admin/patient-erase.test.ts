import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { removeUnclaimedFiles, storeFile } from '../../src/domain/files/stored-files.ts';
import { PATIENT_TABLES } from '../../src/domain/patient-rights/patient-tables.ts';
import { FileMissing } from '../../src/gateways/files/files.ts';
import { PATIENT, PATIENT_ID, showsPatient } from '../contract/restricted-chart.ts';
import { openFurnished } from '../contract/tenant.ts';
import { integrationClient } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { asSuperuser, runWithoutTriggers } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { createOperator } from './command-line.ts';

const test = await ownTestApp();
const operator = createOperator(test);
const db = test.database.prisma;

const Planned = z.object({ erased: z.literal(false), charts: z.array(z.int()), rows: z.record(z.string(), z.int()), confirm: z.string() });
const plan = (organizationId: number, id: number) => operator.ask(Planned, `patients erase --patient ${id} --practice ${organizationId}`);
const erase = (organizationId: number, id: number, word: string) =>
  operator.say(`patients erase --patient ${id} --practice ${organizationId} --confirm ${word}`);

/** A practice that erases people a year after their last visit, and somebody who was there long ago. */
async function practiceWithPatient({
  rules = { erasure: true, chart_years: 1 } as object | null,
  birthDate = '1950-01-01',
  years = 3,
} = {}) {
  const organizationId = (await createOrganization(db)).id;
  if (rules) expect(await operator.apply(organizationId, { policies: rules })).toMatchObject({ code: 0 });
  const createdAt = new Date(Date.now() - years * 366 * 86_400_000);
  const { id } = await createPatient(db, { organizationId, createdAt, birthDate: new Date(birthDate) });
  return { organizationId, id, createdAt };
}

/** Every row of every table, the queue's too, as text. */
async function everyRow(): Promise<{ table: string; row: string }[]> {
  const client = new pg.Client({ connectionString: asSuperuser(test.databaseUrl) });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
      WHERE c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'queue')) AND c.relkind = 'r'`,
  );
  const found: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    found.push(...rows.map(({ row }) => ({ table: name, row })));
  }
  await client.end();
  return found;
}

/** Whose number is in the history of consent too. */
const WITH_NUMBER = {
  ...PATIENT,
  values: {
    ...PATIENT.values,
    'slot_claim.appointment_id': '{id}',
    'opt_out.number': `'+19195550177'`,
    'attachment.storage_key': `'1999999994/knee'`,
  },
};

describe('a person', () => {
  it('is erased with all rows of all tables, and what is left of them is ids in the logs', async () => {
    const PRACTICE = 1_999_999_994;
    await createOrganization(db, { id: PRACTICE });
    const furnished = await openFurnished(
      test.databaseUrl,
      PRACTICE,
      { practiceId: PRACTICE, id: PRACTICE, guid: randomUUID() },
      WITH_NUMBER,
    );
    await furnished.furnish();
    // Nobody deletes the evidence of billing; and no master key opens what is sealed there.
    await runWithoutTriggers(
      test.databaseUrl,
      `DELETE FROM push_subscription; DELETE FROM webhook_secret; DELETE FROM review_release; DELETE FROM month_closing_row;
       DELETE FROM retention_policy; DELETE FROM legal_hold; DELETE FROM unclaimed_file; DELETE FROM audit_checkpoint`,
    );
    expect(await operator.apply(PRACTICE, { policies: { erasure: true, chart_years: 1 } })).toMatchObject({ code: 0 });
    await runWithoutTriggers(
      test.databaseUrl,
      ['patient.created_at', 'appointment.ends_at', 'claim.service_date', 'telehealth_visit.started_at', 'waiting_room_visit.entered_at']
        .concat(['reading.measured_at', 'check_in.answered_at', 'check_in_review.started_at', 'incoming_call.started_at'])
        .concat('voice_pager_message.received_at')
        .map((name) => name.split('.'))
        .map(([table, column]) => `UPDATE ${table} SET ${column} = '2001-01-15T10:00:00Z' WHERE organization_id = ${PRACTICE}`)
        .join(';')
        .replace('SET ends_at', `SET starts_at = '2001-01-15T09:00:00Z', ends_at`),
    );
    const before = (await everyRow()).filter(({ row }) => showsPatient(row));
    expect(new Set(before.map(({ table }) => table)).size).toBeGreaterThan(30);

    const { charts, rows, confirm } = await plan(PRACTICE, PATIENT_ID);
    expect(charts).toEqual([PATIENT_ID]);
    const uncounted = PATIENT_TABLES.map(({ table }) => table).filter((table) => rows[table] !== 1);
    // A photo and a card.
    expect(uncounted).toEqual([
      'chart_image',
      'legal_hold',
      'monitoring_consent',
      'review_release',
      'closed_ledger_row',
      'month_closing_row',
    ]);
    expect(await erase(PRACTICE, PATIENT_ID, confirm)).toMatchObject({ code: 0, err: '' });

    const left = (await everyRow()).filter(({ row }) => showsPatient(row));
    expect([...new Set(left.map(({ table }) => table.replace(/_\d{4}_\d\d$/, '')))].sort()).toEqual(['audit_entry', 'event']);
    expect(await operator.say('audit seal')).toMatchObject({ code: 0 });
    const { err } = await operator.say(`audit verify --practice ${PRACTICE}`);
    expect(err).toBe('');
    expect(await operator.say(`patients erase --patient ${PATIENT_ID} --practice ${PRACTICE}`)).toMatchObject({ code: 1 });

    await furnished.close();
  });

  it('is erased with all charts, stored responses and files, which a job deletes; another patient stays', async () => {
    const { organizationId, id: neighbour, createdAt } = await practiceWithPatient();
    const client = await integrationClient(test, { organizationId });
    const given = { firstname: 'Ana', lastname: 'Ruiz', dob: '1950-01-01', med_rec_no: 'A-1' };
    const made = await client.post('/patients').set('Idempotency-Key', randomUUID()).send(given).expect(200);
    const { id } = await db.patient.findFirstOrThrow({ where: { organizationId, medicalRecordNo: 'A-1' }, select: { id: true } });
    expect(made.text).toContain('Ruiz');
    await db.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { createdAt } });
    expect(await db.idempotencyRecord.count({ where: { organizationId } })).toBe(1);
    const copy = await createPatient(db, { organizationId, enterpriseId: id, createdAt });
    const content = Readable.from([Buffer.from('a picture')]);
    const { storageKey, ...file } = await storeFile(test.services.store, organizationId, content, 1_000);
    await db.unclaimedFile.deleteMany({ where: { organizationId } });
    const data = { organizationId, storageKey, fileName: 'knee.png', mediaType: file.mediaType, byteLength: file.byteLength };
    const attachment = await db.attachment.create({ data: { ...data, sha256: new Uint8Array(file.sha256) } });
    const words = { channel: 'email', sentTo: 'ana@example.com', message: 'Your knee', linkHash: new Uint8Array([9, 9]) };
    const flags = { extraAuth: false, displayCredentials: false, expiresAt: new Date() };
    const message = await db.externalMessage.create({ data: { organizationId, patientId: id, ...words, ...flags } });
    const link = { organizationId, externalMessageId: message.id, attachmentId: attachment.id, position: 1 };
    await db.externalMessageAttachment.create({ data: link });
    const text = { organizationId, direction: 'outbound' as const, toNumber: '+19195550177', body: 'Come', state: 'queued' as const };
    await db.smsMessage.create({ data: { ...text, patientId: copy.id } });

    const { charts, confirm } = await plan(organizationId, copy.id);
    expect(charts).toEqual([id, copy.id]);
    const done = await erase(organizationId, copy.id, confirm);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('Backups made by hand');
    await client.get(`/patients/${id}`).expect(404);
    expect(await db.patient.findMany({ where: { organizationId }, select: { id: true } })).toEqual([{ id: neighbour }]);
    expect(await db.smsMessage.count({ where: { organizationId } })).toBe(0);
    expect(await db.idempotencyRecord.count({ where: { organizationId } })).toBe(0);
    await removeUnclaimedFiles(test.services.store);
    await expect(test.services.gateways.files.read(storageKey)).rejects.toBeInstanceOf(FileMissing);
    const events = await db.event.findMany({ where: { organizationId, name: 'patient.erased' }, orderBy: { id: 'asc' } });
    expect(events.map(({ subjectId }) => Number(subjectId))).toEqual([id, copy.id]);
    const audited = await db.auditEntry.findMany({ where: { organizationId, action: 'delete', resource: 'patient' } });
    expect(audited.map(({ actor }) => actor)).toEqual(['operator:tester', 'operator:tester']);
  });

  it('is confirmed by a word of the present state: a change makes it another, and nothing is erased', async () => {
    const { organizationId, id } = await practiceWithPatient();
    const { confirm } = await plan(organizationId, id);
    await db.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { city: 'Raleigh' } });
    const refused = await erase(organizationId, id, confirm);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('have changed since');
    expect(await db.patient.count({ where: { organizationId } })).toBe(1);
  });
});

describe('nobody is erased', () => {
  const refusal = async (organizationId: number, id: number) => {
    const { code, err } = await operator.say(`patients erase --patient ${id} --practice ${organizationId}`);
    expect(code).toBe(1);
    return err;
  };

  it('where the practice has not allowed it', async () => {
    const { organizationId, id } = await practiceWithPatient({ rules: null });
    expect(await refusal(organizationId, id)).toContain('erasure: true');
  });

  it('before the years since the last visit are over, whose end is named; a cancelled one does not count', async () => {
    const { organizationId, id } = await practiceWithPatient();
    const at = (day: string) => ({
      startsAt: new Date(`${day}T10:00Z`),
      endsAt: new Date(`${day}T11:00Z`),
      localStart: new Date(`${day}T10:00Z`),
    });
    const visit = { organizationId, patientId: id, timeZone: 'UTC', durationMinutes: 60 };
    await db.appointment.create({ data: { ...visit, ...at('2098-05-04'), status: 'cancelled' } });
    expect(await plan(organizationId, id)).toMatchObject({ rows: { appointment: 1 } });
    await db.appointment.create({ data: { ...visit, ...at('2097-05-04') } });
    expect(await refusal(organizationId, id)).toContain('kept until 2098-05-04');
  });

  it('as a minor, nor for the years after they came of age', async () => {
    const { organizationId, id } = await practiceWithPatient({ birthDate: '2020-02-29' });
    expect(await refusal(organizationId, id)).toContain('kept until 2039-02-28');
  });

  it('under a legal hold, of the person or of the practice', async () => {
    const { organizationId, id } = await practiceWithPatient();
    await operator.say(`legal-holds place --practice ${organizationId} --patient ${id} --reason`, 'Smith v. Clinic');
    expect(await refusal(organizationId, id)).toContain('legal hold');
  });

  it('with evidence of billing', async () => {
    const { organizationId, id } = await practiceWithPatient();
    await db.monitoringConsent.create({ data: { organizationId, patientId: id, givenAt: new Date(), how: 'verbal', givenBy: 'herself' } });
    expect(await refusal(organizationId, id)).toContain('billing evidence');
  });

  it('of another practice', async () => {
    const [own, other] = [await practiceWithPatient(), await practiceWithPatient()];
    expect(await refusal(own.organizationId, other.id)).toContain('no such patient');
  });
});
