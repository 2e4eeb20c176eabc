import { beforeAll, describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../../support/app.ts';
import { BEFORE, MONTH, openTenPatients } from './ten-patients.ts';
import { TABLE } from './ten-patients-table.ts';

const RPM = '/remote-patient-monitoring';
const LEDGER = `${RPM}/ledger`;
const REASON = 'It was like that.';

type Name = keyof typeof TABLE;

const test = await sharedTestApp();
const clinic = await openTenPatients(test);
const { nurse, admin, at } = clinic;
const ids = new Map<string, number>();
const findId = (name: Name): number => ids.get(name) ?? 0;
/** The review of 75 minutes. */
let long = 0;

async function enroll(name: Name, ...services: ('rpm' | 'rtm_respiratory')[]): Promise<number> {
  const id = await clinic.patient(name, services);
  ids.set(name, id);
  return id;
}

beforeAll(async () => {
  const adams = await clinic.patient('Adams', ['rpm'], [BEFORE, 1]);
  ids.set('Adams', adams);
  await clinic.consent(adams);
  await clinic.measure(adams, 1, 2, { month: BEFORE });
  await clinic.measure(adams, 1, 17);
  await clinic.measure(adams, 1, 20, { by: 'knee' });
  await clinic.work(adams, [3, '09:00', 25]);
  const brown = await enroll('Brown', 'rpm');
  await clinic.consent(brown);
  await clinic.measure(brown, 1, 3);
  await clinic.visit(brown, 3, '15:00', 12);
  const clark = await enroll('Clark', 'rpm');
  await clinic.consent(clark);
  await clinic.measure(clark, 1, 20, { self: true });
  await clinic.work(clark, [3, '11:00', 20]);
  const davis = await enroll('Davis', 'rpm');
  await clinic.measure(davis, 1, 16);
  await clinic.work(davis, [4, '09:00', 20]);
  const evans = await enroll('Evans', 'rpm');
  await clinic.consent(evans, [MONTH, 10]);
  await clinic.consent(evans, [MONTH, 20], true);
  await clinic.measure(evans, 1, 28);
  await clinic.work(evans, [5, '09:00', 20], [12, '09:00', 10]);
});

beforeAll(async () => {
  const [flores, green, hill] = [await enroll('Flores'), await enroll('Green', 'rpm'), await clinic.patient('Hill', ['rpm'], [MONTH, 3])];
  ids.set('Hill', hill);
  const [irwin, jones] = [await enroll('Irwin', 'rtm_respiratory'), await enroll('Jones', 'rpm', 'rtm_respiratory')];
  for (const id of [flores, green, hill, irwin, jones]) await clinic.consent(id);
  for (const id of [flores, jones]) await clinic.measure(id, 1, 16);
  await clinic.measure(flores, 1, 5, { by: 'knee' });
  await clinic.measure(hill, 1, 18);
  await clinic.measure(jones, 1, 16, { by: 'inhaler' });
  await clinic.measure(green, 1, 2);
  await clinic.measure(irwin, 1, 16, { self: true, by: 'inhaler' });
  await clinic.measure(irwin, 1, 3);
  [long = 0] = await clinic.work(flores, [6, '09:00', 75], [7, '09:00', 15]);
  await clinic.work(green, [8, '09:00', 30], [9, '09:00', 20]);
  await clinic.work(hill, [0, '23:50', 20], [8, '09:20', 25]);
  await clinic.work(irwin, [10, '09:00', 45]);
  await clinic.work(jones, [11, '09:00', 40], [13, '09:00', 40], [14, '09:00', 40]);
});

interface Shown {
  patient: { lastname: string };
  reading_days: number;
  minutes: number;
  live_contact: boolean;
  readings_policy: string;
  codes: { code: string; units: number; from?: string; to?: string; days?: number }[];
  missing: { code: string }[];
  holds: { kind: string; released: unknown }[];
  left_out: { kind: string; code: string | null; count: number; why: string }[];
  pending_corrections: string[];
  versions: unknown[];
}

const writeCodes = ({ codes }: Shown) => codes.map(({ code, units }) => (units === 1 ? code : `${code}x${units}`)).join(' ');

function writeLeftOut({ left_out: leftOut }: Shown): string {
  const codes = leftOut.flatMap(({ code }) => code ?? []).join(' ');
  const kinds = [...new Set(leftOut.filter(({ code }) => code === null).map(({ kind }) => kind))].sort();
  const counted = kinds.map((kind) => `${kind} ${leftOut.filter((one) => one.kind === kind).reduce((sum, { count }) => sum + count, 0)}`);
  return [codes, ...counted].filter(Boolean).join(', ');
}

const inTable = (row: Shown) => ({
  days: row.reading_days,
  minutes: row.minutes,
  live: row.live_contact,
  codes: writeCodes(row),
  missing: row.missing.map(({ code }) => code).join(' '),
  holds: row.holds
    .filter(({ released }) => released === null)
    .map(({ kind }) => kind)
    .join(' '),
  left: writeLeftOut(row),
});

const ledger = async (month = MONTH.toString()): Promise<Shown[]> => (await nurse.get(`${LEDGER}?month=${month}`).expect(200)).body.data;
const readRow = async (name: Name, month?: string): Promise<Shown> => {
  const found = (await ledger(month)).find(({ patient }) => patient.lastname === name);
  if (!found) throw new Error(`no row of ${name}`);
  return found;
};
const readCodes = async (name: Name, month?: string) => writeCodes(await readRow(name, month));
const toRefusal = ({ status, body }: { status: number; body: { code?: string; errors?: { pointer: string }[] } }) => [
  status,
  body.errors?.[0]?.pointer ?? body.code,
];

describe('a month of ten patients', () => {
  it('is what was counted by hand', async () => {
    const rows = await ledger();
    expect(Object.fromEntries(rows.map((row) => [row.patient.lastname, inTable(row)]))).toEqual(TABLE);
    expect(new Set(rows.map((row) => row.readings_policy))).toEqual(new Set(['device']));
    const listReasons = (name: Name) =>
      rows.find(({ patient }) => patient.lastname === name)?.left_out.flatMap(({ kind, why }) => (kind === 'readings' ? why : []));
    expect([listReasons('Adams'), listReasons('Hill'), listReasons('Irwin')]).toEqual([
      ['musculoskeletal, where RPM counts physiologic readings'],
      ['before the program'],
      ['physiologic, where this RTM counts respiratory readings'],
    ]);
    expect(await readCodes('Adams', BEFORE.toString())).toBe('99453 99445');
  });

  it('has behind each row the readings and reviews that count, and those that do not with the reason', async () => {
    const { body } = await nurse.get(`${LEDGER}/${MONTH}/patients/${findId('Evans')}`).expect(200);
    const { readings, reviews }: Record<'readings' | 'reviews', { counts: boolean; why: string | null }[]> = body.data;
    expect(readings.map(({ counts }) => counts)).toEqual(Array.from({ length: 28 }, (_, day) => day >= 9 && day < 19));
    expect(reviews.map(({ counts }) => counts)).toEqual([false, true]);
    for (const { counts, why } of [...readings, ...reviews]) expect(why === null).toBe(counts);
  });

  it('counts reported readings too where the practice says so, and each row tells', async () => {
    await clinic.policy({ monitoringReadings: 'any' });
    expect([await readCodes('Clark'), (await readRow('Clark')).readings_policy]).toEqual(['99453 99454 99457', 'any']);
    await clinic.policy({ monitoringReadings: 'device' });
  });

  it('has the supply by thirty days from the first reading where the practice says so', async () => {
    await clinic.policy({ monitoringPeriod: 'thirty_days' });
    const [from, to] = [MONTH.toPlainDate({ day: 1 }), MONTH.toPlainDate({ day: 1 }).add({ days: 29 })];
    const supply = (await readRow('Brown', to.toPlainYearMonth().toString())).codes.find(({ code }) => code === '99445');
    expect(supply).toMatchObject({ units: 1, from: from.toString(), to: to.toString(), days: 3 });
    await clinic.policy({ monitoringPeriod: 'calendar_month' });
  });
});

describe('what cannot be true, or nobody answers for', () => {
  it('is refused: work before the check-in was sent, late work, and a revocation of nothing', async () => {
    const { id } = await clinic.sent(findId('Davis'));
    const review = (who: typeof nurse, data: object) => who.post(`${RPM}/checkin-reviews`).send({ checkin_uuid: id, minutes: 5, ...data });
    const early = new Date(new Date(at(BEFORE, 1, '08:00')).getTime() - 60_000).toISOString();
    expect(toRefusal(await review(admin, { started_at: early, reason: REASON }))).toEqual([400, '/started_at']);
    const late = at(BEFORE, 10, '09:00');
    expect(toRefusal(await review(nurse, { started_at: late, reason: REASON }))).toEqual([403, 'late_review']);
    expect(toRefusal(await review(admin, { started_at: late }))).toEqual([400, '/reason']);
    const revocation = await nurse.post(`${RPM}/patients/${findId('Davis')}/consent`).send({ how: 'verbal', revoked: true });
    expect(revocation.status).toBe(409);
  });

  it('is held until an admin says why it is right', async () => {
    const release = (who: typeof nurse, body: object) => who.post(`${LEDGER}/releases`).send(body);
    const review = { kind: 'long_review', review_uuid: long };
    expect((await release(nurse, { ...review, reason: REASON })).status).toBe(403);
    expect(toRefusal(await release(admin, review))).toEqual([400, '/reason']);
    await release(admin, { ...review, reason: REASON }).expect(201);
    // 90 minutes are 20, three times 20, and 10.
    expect(await readCodes('Flores')).toBe('99454 99457 99458x3');
    const units = { kind: 'too_many_units', patient_uuid: findId('Jones'), month: MONTH.toString() };
    await release(admin, { ...units, reason: REASON }).expect(201);
    expect(await readCodes('Jones')).toBe('99453 99454 99457 99458x5');
  });
});

describe('a closed month', () => {
  const close = (who: typeof nurse, body: object = {}, month = MONTH.toString()) => who.post(`${LEDGER}/${month}/close`).send(body);

  it('is closed by an admin, once, when it is over and its holds are known', async () => {
    expect((await close(nurse)).status).toBe(403);
    expect((await close(admin, {}, MONTH.add({ months: 1 }).toString())).status).toBe(409);
    expect((await close(admin)).status).toBe(409);
    const { body } = await close(admin, { leave_held: true }).expect(201);
    expect(body.data).toMatchObject({ rows: 10, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await close(admin, { leave_held: true })).status).toBe(409);
    const { text } = await nurse.get(`${LEDGER}?month=${MONTH}&format=csv`).expect(200);
    expect([text.slice(0, 6), text.trimEnd().split('\r\n')]).toEqual(['\u{feff}month', expect.objectContaining({ length: 11 })]);
  });

  it('stays as it is; what comes later is a correction with a reason', async () => {
    await clinic.measure(findId('Brown'), 20, 20);
    expect(await readRow('Brown')).toMatchObject({
      reading_days: 3,
      pending_corrections: expect.arrayContaining(['days with readings: 4 instead of 3']),
    });
    const correct = (who: typeof nurse, data: object) =>
      who.post(`${LEDGER}/${MONTH}/corrections`).send({ patient_uuid: findId('Brown'), ...data });
    expect((await correct(nurse, { reason: REASON })).status).toBe(403);
    expect(toRefusal(await correct(admin, {}))).toEqual([400, '/reason']);
    await correct(admin, { reason: REASON }).expect(201);
    const corrected = await readRow('Brown');
    expect(corrected).toMatchObject({ reading_days: 4, pending_corrections: [] });
    expect(corrected.versions).toHaveLength(2);
    expect((await correct(admin, { reason: REASON })).status).toBe(409);
    const { body } = await admin.get(`${LEDGER}/${MONTH}/verify`).expect(200);
    expect(body.data).toMatchObject({ intact: true, corrections: 1 });
  });

  it('follows a reading that was entered in error by correction, and back', async () => {
    const listed = await nurse.get(`${RPM}/patients/${findId('Brown')}/readings?sort=measured_at`).expect(200);
    const { uuid } = listed.body.data[0];
    const mark = (who: typeof nurse, data: object) => who.post(`${RPM}/readings/${uuid}/entered-in-error`).send(data);
    expect(toRefusal(await mark(admin, {}))).toEqual([400, '/reason']);
    const marked = await mark(clinic.doctor, { reason: 'Of the husband.' }).expect(200);
    expect(marked.headers['warning-fields']).toContain(`closed_month.${MONTH}`);
    expect(marked.body.data.entered_in_error).toMatchObject({ reason: 'Of the husband.', by_user_uuid: clinic.doctor.user.id });
    expect((await readRow('Brown')).pending_corrections).toContain('days with readings: 3 instead of 4');
    await mark(clinic.doctor, { reason: 'It was hers.', undone: true }).expect(200);
    expect((await readRow('Brown')).pending_corrections).toEqual([]);
  });
});
