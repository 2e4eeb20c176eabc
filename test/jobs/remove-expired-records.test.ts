import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jobCaller } from '../../src/domain/caller.ts';
import { storeFile } from '../../src/domain/files/stored-files.ts';
import { attachFile } from '../../src/domain/messaging/attachments/attachments.ts';
import { PAGE } from '../../src/domain/patient-rights/expired-page.ts';
import { removeExpiredRecords } from '../../src/jobs/upkeep/remove-expired-records.ts';
import { createOperator, Made } from '../admin/command-line.ts';
import { ownTestApp } from '../support/app.ts';
import { createOrganization, createPatient, createUser } from '../support/factories.ts';

const test = await ownTestApp();
const operator = createOperator(test);
const db = test.database.prisma;
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const run = () => removeExpiredRecords({ database: test.database, unitOfWork: test.services.unitOfWork });

async function practice(policies: object = {}) {
  const organizationId = (await createOrganization(db)).id;
  expect(await operator.apply(organizationId, { policies })).toMatchObject({ code: 0 });
  return organizationId;
}

interface TextOptions {
  patientId?: number;
  state?: 'delivered' | 'queued';
}

const addText = (organizationId: number, age: number, { patientId, state = 'delivered' }: TextOptions = {}) =>
  db.smsMessage.create({
    data: {
      organizationId,
      direction: 'outbound',
      toNumber: '+19195550123',
      body: 'Your visit is tomorrow',
      state,
      queuedAt: daysAgo(age),
      ...(patientId === undefined ? {} : { patientId }),
    },
  });

const listTextIds = async (organizationId: number) =>
  (await db.smsMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).map(({ id }) => id);

async function addFile(organizationId: number, age: number) {
  const file = await storeFile(test.services.store, organizationId, Readable.from([Buffer.from('content')]), 1_000);
  const { id } = await test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => attachFile(tx, file, 'knee.txt'));
  await db.attachment.update({ where: { organizationId_id: { organizationId, id } }, data: { createdAt: daysAgo(age) } });
  return { id, storageKey: file.storageKey };
}

describe('records of a practice', () => {
  it('are kept for ever without a rule, and by the rules of another practice', async () => {
    const [own] = [await practice(), await practice({ text_days: 90 })];
    const { id } = await addText(own, 4_000);
    await run();
    expect(await listTextIds(own)).toEqual([id]);
  });

  it('go when they are older than the rule says: texts with what names them, and not those that wait or are asked about', async () => {
    const organizationId = await practice({ text_days: 90 });
    const patientId = (await createPatient(db, { organizationId })).id;
    const old = await addText(organizationId, 91, { patientId });
    const surveyed = { organizationId, patientId, channel: 'sms', message: 'How are you?', linkHash: new Uint8Array([1]) };
    const checkIn = await db.checkIn.create({
      data: { ...surveyed, smsMessageId: old.id, expiresAt: new Date(), answers: { pain: '3' } },
    });
    const asking = await addText(organizationId, 92, { patientId });
    const times = { startsAt: daysAgo(-10), endsAt: daysAgo(-11), localStart: daysAgo(-10), timeZone: 'UTC', durationMinutes: 30 };
    const appointment = await db.appointment.create({ data: { organizationId, patientId, ...times } });
    await db.textAppointment.create({ data: { organizationId, smsMessageId: asking.id, appointmentId: appointment.id } });
    const waiting = await addText(organizationId, 93, { state: 'queued' });
    const young = await addText(organizationId, 89);
    await run();
    expect(await listTextIds(organizationId)).toEqual([asking.id, waiting.id, young.id]);
    const kept = await db.checkIn.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id: checkIn.id } } });
    expect(kept).toMatchObject({ smsMessageId: null, answers: { pain: '3' } });
    const audited = await db.auditEntry.findFirstOrThrow({ where: { organizationId, action: 'delete', resource: 'text' } });
    expect(audited).toMatchObject({ actor: 'job:remove-expired-records', patientIds: [patientId] });
    expect(Number(audited.resourceIds[0])).toBe(old.id);
    expect(await db.event.count({ where: { organizationId, name: 'text.deleted' } })).toBe(1);
  });

  it('go in pages, past rows that stay, and another run finds nothing more', async () => {
    const organizationId = await practice({ text_days: 90 });
    const row = { organizationId, direction: 'outbound' as const, toNumber: '+19195550123', body: 'x', queuedAt: daysAgo(100) };
    const states = Array.from({ length: 2 * PAGE + 5 }, (_, index) => (index < PAGE + 2 ? 'queued' : 'sent') as 'queued' | 'sent');
    await db.smsMessage.createMany({ data: states.map((state) => ({ ...row, state })) });
    await run();
    expect(await listTextIds(organizationId)).toHaveLength(PAGE + 2);
    await run();
    expect(await db.event.count({ where: { organizationId, name: 'text.deleted' } })).toBe(PAGE + 3);
  });

  it('go with their mails', async () => {
    const organizationId = await practice({ text_days: 90 });
    const mail = { organizationId, toAddress: 'ana@example.com', subject: 'Visit', body: 'Tomorrow' };
    await db.mailMessage.create({ data: { ...mail, state: 'sent', queuedAt: daysAgo(91) } });
    const kept = await db.mailMessage.create({ data: { ...mail, state: 'sent', queuedAt: daysAgo(89) } });
    await run();
    expect(await db.mailMessage.findMany({ where: { organizationId }, select: { id: true } })).toEqual([{ id: kept.id }]);
  });

  it('go with their files: pictures, recordings, files of messages and drafts', async () => {
    const organizationId = await practice({ media_days: 30, draft_days: 7 });
    const patientId = (await createPatient(db, { organizationId })).id;
    const { user } = await createUser(db, { organizationId });
    const [picture, recording, sent, draft, young] = await Promise.all([31, 31, 31, 8, 6].map((age) => addFile(organizationId, age)));
    if (!picture || !recording || !sent || !draft || !young) throw new Error('five files were made');
    const link = { hostUserId: user.id, kind: 'host', guid: crypto.randomUUID(), provider: 'mesh', guestLinkHash: new Uint8Array([1]) };
    const session = await db.videoSession.create({ data: { organizationId, ...link, expiresAt: new Date() } });
    const media = { organizationId, videoSessionId: session.id, patientId };
    await db.sessionImage.create({ data: { ...media, attachmentId: picture.id, takenAt: daysAgo(31) } });
    await db.sessionVideo.create({ data: { ...media, attachmentId: recording.id, recordedAt: daysAgo(31) } });
    const words = { channel: 'email', sentTo: 'ana@example.com', message: 'Your knee', linkHash: new Uint8Array([2]) };
    const flags = { extraAuth: false, displayCredentials: false, expiresAt: daysAgo(24), createdAt: daysAgo(31) };
    const message = await db.externalMessage.create({ data: { organizationId, patientId, ...words, ...flags } });
    await db.externalMessageAttachment.create({
      data: { organizationId, externalMessageId: message.id, attachmentId: sent.id, position: 1 },
    });
    const text = await addText(organizationId, 31, { patientId });
    const texted = await addFile(organizationId, 31);
    await db.textPicture.create({
      data: { organizationId, smsMessageId: text.id, carrierUrl: 'https://api.twilio.com/picture', attachmentId: texted.id },
    });
    await run();
    expect(await db.attachment.findMany({ where: { organizationId }, select: { id: true } })).toEqual([{ id: young.id }]);
    expect(await db.smsMessage.count({ where: { organizationId } })).toBe(1);
    // The job of abandoned files deletes these, again after a kill.
    const abandoned = await db.unclaimedFile.findMany({ where: { organizationId }, select: { storageKey: true } });
    expect(abandoned.map(({ storageKey }) => storageKey).sort()).toEqual(
      [picture, recording, sent, draft, texted].map(({ storageKey }) => storageKey).sort(),
    );
    expect(await db.externalMessage.count({ where: { organizationId } })).toBe(1);
    const names = await db.event.findMany({ where: { organizationId, name: { endsWith: 'deleted' } }, select: { name: true } });
    expect(names.map(({ name }) => name).sort()).toEqual([
      ...['attachment.deleted', 'attachment.deleted', 'attachment.deleted', 'attachment.deleted', 'attachment.deleted'],
      ...['session_image.deleted', 'session_video.deleted', 'text.pictures_deleted'],
    ]);
  });
});

describe('a legal hold', () => {
  it('keeps the records of all charts of a patient, and of their number, until it is lifted', async () => {
    const organizationId = await practice({ text_days: 90 });
    const held = await createPatient(db, { organizationId, mobilePhone: '+19195550177' });
    const copy = await createPatient(db, { organizationId, enterpriseId: held.id });
    const other = await createPatient(db, { organizationId });
    const [own, copied] = [
      await addText(organizationId, 91, { patientId: held.id }),
      await addText(organizationId, 91, { patientId: copy.id }),
    ];
    const unknown = await addText(organizationId, 91);
    await db.smsMessage.updateMany({ where: { organizationId, id: unknown.id }, data: { toNumber: '+19195550177' } });
    await addText(organizationId, 91, { patientId: other.id });
    const reason = ['--reason', 'Smith v. Clinic'];
    const { id } = await operator.ask(Made, `legal-holds place --practice ${organizationId} --patient ${copy.id}`, ...reason);
    await run();
    expect(await listTextIds(organizationId)).toEqual([own.id, copied.id, unknown.id]);
    expect(await operator.say(`legal-holds lift ${id} --practice ${organizationId}`)).toMatchObject({ code: 0 });
    expect(await operator.say(`legal-holds lift ${id} --practice ${organizationId}`)).toMatchObject({ code: 1 });
    await run();
    expect(await listTextIds(organizationId)).toEqual([]);
    const holds = await operator.ask(
      z.array(z.object({ id: z.int(), lifted_at: z.string().nullable() })),
      `legal-holds list --practice ${organizationId}`,
    );
    expect(holds).toEqual([{ id, lifted_at: expect.any(String) }]);
  });

  it('keeps those of a whole practice', async () => {
    const organizationId = await practice({ text_days: 90 });
    await addText(organizationId, 91);
    await operator.say(`legal-holds place --practice ${organizationId} --reason`, 'Investigation');
    await run();
    expect(await listTextIds(organizationId)).toHaveLength(1);
  });
});

describe('the rules', () => {
  it('refuse fewer days than the ledger needs, are cleared by null, and leave one event each', async () => {
    const organizationId = await practice({ media_days: 400 });
    expect(await operator.apply(organizationId, { policies: { text_days: 89 } })).toMatchObject({
      code: 1,
      err: expect.stringContaining('from 90 to'),
    });
    expect(await operator.apply(organizationId, { policies: { media_days: null } })).toMatchObject({ code: 0 });
    expect(await db.retentionPolicy.findUnique({ where: { organizationId } })).toMatchObject({
      draftDays: null,
      mediaDays: null,
      textDays: null,
    });
    const events = await db.event.findMany({ where: { organizationId, name: 'retention_policy.changed' }, orderBy: { id: 'asc' } });
    expect(events.map(({ changed }) => changed)).toEqual([['mediaDays'], ['mediaDays']]);
  });
});
