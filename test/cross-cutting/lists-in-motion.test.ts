import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Actor, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { DAY, type Rows, rowsInMotion } from './rows-in-motion.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

const person = await signedInUser(test, { type: 'admin' });
const { organizationId } = person;
const app = await integrationClient(test, { organizationId });
const system = await practiceClient(test, { organizationId });
const { id: patientId } = await createPatient(prisma, { organizationId, lastName: 'Zz' });
const { id: itemId } = await prisma.item.create({ data: { organizationId, name: 'Pulse' } });

const { appointments, charts, texts, conversations, inbox, checkIns, alerts, readings } = rowsInMotion(test, person, { patientId, itemId });

const ROWS = 8;
/** Where a row is in its list; some are alike, and null is where the list allows it. */
const place = fc.option(fc.integer({ min: 1, max: 4 }), { freq: 6, nil: 0 });
const places = fc.array(place, { minLength: ROWS, maxLength: ROWS });
/** After each page: one of the rows is removed or moved, the last one that was shown among them, or another is added. */
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({ row: fc.option(fc.nat(ROWS - 1)), how: fc.constantFrom('remove', 'move', 'leave', 'add'), place }),
  {
    minLength: 6,
    maxLength: 6,
  },
);

interface Act {
  /** One of the rows that were made first; null for the last one that was shown. */
  row: number | null;
  how: 'remove' | 'move' | 'leave' | 'add';
  place: number;
}

interface List {
  name: string;
  actor: Actor;
  path: string;
  rows: Rows;
  ids?: (body: Record<string, unknown>) => number[];
}

const idsIn = (rows: unknown, name: string) => [rows].flat().map((row) => Number(Object(row)[name]));
const ofDay = `min_appointment_date=${DAY}&max_appointment_date=${DAY}`;
const RPM = '/remote-patient-monitoring';
const ofAppointment = (body: Record<string, unknown>) => idsIn(body.data, 'appointment_id');
const ofPractice = (list: string, name: string) => (body: Record<string, unknown>) => idsIn(body[list], name);
const practice = `/v1/${organizationId}`;
const booked = `${practice}/appointments/booked?startdate=05/03/2033&enddate=05/03/2033`;

const LISTS: List[] = [
  { name: 'appointments', actor: person, path: `/appointments/all?${ofDay}`, rows: appointments },
  { name: 'own appointments', actor: person, path: `/appointments?${ofDay}`, rows: appointments },
  { name: 'appointments of the integration API', actor: app, path: `/api/appointments?from=${DAY}&to=${DAY}`, rows: appointments },
  { name: 'booked', actor: system, path: booked, rows: appointments, ids: ofPractice('appointments', 'appointmentid') },
  { name: 'user appointments', actor: person, path: '/user-appointments?sort=appointment_date', rows: appointments, ids: ofAppointment },
  {
    name: 'user appointments by type, backwards',
    actor: person,
    path: '/user-appointments?sort=title&order=desc',
    rows: appointments,
    ids: ofAppointment,
  },
  { name: 'own user appointments', actor: person, path: `/user-appointments/self?${ofDay}`, rows: appointments, ids: ofAppointment },
  { name: 'patients', actor: person, path: '/patients', rows: charts },
  { name: 'patients by birth date', actor: person, path: '/patients?sort=dob', rows: charts },
  { name: 'patients by city, backwards', actor: person, path: '/patients?sort=city&order=desc', rows: charts },
  { name: 'patients by the start of a name', actor: person, path: '/patients?lastname=l', rows: charts },
  { name: 'names of patients', actor: person, path: '/patients/uuid?sort=firstname', rows: charts },
  { name: 'patients of the integration API', actor: app, path: '/api/patients', rows: charts },
  {
    name: 'patients of the practice API',
    actor: system,
    path: `${practice}/patients`,
    rows: charts,
    ids: ofPractice('patients', 'patientid'),
  },
  {
    name: 'patients of the practice API by first name',
    actor: system,
    path: `${practice}/patients?firstname=f`,
    rows: charts,
    ids: ofPractice('patients', 'patientid'),
  },
  { name: 'contacts', actor: person, path: '/contacts', rows: charts },
  { name: 'contacts by first name, backwards', actor: person, path: '/contacts?sort=firstname&order=desc', rows: charts },
  { name: 'texts', actor: person, path: '/sms-messages', rows: texts },
  { name: 'conversations', actor: person, path: '/conversations', rows: conversations, ids: (body) => idsIn(body.data, 'number') },
  { name: 'inbox', actor: person, path: '/inbox', rows: inbox },
  { name: 'check-ins', actor: person, path: `${RPM}/checkins`, rows: checkIns },
  { name: 'check-ins by answer', actor: person, path: `${RPM}/checkins/patients/${patientId}?sort=answered_at`, rows: checkIns },
  { name: 'alerts', actor: person, path: `${RPM}/alerts`, rows: alerts },
  { name: 'monitored patients', actor: person, path: `${RPM}/patients`, rows: charts },
  { name: 'monitored patients by birth date, backwards', actor: person, path: `${RPM}/patients?sort=dob&order=desc`, rows: charts },
  { name: 'readings', actor: person, path: `${RPM}/patients/${patientId}/readings`, rows: readings },
];

/** The address of the next page, without its origin. */
function findNext(body: Record<string, unknown>): string | null {
  const next = body.next ?? Object(body.links).next;
  return typeof next === 'string' ? next.replace(/^https?:\/\/[^/]+/, '') : null;
}

/** Follows a list from page to page, with a change after each. @returns how often each row was shown that stayed as it was */
async function follow({ actor, path, rows, ids = (body) => idsIn(body.data, 'uuid') }: List, wheres: number[], changes: readonly Act[]) {
  await rows.clear();
  const made: number[] = [];
  for (const where of wheres) made.push(await rows.add(where));
  const changed = new Set<number>();
  const seen: number[] = [];
  let next: string | null = `${path}${path.includes('?') ? '&' : '?'}limit=2`;
  for (let page = 0; next !== null; page += 1) {
    expect(page).toBeLessThan(40);
    const answer = await test.http.get(next).set('authorization', `Bearer ${actor.token}`);
    expect(answer.status, answer.text).toBe(200);
    seen.push(...ids(answer.body));
    next = findNext(answer.body);
    const act = changes[page];
    if (!act || act.how === 'leave') continue;
    if (act.how === 'add') await rows.add(act.place);
    const id = act.row === null ? seen.at(-1) : made[act.row];
    if (id === undefined || changed.has(id) || !made.includes(id)) continue;
    if (act.how !== 'add') changed.add(id);
    if (act.how === 'remove') await rows.remove(id);
    if (act.how === 'move') await rows.move(id, act.place);
  }
  return made.filter((id) => !changed.has(id)).map((id) => seen.filter((one) => one === id).length);
}

describe('a list that is followed by its links while rows of it are removed, moved and added', () => {
  it.each(LISTS)('shows each row that stays exactly once: $name', async (list) => {
    const isByName = list.path.includes('name=');
    await fc.assert(
      fc.asyncProperty(places, acts, async (wheres, changes) => {
        // A search by name does not find a chart without one.
        const found = isByName ? wheres.map((where) => Math.max(1, where)) : wheres;
        const times = await follow(list, found, changes);
        expect(times).toEqual(times.map(() => 1));
      }),
      { numRuns: 5 },
    );
  });

  it('refuses a position of another list, order or practice, and tells nothing by it', async () => {
    await charts.clear();
    for (const where of [1, 2, 3]) await charts.add(where);
    const { body } = await person.get('/patients?limit=1').expect(200);
    const after = new URL(body.links.next).searchParams.get('after') ?? '';
    expect(Buffer.from(after, 'base64url').toString()).not.toMatch(/last/i);
    const stranger = await signedInUser(test, { type: 'admin' });
    for (const [actor, query] of [
      [person, `/patients?sort=dob&after=${after}`],
      [person, `/contacts?after=${after}`],
      [person, `/patients?after=${after.slice(0, -2)}AA`],
      [person, '/patients?after=1'],
      [stranger, `/patients?after=${after}`],
    ] as const) {
      const refused = await actor.get(query);
      expect([query, refused.status, refused.body.errors?.[0]?.pointer]).toEqual([query, 400, '/after']);
    }
  });
});
