import { beforeAll, describe, expect, it } from 'vitest';
import { momentAt } from '../../../src/domain/values/time/time.ts';
import type { AppointmentStatus, Prisma } from '../../../src/generated/prisma/client.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

/** Half a day apart: at each moment at least one of the two has another day than UTC. */
const ZONES = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
const DAY = 24 * 60 * 60 * 1000;

const test = await sharedTestApp();

type Clinic = Awaited<ReturnType<typeof practiceClient>>;

async function newPatient({ organizationId }: Clinic, row: Partial<Prisma.PatientUncheckedCreateInput> = {}): Promise<number> {
  return (await createPatient(test.database.prisma, { organizationId, ...row })).id;
}

async function readRecord(clinic: Clinic, id: number): Promise<Record<string, unknown>> {
  const answer = await clinic.get('/patients?limit=5000');
  expect(answer.status, answer.text).toBe(200);
  return answer.body.patients.find(({ patientid }: { patientid: string }) => patientid === String(id));
}

/** A visit in a zone of its own. */
function visitIn(timeZone: string) {
  return ({ organizationId }: Clinic, patientId: number, startsAt: Date | null, status: AppointmentStatus) => {
    const localStart = startsAt && momentAt(startsAt, timeZone).local;
    const times = startsAt && { startsAt, endsAt: new Date(startsAt.getTime() + 30 * 60_000), localStart };
    return test.database.prisma.appointment.create({
      data: { organizationId, patientId, ...times, timeZone, durationMinutes: 30, status },
    });
  };
}

/** The instant at which today began in a zone, asked of the database: a second way to find it. */
async function midnight(timeZone: string): Promise<Date> {
  const rows = await test.database.prisma.$queryRaw<
    { at: Date }[]
  >`SELECT (now() AT TIME ZONE ${timeZone})::date::timestamp AT TIME ZONE ${timeZone} AS at`;
  const at = rows[0]?.at;
  if (!at) throw new Error('no midnight');
  return at;
}

/** `mm/dd/yyyy hh24:mi` of an instant on the clock of a place. */
function clock(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(instant);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('month')}/${part('day')}/${part('year').padStart(4, '0')} ${part('hour')}:${part('minute')}`;
}

describe.each(ZONES)('appointments of a patient in %s, whose practice is a day away', (timeZone) => {
  const visit = visitIn(timeZone);
  let clinic: Clinic;
  let today: Date;
  beforeAll(async () => {
    clinic = await practiceClient(test, { organization: { timeZone: ZONES.find((zone) => zone !== timeZone) ?? timeZone } });
    today = await midnight(timeZone);
  });

  it('are the first one there is, and the last one before today there, on the clock of the appointment', async () => {
    const id = await newPatient(clinic);
    const first = new Date('2019-03-10T11:45:00Z');
    const last = new Date(today.getTime() - 60_000);
    for (const at of [last, first, new Date('2020-01-01T00:00:00Z'), today, new Date(today.getTime() + 40 * DAY)])
      await visit(clinic, id, at, 'scheduled');
    const record = await readRecord(clinic, id);
    expect(record).toMatchObject({ firstappointment: clock(first, timeZone), lastappointment: clock(last, timeZone) });
    expect(record.lastappointment).toMatch(/ 23:59$/);
  });

  it('that were cancelled or missed do not count, nor those without a date', async () => {
    const id = await newPatient(clinic);
    const kept = new Date('2021-06-01T15:00:00Z');
    await visit(clinic, id, new Date('2020-06-01T15:00:00Z'), 'cancelled');
    await visit(clinic, id, new Date('2020-07-01T15:00:00Z'), 'no_show');
    await visit(clinic, id, kept, 'completed');
    await visit(clinic, id, new Date('2022-06-01T15:00:00Z'), 'cancelled');
    await visit(clinic, id, new Date('2022-07-01T15:00:00Z'), 'no_show');
    await visit(clinic, id, null, 'scheduled');
    const at = clock(kept, timeZone);
    expect(await readRecord(clinic, id)).toMatchObject({ firstappointment: at, lastappointment: at });
  });

  it('of today and later are a first one, and no last one', async () => {
    const id = await newPatient(clinic);
    await visit(clinic, id, today, 'scheduled');
    const record = await readRecord(clinic, id);
    expect(record).toMatchObject({ firstappointment: clock(today, timeZone) });
    expect(record).not.toHaveProperty('lastappointment');
  });

  it('only with another patient are none', async () => {
    const [id, other] = [await newPatient(clinic), await newPatient(clinic)];
    await visit(clinic, other, new Date('2020-06-01T15:00:00Z'), 'completed');
    const record = await readRecord(clinic, id);
    expect(record).not.toHaveProperty('firstappointment');
    expect(record).not.toHaveProperty('lastappointment');
  });
});

describe.each(ZONES)('for a practice in %s', (timeZone) => {
  it('privacy forms hold until the end of the day on which they expire there', async () => {
    const [clinic, today] = [await practiceClient(test, { organization: { timeZone } }), await midnight(timeZone)];
    const expiring = async (daysFromToday: number) => {
      const id = await newPatient(clinic);
      const localDay = clock(new Date(today.getTime() + DAY / 2 + daysFromToday * DAY), timeZone).slice(0, 10);
      const [month, day, year] = localDay.split('/');
      const expiresOn = new Date(`${year}-${month}-${day}T00:00:00Z`);
      await form(clinic, id, { kind: 'notice', verified: true, expiresOn });
      return (await readRecord(clinic, id)).privacyinformationverified;
    };
    expect(await expiring(0)).toBe('true');
    expect(await expiring(-1)).toBe('false');
  });
});

function form({ organizationId }: Clinic, patientId: number, data: { kind: string; verified: boolean; expiresOn?: Date }) {
  return test.database.prisma.privacyItem.create({ data: { organizationId, patientId, ...data } });
}

describe('privacyinformationverified', () => {
  it.each([
    ['no form', [], 'false'],
    ['one verified form', [true], 'true'],
    ['several verified forms', [true, true, true], 'true'],
    ['one form that is not verified', [true, false], 'false'],
  ])('with %s is as told', async (_, forms, told) => {
    const clinic = await practiceClient(test);
    const id = await newPatient(clinic);
    for (const [at, verified] of forms.entries()) await form(clinic, id, { kind: `form ${at}`, verified });
    expect(await readRecord(clinic, id)).toMatchObject({ privacyinformationverified: told });
  });
});

describe('portalaccessgiven', () => {
  const account = ({ organizationId }: Clinic, patientId: number, holder: 'PATIENT' | 'FAMILY') =>
    test.database.prisma.portalAccount.create({ data: { organizationId, patientId, holder } });

  it.each([
    [null, 'PATIENT', 'true'],
    [null, 'FAMILY', 'false'],
    [false, 'PATIENT', 'false'],
    [true, null, 'true'],
  ] as const)('set to %s, with an account of %s, is %s', async (set, holder, told) => {
    const clinic = await practiceClient(test);
    const id = await newPatient(clinic, { portalAccessGiven: set });
    if (holder) await account(clinic, id, holder);
    expect(await readRecord(clinic, id)).toMatchObject({ portalaccessgiven: told });
  });
});

describe('medicationhistoryconsentverified', () => {
  it.each([true, false, null])('is null in a practice without the feature, also where the chart says %s', async (consent) => {
    const clinic = await practiceClient(test, { organization: { hasMedicationHistory: false } });
    const id = await newPatient(clinic, { medicationHistoryConsentVerified: consent });
    expect(await readRecord(clinic, id)).toMatchObject({ medicationhistoryconsentverified: null });
  });
});
