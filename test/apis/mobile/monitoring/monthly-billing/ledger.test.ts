import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../../src/database/database.ts';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { emptyJournal } from '../../../../../src/domain/journal.ts';
import { readLedger } from '../../../../../src/domain/monitoring/monthly-billing/ledger/ledger.ts';
import { txOf } from '../../../../../src/domain/tx.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient, createUser } from '../../../../support/factories.ts';
import { createCheckIn, createConsent, createReading, createReview, type Measuring, openMeasuring } from '../readings/reported.ts';

const LEDGER = '/remote-patient-monitoring/ledger';

const test = await sharedTestApp();
let nurse: Awaited<ReturnType<typeof signedInUser>>;
let organizationId: number;
let measuring: Measuring;
beforeEach(async () => {
  nurse = await signedInUser(test);
  organizationId = nurse.organizationId;
  measuring = await openMeasuring(rows(), organizationId);
});

const rows = () => test.database.prisma;
/** A patient who consented long ago. */
async function patient(data: object = {}) {
  const made = await createPatient(rows(), { organizationId, ...data });
  await createConsent(rows(), { organizationId, patientId: made.id });
  return made;
}

/** Readings of a patient on so many days from the first of a month on. */
async function measured(patientId: number, days: number, month = '2026-11') {
  for (let day = 1; day <= days; day += 1)
    await createReading(rows(), measuring, { organizationId, patientId, on: `${month}-${String(day).padStart(2, '0')}` });
}

/** Work on a patient. */
async function worked(patientId: number, startedAt: string, minutes: number, data: object = {}) {
  const checkIn = await createCheckIn(rows(), { organizationId, patientId });
  return createReview(rows(), checkIn, { userId: nurse.user.id, startedAt: new Date(startedAt), minutes, ...data });
}

const readRows = async (query: string) => (await nurse.get(`${LEDGER}?${query}`).expect(200)).body.data;

describe('the month’s ledger', () => {
  it('says of each patient what was done, what that supports, and what is missing for the next', async () => {
    const [full, short, quiet] = [await patient(), await patient(), await patient()];
    await measured(full.id, 17);
    await worked(full.id, '2026-11-03T15:00:00Z', 25, { liveContact: true });
    await measured(short.id, 3);
    await worked(short.id, '2026-11-03T17:00:00Z', 16, { liveContact: true });
    await measured(quiet.id, 1);
    await patient();
    const shown = await readRows('month=2026-11');
    expect(shown).toEqual([
      expect.objectContaining({
        month: '2026-11',
        patient_uuid: full.id,
        minutes: 25,
        reviews: 1,
        reading_days: 17,
        live_contact: true,
        codes: [
          { code: '99454', units: 1, source: expect.stringContaining('CMS Physician Fee Schedule') },
          { code: '99457', units: 1, source: expect.stringContaining('CMS Physician Fee Schedule') },
        ],
        missing: [{ code: '99458', minutes: 15, days: 0, live_contact: false, consent: false, text: '15 minutes to 99458' }],
      }),
      expect.objectContaining({
        patient_uuid: short.id,
        minutes: 16,
        reading_days: 3,
        codes: [expect.objectContaining({ code: '99445' }), expect.objectContaining({ code: '99470' })],
        missing: [
          expect.objectContaining({ text: '13 days of readings to 99454' }),
          expect.objectContaining({ text: '4 minutes to 99457' }),
        ],
      }),
      expect.objectContaining({
        patient_uuid: quiet.id,
        minutes: 0,
        reviews: 0,
        live_contact: false,
        codes: [],
        missing: [
          expect.objectContaining({ text: '1 day of readings to 99445' }),
          expect.objectContaining({ text: '10 minutes and live contact to 99470' }),
        ],
      }),
    ]);
    const audit = await rows().auditEntry.findFirstOrThrow({ where: { organizationId, resource: 'check_in_review', action: 'search' } });
    expect(audit.patientIds).toEqual([full.id, short.id, quiet.id]);
  });

  it('counts minutes that overlap once, days with several readings once, and what was deleted never', async () => {
    const { id } = await patient();
    const colleague = async () => ({ userId: (await createUser(rows(), { organizationId })).user.id });
    await worked(id, '2026-11-03T15:00:00Z', 10);
    await worked(id, '2026-11-03T15:05:00Z', 10, await colleague());
    await worked(id, '2026-11-03T15:06:00Z', 2, await colleague());
    await worked(id, '2026-11-04T15:00:00Z', 7, { deletedAt: new Date(), liveContact: true });
    await measured(id, 2);
    await measured(id, 2);
    expect(await readRows('month=2026-11')).toMatchObject([{ minutes: 15, reviews: 3, reading_days: 2, live_contact: false }]);
  });

  it('goes by the clocks of the practice, in months that put them back and forward', async () => {
    const { id } = await patient();
    // New York: November 2026 begins at 04:00 UTC and ends at 05:00 UTC.
    await worked(id, '2026-11-01T03:50:00Z', 20);
    await worked(id, '2026-12-01T04:50:00Z', 20);
    expect(await readRows('month=2026-10')).toMatchObject([{ minutes: 10, reviews: 1 }]);
    expect(await readRows('month=2026-11')).toMatchObject([{ minutes: 20, reviews: 2 }]);
    expect(await readRows('month=2026-12')).toMatchObject([{ minutes: 10, reviews: 1 }]);
    // March 2026 begins at 05:00 UTC and ends at 04:00 UTC.
    await worked(id, '2026-03-01T04:59:00Z', 2);
    await worked(id, '2026-04-01T03:59:00Z', 2);
    expect(await readRows('month=2026-03')).toMatchObject([{ minutes: 2, reviews: 2 }]);
  });

  it('goes by the rules of its month', async () => {
    const { id } = await patient();
    await measured(id, 5, '2025-12');
    await worked(id, '2025-12-10T15:00:00Z', 15, { liveContact: true });
    await measured(id, 5, '2026-01');
    await worked(id, '2026-01-10T15:00:00Z', 15, { liveContact: true });
    const codes = async (month: string) => (await readRows(`month=${month}`))[0].codes.map(({ code }: { code: string }) => code);
    expect(await codes('2025-12')).toEqual([]);
    expect(await codes('2026-01')).toEqual(['99445', '99470']);
  });

  it('has also those who were in a program in the month, and not who had left, or whose chart is not shown', async () => {
    const [enrolled, left, blocked] = [await patient(), await patient(), await patient()];
    const { id: programId } = await rows().program.create({ data: { organizationId, name: 'At home' } });
    const added = { organizationId, programId, addedAt: new Date('2026-10-05T12:00:00Z') };
    await rows().programPatient.createMany({
      data: [
        { ...added, patientId: enrolled.id },
        { ...added, patientId: left.id, removedAt: new Date('2026-10-30T12:00:00Z') },
        { ...added, patientId: blocked.id },
      ],
    });
    await rows().privacyRestriction.create({ data: { organizationId, patientId: blocked.id, kind: 'blocked' } });
    const ids = async (month: string) => (await readRows(`month=${month}`)).map((row: { patient_uuid: number }) => row.patient_uuid);
    expect(await ids('2026-09')).toEqual([]);
    expect(await ids('2026-10')).toEqual([enrolled.id, left.id]);
    expect(await ids('2026-11')).toEqual([enrolled.id]);
  });

  it('pages, and shows one patient', async () => {
    const made = [await patient(), await patient(), await patient()];
    for (const { id } of made) await measured(id, 1);
    const second = await nurse.get(`${LEDGER}?month=2026-11&limit=2&page=2`).expect(200);
    expect(second.body).toMatchObject({ data: [{ patient_uuid: made[2]?.id }], meta: { total: 3, last_page: 2, from: 3 } });
    expect(second.body.links.prev).toContain('month=2026-11');
    expect((await nurse.get(`${LEDGER}?month=2026-11&limit=2&page=9`)).body).toMatchObject({ data: [], meta: { total: 3 } });
    expect(await readRows(`month=2026-11&patient_uuid=${made[1]?.id}`)).toMatchObject([{ patient_uuid: made[1]?.id }]);
  });

  it('is of the present month unless said, and of the own organization alone', async () => {
    const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/New_York' });
    const { id } = await patient();
    await createReading(rows(), measuring, { organizationId, patientId: id, on: today });
    expect(await readRows('')).toMatchObject([{ month: today.slice(0, 7), reading_days: 1 }]);
    const stranger = await signedInUser(test);
    expect((await stranger.get(LEDGER).expect(200)).body.data).toEqual([]);
    await stranger.get(`${LEDGER}?patient_uuid=${id}`).expect(404);
  });

  it.each(['2026-13', '2026', '11/2026', '2026-11-01', '0001-01'])('is refused for %s, which is no month', async (month) => {
    const answer = await nurse.get(`${LEDGER}?month=${month}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/month']);
  });

  it('asks a fixed number of questions, however many patients there are', async () => {
    const own = openDatabase({ url: test.databaseUrl, poolSize: 1 });
    let asked = 0;
    own.pool.on('acquire', () => {
      asked += 1;
    });
    const caller = { ...jobCaller(organizationId, 'test'), journal: emptyJournal() };
    const counts: number[] = [];
    for (const more of [1, 10]) {
      for (let made = 0; made < more; made += 1) await worked((await patient()).id, '2026-11-03T15:00:00Z', 5);
      asked = 0;
      await readLedger(txOf(own.prisma, caller), { month: '2026-11' });
      counts.push(asked);
    }
    await own.close();
    expect(counts[1]).toBe(counts[0]);
  });
});

describe('the ledger as CSV', () => {
  const csv = (query: string, accept = 'application/json') =>
    nurse.get(`${LEDGER}?month=2026-11${query}`).set('accept', accept).expect(200);

  it('is the whole month at once, and a file for a spreadsheet', async () => {
    const { id } = await patient({ firstName: 'Ann', lastName: 'Quinn' });
    await measured(id, 17);
    await worked(id, '2026-11-03T15:00:00Z', 60, { liveContact: true });
    await worked(id, '2026-11-03T17:00:00Z', 5);
    const { id: longId } = await worked(id, '2026-11-04T17:00:00Z', 70);
    for (const { id: other } of [await patient(), await patient()]) await measured(other, 1);
    const answer = await csv('&format=csv&limit=1');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="monitoring-2026-11.csv"',
    });
    const [names, first, ...others] = answer.text.split('\r\n');
    expect(names).toMatch(
      /^\uFEFFmonth,patient_uuid,lastname,firstname,minutes,reviews,reading_days,live_contact,codes,missing,service,consent_given,readings,readings_policy,sources,left_out,held,released,closed_at,version,row_hash,corrected_at,corrected_by,correction_reason,pending_corrections,dates_of_service,birthdate,record_number,diagnoses,ordering_provider,ordering_npi,billing_provider,billing_npi,place_of_service,place$/,
    );
    expect(first).toMatch(`2026-11,${id},Quinn,Ann,65,3,17,yes,99454 99457 99458x2,15 minutes to 99458,rpm,`);
    const held = '70 minutes, more than 60';
    expect(first).toMatch(/,17,device,"?99454: CMS Physician Fee Schedule/);
    expect(first).toMatch(`,"1 review: held: ${held}","review ${longId}: ${held}",,,,,`);
    expect(others).toHaveLength(3);
    expect(others.at(-1)).toBe('');
  });

  it.each([
    ['', 'text/csv', 'text/csv; charset=utf-8'],
    ['&format=json', 'text/csv', 'application/json; charset=utf-8'],
    ['', 'application/json, text/csv', 'application/json; charset=utf-8'],
    ['', '*/*', 'application/json; charset=utf-8'],
  ])('with %j and Accept: %s has the type %s', async (query, accept, type) => {
    expect((await csv(query, accept)).headers['content-type']).toBe(type);
  });

  it('holds no formula, and no name that breaks its lines', async () => {
    const { id } = await patient({ firstName: '=HYPERLINK("http://example.com","x")', lastName: 'O"Hara,\r\nAnn' });
    await measured(id, 1);
    const { text } = await csv('&format=csv');
    expect(text.split('\r\n', 1)[0]).not.toContain('=');
    expect(text).toContain(`2026-11,${id},"O""Hara,\r\nAnn","'=HYPERLINK(""http://example.com"",""x"")",0,`);
  });
});
