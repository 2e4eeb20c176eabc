import { beforeEach, describe, expect, it } from 'vitest';
import type { Prisma } from '../../../../../src/generated/prisma/client.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createProvider } from '../../../../support/factories.ts';
import { codesIn, openLedger } from './ledger-month.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
let ledger: Awaited<ReturnType<typeof openLedger>>;
beforeEach(async () => {
  ledger = await openLedger(test);
});

const settle = (data: Prisma.OrganizationUpdateInput) =>
  rows().organization.update({ where: { id: ledger.organizationId }, data, select: { id: true } });

describe('readings', () => {
  it('count towards the supply of a device only from a device, unless the practice says otherwise', async () => {
    const id = await ledger.consenting();
    await ledger.measure(id, '2026-10-01', 3);
    await ledger.measure(id, '2026-10-04', 13, 'self');
    await ledger.measure(id, '2026-10-17', 1, 'staff');
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({
      reading_days: 3,
      readings_policy: 'device',
      left_out: expect.arrayContaining([
        { kind: 'readings', code: null, count: 13, why: 'not from a device' },
        { kind: 'readings', code: null, count: 1, why: 'entered by staff' },
      ]),
    });
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99445']);
    await settle({ monitoringReadings: 'any' });
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({ reading_days: 17, readings_policy: 'any', left_out: [] });
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99454']);
  });

  it('are asked for by management: minutes without a day of them support nothing', async () => {
    const id = await ledger.consenting();
    await ledger.work(id, '2026-10-05T15:00:00Z', 25);
    expect(await ledger.readCodes(id, '2026-10')).toEqual([]);
    expect(await ledger.readMissing(id, '2026-10')).toEqual(['2 days of readings to 99445', '1 day of readings to 99457']);
    await ledger.measure(id, '2026-10-30', 1);
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99457']);
  });
});

describe('a live contact', () => {
  it('counts in the month in which it began, its minutes on both sides of the edge', async () => {
    const id = await ledger.consenting();
    await ledger.measure(id, '2026-10-31', 2);
    // 40 minutes around midnight of New York.
    await ledger.work(id, '2026-11-01T03:40:00Z', 40);
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({ minutes: 20, live_contact: true });
    expect(await ledger.readRow(id, '2026-11')).toMatchObject({ minutes: 20, live_contact: false });
    expect([await ledger.readCodes(id, '2026-10'), await ledger.readCodes(id, '2026-11')]).toEqual([['99457'], []]);
  });

  it('is a video visit with the care team too, whose minutes count once beside those of reviews', async () => {
    const { organizationId, nurse } = ledger;
    const doctor = await signedInUser(test, { organizationId, type: 'provider' });
    const provider = await createProvider(rows(), { organizationId, userId: doctor.user.id });
    const id = await ledger.consenting({ primaryProviderId: provider.id });
    const { programId } = await ledger.enroll(id, '2026-10-01T12:00:00Z');
    await ledger.measure(id, '2026-10-02', 1);
    await ledger.work(id, '2026-10-05T15:00:00Z', 10, false);
    const meet = async (host: number, from: string, before: string, day = '2026-10-05') => {
      const link = { guid: crypto.randomUUID(), guestLinkHash: crypto.getRandomValues(new Uint8Array(32)) };
      const at = (time: string) => new Date(`${day}T${time}:00Z`);
      const session = await rows().videoSession.create({ data: { organizationId, hostUserId: host, ...link, expiresAt: at('23:00') } });
      const there = (joined: string, left: string) => ({
        joinedAt: at(joined),
        admittedAt: at(joined),
        leftAt: at(left),
        lastSeenAt: at(left),
      });
      await rows().sessionParticipant.createMany({
        data: [
          { organizationId, videoSessionId: session.id, role: 'host', userId: host, ...there('14:00', before) },
          { organizationId, videoSessionId: session.id, role: 'guest', patientId: id, visit: 1, ...there(from, '18:00') },
        ],
      });
    };
    // With the nurse, who is not on the care team, and with the doctor before the program began.
    await meet(nurse.user.id, '16:00', '16:30');
    await meet(doctor.user.id, '16:00', '16:30', '2026-09-30');
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({ minutes: 10, live_contact: false });
    expect((await ledger.readRow(id, '2026-10')).left_out).toEqual([
      { kind: 'visits', code: null, count: 1, why: 'without a member of the care team' },
    ]);
    // Five of the 15 minutes are also the review's.
    await meet(doctor.user.id, '15:05', '15:20');
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({ minutes: 20, live_contact: true });
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99457']);
    // Who is on the program's care team today was not yet then; who left it since was, and the half hour counts.
    const member = { organizationId, programId, userId: nurse.user.id };
    await rows().programMember.create({ data: member });
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({ minutes: 20 });
    await rows().programMember.create({ data: { ...member, addedAt: '2026-09-01T12:00:00Z', removedAt: '2026-11-01T12:00:00Z' } });
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({ minutes: 50, left_out: [] });
  });
});

describe('the set-up', () => {
  it('is billed once an episode, in the month in which its days are reached', async () => {
    const id = await ledger.consenting();
    await ledger.enroll(id, '2026-08-20T12:00:00Z', { removedAt: '2026-10-10T12:00:00Z' });
    // Of a second program at the same time, which is the same episode.
    await ledger.enroll(id, '2026-09-01T12:00:00Z', { removedAt: '2026-09-20T12:00:00Z' });
    await ledger.measure(id, '2026-08-31', 1);
    expect(await ledger.readMissing(id, '2026-08')).toContain('1 day of readings to 99453');
    await ledger.measure(id, '2026-09-01', 2);
    await ledger.measure(id, '2026-10-01', 5);
    expect([await ledger.readCodes(id, '2026-08'), await ledger.readCodes(id, '2026-09'), await ledger.readCodes(id, '2026-10')]).toEqual([
      [],
      ['99453', '99445'],
      ['99445'],
    ]);
    await ledger.enroll(id, '2026-10-20T12:00:00Z');
    await ledger.measure(id, '2026-10-21', 2);
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99453', '99445']);
  });

  it('is billed by no other month once a closed one bills it, though readings of an earlier month come later', async () => {
    const admin = await signedInUser(test, { type: 'admin', organizationId: ledger.organizationId });
    const id = await ledger.consenting();
    await ledger.enroll(id, '2026-07-01T12:00:00Z');
    await ledger.measure(id, '2026-07-20', 1);
    await ledger.measure(id, '2026-08-03', 5);
    await admin.post('/remote-patient-monitoring/ledger/2026-08/close').send({}).expect(201);
    expect(await ledger.readCodes(id, '2026-08')).toEqual(['99453', '99445']);
    await ledger.measure(id, '2026-07-21', 1);
    expect(await ledger.readCodes(id, '2026-07')).toEqual(['99445']);
    // A correction takes it from August, and July has it.
    const correction = { patient_uuid: id, reason: 'The days were reached in July.' };
    await admin.post('/remote-patient-monitoring/ledger/2026-08/corrections').send(correction).expect(201);
    expect([await ledger.readCodes(id, '2026-07'), await ledger.readCodes(id, '2026-08')]).toEqual([['99453', '99445'], ['99445']]);
    // The next enrolment is another episode.
    await rows().programPatient.updateMany({ where: { patientId: id }, data: { removedAt: '2026-08-20T12:00:00Z' } });
    await ledger.enroll(id, '2026-09-10T12:00:00Z');
    await ledger.measure(id, '2026-09-12', 2);
    expect(await ledger.readCodes(id, '2026-09')).toEqual(['99453', '99445']);
  });

  it('needs 16 days before 2026', async () => {
    const id = await ledger.consenting();
    await ledger.enroll(id, '2025-11-01T12:00:00Z');
    await ledger.measure(id, '2025-12-01', 15);
    expect(await ledger.readCodes(id, '2025-12')).toEqual([]);
    expect(await ledger.readMissing(id, '2025-12')).toEqual(
      expect.arrayContaining(['1 day of readings to 99453', '1 day of readings to 99454']),
    );
    await ledger.measure(id, '2025-12-16', 1);
    expect(await ledger.readCodes(id, '2025-12')).toEqual(['99453', '99454']);
    await ledger.measure(id, '2026-01-01', 2);
    expect(await ledger.readCodes(id, '2026-01')).toEqual(['99445']);
  });
});

describe('therapeutic monitoring', () => {
  it('has codes of its own, by its kind, and counts readings that the patient reports', async () => {
    const id = await ledger.consenting();
    await ledger.enroll(id, '2026-09-03T12:00:00Z', { service: 'rtm_respiratory' });
    await ledger.measure(id, '2026-09-01', 18, 'self', 'respiratory');
    await ledger.measure(id, '2026-09-19', 1, 'staff', 'respiratory');
    await ledger.work(id, '2026-09-10T15:00:00Z', 45);
    expect(await ledger.readRow(id, '2026-09')).toMatchObject({
      service: 'rtm_respiratory',
      reading_days: 16,
      left_out: expect.arrayContaining([
        { kind: 'readings', code: null, count: 2, why: 'outside of the program' },
        { kind: 'readings', code: null, count: 1, why: 'entered by staff' },
      ]),
    });
    expect(await ledger.readCodes(id, '2026-09')).toEqual(['98975', '98976', '98980', '98981']);
    const short = await ledger.consenting();
    await ledger.enroll(short, '2026-09-03T12:00:00Z', { service: 'rtm_cognitive_behavioral' });
    await ledger.measure(short, '2026-09-04', 2, 'self', 'cognitive_behavioral');
    await ledger.work(short, '2026-09-11T15:00:00Z', 12);
    expect(await ledger.readCodes(short, '2026-09')).toEqual(['98975', '98986', '98979']);
  });

  it('is not billed beside physiologic monitoring, which goes first where it supports a code', async () => {
    const id = await ledger.consenting();
    await ledger.enroll(id, '2026-08-01T12:00:00Z', { service: 'rtm_musculoskeletal' });
    await ledger.enroll(id, '2026-08-20T12:00:00Z');
    await ledger.measure(id, '2026-09-01', 4, 'self', 'musculoskeletal');
    expect(await ledger.readRow(id, '2026-09')).toMatchObject({ service: 'rtm_musculoskeletal' });
    expect(await ledger.readCodes(id, '2026-09')).toEqual(['98975', '98985']);
    await ledger.measure(id, '2026-09-05', 2);
    const row = await ledger.readRow(id, '2026-09');
    expect([row.service, codesIn(row)]).toEqual(['rpm', ['99453', '99445']]);
    const why = 'RPM is billed in this month, so RTM cannot be billed';
    expect(row.left_out).toEqual([
      { kind: 'readings', code: null, count: 4, why: 'musculoskeletal, where RPM counts physiologic readings' },
      { kind: 'code', code: '98975', count: 1, why },
      { kind: 'code', code: '98985', count: 1, why },
    ]);
  });
});

describe('periods of 30 days', () => {
  it('follow each other from the first reading that counts, and belong to the month in which they end', async () => {
    await settle({ monitoringPeriod: 'thirty_days' });
    const id = await ledger.consenting();
    await ledger.enroll(id, '2026-08-01T12:00:00Z');
    await ledger.measure(id, '2026-08-02', 2, 'self');
    // Periods: 5 August to 3 September, 4 September to 3 October, 4 October to 2 November.
    await ledger.measure(id, '2026-08-05', 3);
    await ledger.measure(id, '2026-09-03', 20);
    await ledger.work(id, '2026-09-10T15:00:00Z', 20);
    expect(await ledger.readRow(id, '2026-08')).toMatchObject({ codes: [], reading_days: 3 });
    expect((await ledger.readRow(id, '2026-09')).codes).toMatchObject([
      { code: '99453', units: 1 },
      { code: '99445', units: 1, from: '2026-08-05', to: '2026-09-03', days: 4 },
      { code: '99457', units: 1 },
    ]);
    expect((await ledger.readRow(id, '2026-10')).codes).toEqual([
      { code: '99454', units: 1, from: '2026-09-04', to: '2026-10-03', days: 19, source: expect.stringContaining('CMS') },
    ]);
    expect(await ledger.readCodes(id, '2026-11')).toEqual([]);
  });

  it('end with the program, and begin anew with the next one', async () => {
    await settle({ monitoringPeriod: 'thirty_days' });
    const id = await ledger.consenting();
    await ledger.enroll(id, '2026-05-01T12:00:00Z', { removedAt: '2026-06-10T12:00:00Z' });
    await ledger.enroll(id, '2026-08-20T12:00:00Z');
    await ledger.measure(id, '2026-05-10', 2);
    await ledger.measure(id, '2026-08-21', 5);
    const periods = async (month: string) =>
      ((await ledger.readRow(id, month))?.codes ?? []).map(({ from, to }: { from?: string; to?: string }) => [from, to]);
    expect(await periods('2026-06')).toEqual([
      [undefined, undefined],
      ['2026-05-10', '2026-06-08'],
    ]);
    expect(await periods('2026-07')).toEqual([]);
    expect(await periods('2026-09')).toEqual([
      [undefined, undefined],
      ['2026-08-21', '2026-09-19'],
    ]);
  });
});
