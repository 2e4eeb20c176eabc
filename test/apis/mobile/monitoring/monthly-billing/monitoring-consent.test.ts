import { beforeEach, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { openLedger } from './ledger-month.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
let ledger: Awaited<ReturnType<typeof openLedger>>;
beforeEach(async () => {
  ledger = await openLedger(test);
});

const createAlone = () => createPatient(rows(), { organizationId: ledger.organizationId });
const consent = (patientId: number, body: object) =>
  ledger.nurse.post(`/remote-patient-monitoring/patients/${patientId}/consent`).send(body);

describe('consent to monitoring', () => {
  it('counts from its day on, and no more from the day of its revocation on', async () => {
    const { id } = await createAlone();
    await ledger.measure(id, '2026-10-01', 20);
    await ledger.work(id, '2026-10-05T15:00:00Z', 20);
    await ledger.work(id, '2026-10-12T15:00:00Z', 20);
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({
      minutes: 0,
      reading_days: 0,
      live_contact: false,
      reviews: 2,
      consent: null,
      codes: [],
      missing: [
        { code: '99445', consent: true, text: 'consent and 2 days of readings to 99445' },
        { code: '99470', consent: true, text: 'consent, 1 day of readings, 10 minutes and live contact to 99470' },
      ],
      left_out: [
        { kind: 'readings', count: 20, why: 'no consent is on file' },
        { kind: 'reviews', count: 2, why: 'no consent is on file' },
      ],
    });
    // Late on the 9th in New York, on which the readings and the work count already.
    const given = await consent(id, {
      given_at: '2026-10-09T22:00:00',
      how: 'written',
      by: 'Ida Quinn, daughter',
      note: 'Scanned.',
    }).expect(201);
    expect(given.body.data).toMatchObject({ given_at: '2026-10-10T02:00:00Z', how: 'written', by: 'Ida Quinn, daughter', revoked: false });
    expect(given.body.data.recorded_by).toMatchObject({ uuid: ledger.nurse.user.id });
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({
      minutes: 20,
      reading_days: 12,
      consent: { uuid: given.body.data.uuid, how: 'written' },
      left_out: [
        { kind: 'readings', count: 8, why: 'before the day of the consent' },
        { kind: 'reviews', count: 1 },
      ],
    });
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99445', '99457']);
    await consent(id, { given_at: '2026-10-19T10:00:00', how: 'verbal', revoked: true }).expect(201);
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({ reading_days: 10, consent: null });
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99445', '99457']);
    expect(await ledger.readMissing(id, '2026-10')).toEqual(['consent and 6 days of readings to 99454', 'consent and 20 minutes to 99458']);
    const { body } = await ledger.nurse.get(`/remote-patient-monitoring/patients/${id}/consent`).expect(200);
    expect(body.data).toMatchObject([{ revoked: true, by: 'patient' }, { revoked: false }]);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId: ledger.organizationId, resource: 'monitoring_consent' },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action, patientIds }) => [action, patientIds])).toEqual([
      ['create', [id]],
      ['create', [id]],
      ['search', [id]],
    ]);
  });

  it('tells in the evidence when and by whom it and the readings were recorded', async () => {
    const { id } = await createAlone();
    await ledger.measure(id, '2026-10-12', 2);
    await consent(id, { given_at: '2026-10-09T22:00:00', how: 'written', note: 'Scanned.' }).expect(201);
    await consent(id, { given_at: '2026-10-19T10:00:00', how: 'verbal', revoked: true }).expect(201);
    const { data } = (await ledger.nurse.get(`/remote-patient-monitoring/ledger/2026-10/patients/${id}`).expect(200)).body;
    const user = { uuid: ledger.nurse.user.id, name: expect.stringContaining(ledger.nurse.user.lastName) };
    const today = expect.stringContaining(new Date().toISOString().slice(0, 8));
    expect(data.consents).toMatchObject([
      { note: 'Scanned.', recorded_at: today, recorded_by: user, revocation_recorded_at: today, revocation_recorded_by: user },
    ]);
    expect(data.readings).toMatchObject([{ received_at: today, recorded_by: null }, {}]);
  });

  it('and work count up to the day of the patient’s death', async () => {
    const id = await ledger.consenting();
    await ledger.measure(id, '2026-10-01', 20);
    for (const day of ['11', '12']) await ledger.work(id, `2026-10-${day}T15:00:00Z`, 20);
    await rows().patient.update({
      where: { organizationId_id: { organizationId: ledger.organizationId, id } },
      data: { birthDate: new Date('1950-01-01'), deceasedDate: new Date('2026-10-11') },
    });
    const why = 'after the day of the patient’s death';
    expect(await ledger.readRow(id, '2026-10')).toMatchObject({
      ...{
        minutes: 20,
        reading_days: 11,
        left_out: [
          { kind: 'readings', count: 9, why },
          { kind: 'reviews', count: 1, why },
        ],
      },
    });
    expect(await ledger.readCodes(id, '2026-10')).toEqual(['99445', '99457']);
    for (const given_at of ['2026-10-12T12:00:00', '1949-12-30T12:00:00'])
      expect((await consent(id, { how: 'verbal', given_at })).body.errors).toMatchObject([{ pointer: '/given_at' }]);
  });

  it('is refused for a time to come, an unknown way, a revocation of nothing, and a patient who is not shown', async () => {
    const { id } = await createAlone();
    const refused = async (body: object) => {
      const answer = await consent(id, body);
      return [answer.status, answer.body.errors?.[0]?.pointer];
    };
    expect(await refused({ how: 'verbal', given_at: '2199-01-01T10:00:00Z' })).toEqual([400, '/given_at']);
    expect(await refused({ how: 'verbal', given_at: 'yesterday' })).toEqual([400, '/given_at']);
    expect(await refused({ how: 'telepathic' })).toEqual([400, '/how']);
    expect(await refused({ how: 'verbal', revoked: true })).toEqual([409, '/given_at']);
    await consent(id, { how: 'verbal', given_at: '2026-10-02T10:00:00Z' }).expect(201);
    expect(await refused({ how: 'verbal', revoked: true, given_at: '2026-10-01T10:00:00Z' })).toEqual([409, '/given_at']);
    const stranger = await signedInUser(test);
    await stranger.post(`/remote-patient-monitoring/patients/${id}/consent`).send({ how: 'verbal' }).expect(404);
    await stranger.get(`/remote-patient-monitoring/patients/${id}/consent`).expect(404);
  });
});
