import { beforeEach, describe, expect, it } from 'vitest';
import { createOperator } from '../../../../admin/command-line.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { runWithoutTriggers } from '../../../../support/database-roles.ts';
import { isDistributed } from '../../../../support/distributed.ts';
import { createPatient, createUser } from '../../../../support/factories.ts';
import { staffPages } from '../../../../support/staff-pages.ts';
import { createCheckIn, createConsent, createReading, createReview, type Measuring, openMeasuring } from '../readings/reported.ts';

const LEDGER = '/remote-patient-monitoring/ledger';
const MONTH = '2026-10';

const test = await sharedTestApp();
/** What is forged by statements that only one machine takes. */
const itOnOneMachine = it.skipIf(isDistributed);
let admin: Awaited<ReturnType<typeof signedInUser>>;
let organizationId: number;
let measuring: Measuring;
beforeEach(async () => {
  admin = await signedInUser(test, { type: 'admin' });
  organizationId = admin.organizationId;
  measuring = await openMeasuring(rows(), organizationId);
});

const rows = () => test.database.prisma;

/** A patient who consented, with readings on the first 16 days of October. */
async function patient(days = 16) {
  const { id } = await createPatient(rows(), { organizationId, firstName: 'Rosa', lastName: 'Diaz' });
  await createConsent(rows(), { organizationId, patientId: id });
  for (let day = 1; day <= days; day += 1) await measured(id, day);
  return id;
}

const measured = (patientId: number, day: number) =>
  createReading(rows(), measuring, { organizationId, patientId, on: `${MONTH}-${String(day).padStart(2, '0')}` });

/** Work on a patient, by a colleague of its own unless given otherwise. */
async function worked(patientId: number, at: string, minutes: number, data: object = {}) {
  const checkIn = await createCheckIn(rows(), { organizationId, patientId, sentAt: new Date(`${MONTH}-01T12:00:00Z`) });
  const { user } = await createUser(rows(), { organizationId });
  return createReview(rows(), checkIn, { userId: user.id, startedAt: new Date(`${MONTH}-${at}:00Z`), minutes, liveContact: true, ...data });
}

const readRow = async (id: number) => (await admin.get(`${LEDGER}?month=${MONTH}&patient_uuid=${id}`).expect(200)).body.data[0];
const close = (data: object = {}) => admin.post(`${LEDGER}/${MONTH}/close`).send(data);
const release = (data: object) => admin.post(`${LEDGER}/releases`).send({ reason: 'Seen in the call log.', ...data });
const verify = async () => (await admin.get(`${LEDGER}/${MONTH}/verify`).expect(200)).body.data;

describe('a closed month', () => {
  it('keeps the period of supply, by which its days would be billed again', async () => {
    const change = (period: string) => createOperator(test).apply(organizationId, { monitoring_period: period });
    expect(await change('thirty_days')).toMatchObject({ code: 0 });
    expect(await change('calendar_month')).toMatchObject({ code: 0 });
    await close().expect(201);
    const refused = await change('thirty_days');
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain(`The month ${MONTH} is closed under the current period`);
    expect(await change('calendar_month')).toMatchObject({ code: 0 });
  });

  it('shows the same rows whatever changes, and what has changed', async () => {
    const id = await patient();
    const review = await worked(id, '03T15:00', 25);
    const open = await readRow(id);
    expect(open).toMatchObject({ closed: null, versions: [], pending_corrections: [] });
    const { body } = await close().expect(201);
    expect(body.data).toMatchObject({
      month: MONTH,
      rows: 1,
      held: 0,
      state: 'closed',
      patients: 1,
      patients_done: 1,
      requested_by: { uuid: admin.user.id },
      closed_by: { uuid: admin.user.id },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const closed = await readRow(id);
    expect(closed).toEqual({
      ...open,
      closed: { at: body.data.closed_at, by: body.data.closed_by, hash: body.data.hash },
      versions: [expect.anything()],
    });
    const audit = await rows().auditEntry.findFirst({ where: { organizationId, resource: 'closed_month', action: 'create' } });
    expect(audit).toMatchObject({ detail: `${MONTH} sha256 ${body.data.hash}`, patientIds: [id] });

    await rows().checkInReview.update({ where: { organizationId_id: { organizationId, id: review.id } }, data: { deletedAt: new Date() } });
    await measured(id, 20);
    await rows().organization.update({ where: { id: organizationId }, data: { timeZone: 'Asia/Tokyo' } });
    await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { lastName: 'Rivera' } });
    const after = await readRow(id);
    expect(after).toEqual({
      ...closed,
      pending_corrections: expect.arrayContaining(['minutes: 0 instead of 25', 'readings: 17 instead of 16']),
    });
    const { data } = (await admin.get(`${LEDGER}/${MONTH}/patients/${id}`).expect(200)).body;
    expect([data.readings.length, data.reviews.length, data.reviews[0]]).toMatchObject([16, 1, { minutes: 25, counts: true, why: null }]);
    expect(data.row).toEqual(after);
    const csv = await admin.get(`${LEDGER}?month=${MONTH}&format=csv`).expect(200);
    expect(csv.text).toContain(`,Diaz,Rosa,25,1,16,yes,`);
    expect(csv.text).toContain(`${body.data.closed_at},1,${closed.versions[0].hash},`);
  });

  it('is corrected by a further version, chained to the one before', async () => {
    const id = await patient();
    await close().expect(201);
    const correct = (patientId: number) =>
      admin.post(`${LEDGER}/${MONTH}/corrections`).send({ patient_uuid: patientId, reason: 'Forgotten call.' });
    const nothing = await correct(id);
    expect([nothing.status, nothing.body.code]).toEqual([409, 'nothing_to_correct']);
    await worked(id, '03T15:00', 25);
    const { body } = await correct(id).expect(201);
    expect(body.data).toMatchObject({ minutes: 25, pending_corrections: [] });
    expect(body.data.versions).toMatchObject([
      { version: 1, minutes: 0, reason: null, codes: [{ code: '99454', units: 1 }] },
      { version: 2, minutes: 25, reason: 'Forgotten call.', by: { uuid: admin.user.id } },
    ]);
    expect(await readRow(id)).toEqual(body.data);
    const [first, second] = await rows().closedLedgerRow.findMany({
      where: { organizationId, patientId: id },
      orderBy: { version: 'asc' },
    });
    expect(JSON.parse(second?.document ?? '')).toMatchObject({ previousHash: Buffer.from(first?.hash ?? []).toString('hex'), version: 2 });
    // A patient who came up after the closing.
    const late = await patient(2);
    expect(await readRow(late)).toMatchObject({
      versions: [],
      pending_corrections: ['not in the closed month', 'codes: 99445 instead of none'],
      codes: [],
      closed: null,
    });
    expect((await correct(late).expect(201)).body.data).toMatchObject({ versions: [{ version: 2 }], pending_corrections: [] });
    expect(await verify()).toMatchObject({ rows: 1, corrections: 2, intact: true, broken: [] });
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, resource: 'closed_month', action: 'update' },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ detail }) => detail)).toEqual([
      `${MONTH} patient ${id} version 2 sha256 ${body.data.versions[1].hash}`,
      expect.stringContaining('version 2'),
    ]);
  });

  itOnOneMachine('cannot be changed, and says so where somebody did', async () => {
    const id = await patient(2);
    await close().expect(201);
    await expect(rows().closedLedgerRow.updateMany({ where: { organizationId }, data: { reason: 'x' } })).rejects.toThrow();
    expect(await verify()).toMatchObject({ intact: true, hash_holds: true, audit_holds: true });
    await runWithoutTriggers(
      test.databaseUrl,
      `UPDATE closed_ledger_row SET document = replace(document, '"minutes":0', '"minutes":90') WHERE organization_id = ${organizationId}`,
    );
    expect(await verify()).toMatchObject({ intact: false, hash_holds: true, broken: [{ patient_uuid: id, version: 1 }] });
    await runWithoutTriggers(
      test.databaseUrl,
      `UPDATE closed_ledger_row SET hash = sha256(convert_to(document, 'UTF8')) WHERE organization_id = ${organizationId}`,
    );
    expect(await verify()).toMatchObject({ intact: false, hash_holds: false, broken: [] });
    await runWithoutTriggers(
      test.databaseUrl,
      `UPDATE closed_month SET hash = closed_month_hash(closed_month) WHERE organization_id = ${organizationId}`,
    );
    expect(await verify()).toMatchObject({ intact: false, hash_holds: true, audit_holds: false });
  });

  itOnOneMachine('has all the corrections that the audit names, as they were recorded, and no others', async () => {
    const id = await patient(2);
    await close().expect(201);
    await measured(id, 20);
    await admin.post(`${LEDGER}/${MONTH}/corrections`).send({ patient_uuid: id, reason: 'Forgotten call.' }).expect(201);
    const forge = (sql: string) => runWithoutTriggers(test.databaseUrl, sql.replaceAll('$', String(organizationId)));
    const broken = { intact: false, broken: [{ patient_uuid: id, version: 2 }] };
    expect(await verify()).toMatchObject({ intact: true, corrections: 1 });
    for (const [forged, former] of [
      ["reason = 'Forged.'", "reason = 'Forgotten call.'"],
      ["recorded_at = recorded_at - interval '40 days'", "recorded_at = recorded_at + interval '40 days'"],
    ]) {
      await forge(`UPDATE closed_ledger_row SET ${forged} WHERE organization_id = $ AND version = 2`);
      expect(await verify()).toMatchObject(broken);
      await forge(`UPDATE closed_ledger_row SET ${former} WHERE organization_id = $ AND version = 2`);
    }
    expect(await verify()).toMatchObject({ intact: true });
    await forge('UPDATE closed_month SET held_count = 7 WHERE organization_id = $');
    expect(await verify()).toMatchObject({ intact: false, hash_holds: false });
    await forge('UPDATE closed_month SET held_count = 0 WHERE organization_id = $');
    const columns = 'organization_id, month, patient_id, document, evidence, hash, reason, recorded_by_id, recorded_at';
    await forge(
      `INSERT INTO closed_ledger_row (${columns}, version) SELECT ${columns}, 3 FROM closed_ledger_row WHERE organization_id = $ AND version = 2`,
    );
    expect(await verify()).toMatchObject({ intact: false, broken: [{ patient_uuid: id, version: 3 }] });
    await forge('DELETE FROM closed_ledger_row WHERE organization_id = $ AND version > 1');
    expect(await verify()).toMatchObject({ ...broken, corrections: 0 });
  });

  it('is over, was open, and has no open holds unless they are left', async () => {
    const id = await patient(2);
    const long = await worked(id, '03T15:00', 70);
    const held = await close();
    expect([held.status, held.body.code, held.body.detail]).toEqual([409, 'open_holds', expect.stringContaining('1 hold is open')]);
    expect((await close({ leave_held: true }).expect(201)).body.data).toMatchObject({ held: 1, rows: 1 });
    const again = await close();
    expect([again.status, again.body.code]).toEqual([409, 'already_closed']);
    expect(again.body.detail).toContain((await verify()).hash);
    const present = new Date().toISOString().slice(0, 7);
    const early = await admin.post(`${LEDGER}/${present}/close`).send({});
    expect([early.status, early.body.code]).toEqual([409, 'month_not_over']);
    // A release afterwards is a correction too.
    await release({ kind: 'long_review', review_uuid: long.id }).expect(201);
    expect((await readRow(id)).pending_corrections).toContain('minutes: 70 instead of 0');
    for (const [method, path] of [
      ['get', 'verify'],
      ['post', 'corrections'],
    ] as const) {
      const answer = await admin[method](`${LEDGER}/2026-09/${path}`).send({ patient_uuid: id, reason: 'None' });
      expect([answer.status, answer.body.code]).toEqual([409, 'not_closed']);
    }
  });

  it('has a page to print, with every reading and minute behind its codes', async () => {
    const id = await patient();
    const review = await worked(id, '03T15:00', 25);
    const { body } = await close().expect(201);
    const { evidence_url } = await readRow(id);
    const { http, browse } = staffPages(test);
    const { text } = await http
      .get(evidence_url)
      .set(await browse(admin))
      .expect(200);
    for (const words of ['99454', 'from 16 days with readings', 'CMS Physician Fee Schedule', String(review.id), body.data.hash, 'verbal'])
      expect(text).toContain(words);
    expect(text.match(/Systolic blood pressure/g)).toHaveLength(16);
    await http
      .get(`/monitoring/ledger/2026-01/patients/${id}`)
      .set(await browse(admin))
      .expect(404);
  });

  it('shows no chart that is restricted since', async () => {
    const [hidden, shown] = [await patient(2), await patient(2)];
    await close().expect(201);
    await rows().privacyRestriction.create({ data: { organizationId, patientId: hidden, kind: 'blocked' } });
    const { body } = await admin.get(`${LEDGER}?month=${MONTH}`).expect(200);
    expect(body.data.map(({ patient_uuid }: { patient_uuid: number }) => patient_uuid)).toEqual([shown]);
    await admin.get(`${LEDGER}/${MONTH}/patients/${hidden}`).expect(404);
    await admin.post(`${LEDGER}/${MONTH}/corrections`).send({ patient_uuid: hidden, reason: 'None' }).expect(404);
    expect(await verify()).toMatchObject({ intact: true });
  });
});
