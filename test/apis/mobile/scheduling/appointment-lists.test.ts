import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { operator } from '../../../../src/domain/caller.ts';
import { searchAudit } from '../../../../src/domain/logs/audit-search.ts';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createProvider, createUser } from '../../../support/factories.ts';
import { appointmentReferences, createAppointment } from '../../../support/schedule.ts';

/** By the names below. */
const ids = new Map<string, number>();
const names = new Map<number, string>();
/** Ids of the records that lists are filtered by. */
let of: Record<'type' | 'office' | 'location' | 'patient' | 'colleague' | 'third' | 'provider' | 'seen', number>;

const test = await sharedTestApp();
const phone = await signedInUser(test);
const stranger = await signedInUser(test);

beforeAll(async () => {
  const { organizationId, user } = phone;
  const own = { organizationId };
  const db = test.database.prisma;
  const colleague = (await createUser(db, { ...own, type: 'provider' })).user.id;
  const third = (await createUser(db, own)).user.id;
  const { type, office, location, patient } = await appointmentReferences(db, organizationId);
  of = {
    type: type.id,
    office: office.id,
    location: location.id,
    patient: patient.id,
    provider: (await createProvider(db, { ...own, userId: colleague })).id,
    seen: (await createProvider(db, own)).id,
    colleague,
    third,
  };
  const add = async (name: string, row: Omit<Parameters<typeof createAppointment>[1], 'organizationId'>, users: number[] = []) => {
    const { id } = await createAppointment(db, { ...own, ...row }, users);
    ids.set(name, id);
    names.set(id, name);
  };
  // Made in another order than they take place.
  await add('noon', { startsAt: '2031-01-15T17:00:00Z', patientId: of.patient, officeId: of.office, confirmation: 'Yes' }, [
    user.id,
    colleague,
  ]);
  await add('nine', { startsAt: '2031-01-15T14:00:00Z', typeId: of.type, typeOrganizationId: organizationId, confirmation: 'Yes' }, [
    user.id,
  ]);
  await add('also nine', { startsAt: '2031-01-15T14:00:00Z', locationId: of.location, patientId: of.patient, confirmation: 'No' }, [
    colleague,
  ]);
  await add('nobody’s', { startsAt: '2031-01-16T14:00:00Z', officeId: of.office, showOnTasks: false });
  await add('next day', { startsAt: '2031-01-16T15:00:00Z', providerId: of.seen, patientId: of.patient, showOnTasks: false }, [
    user.id,
    third,
  ]);
  await add('late', { startsAt: '2031-01-17T04:59:59Z', confirmation: 'Yes' }, [third]);
  await add('cancelled', { startsAt: '2031-01-15T18:00:00Z', patientId: of.patient, officeId: of.office, status: 'cancelled' }, [
    user.id,
    colleague,
  ]);
  await add('undated', { patientId: of.patient, officeId: of.office, confirmation: 'Yes' }, [user.id, colleague]);
  await createAppointment(db, { organizationId: stranger.organizationId, startsAt: '2031-01-15T14:00:00Z' }, [stranger.user.id]);
});

/** The names of what a list shows, in its order. */
async function listed(path: string, who = phone): Promise<string[]> {
  const answer = await who.get(`/appointments${path}`);
  expect(answer.status, answer.text).toBe(200);
  const { data, meta } = answer.body;
  expect(meta.total).toBe(data.length);
  return data.map(({ uuid }: { uuid: number }) => names.get(uuid) ?? uuid);
}

/** `{type}` and the like, in a path, as the id. */
const filled = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(name === 'me' ? phone.user.id : new Map(Object.entries(of)).get(name)));

const EVERYTHING = ['nine', 'also nine', 'noon', 'nobody’s', 'next day', 'late'];

describe('a list shows', () => {
  it.each([
    // Mine.
    ['', ['nine', 'noon', 'next day']],
    ['?type={type}', ['nine']],
    ['?office={office}', ['noon']],
    ['?location={location}', []],
    ['?user[]={provider}', ['noon']],
    ['?user[]={seen}', ['next day']],
    ['?user[]={seen}&user[]={provider}', ['noon', 'next day']],
    // Everybody's.
    ['/all', EVERYTHING],
    ['/all?user_id={colleague}', ['also nine', 'noon']],
    ['/all?user_id={colleague}&user[]={me}', ['noon']],
    ['/all?user[]={colleague}', ['also nine', 'noon']],
    ['/all?user[]={colleague}&user[]={third}', ['also nine', 'noon', 'next day', 'late']],
    ['/all?user[]={colleague}&user[]={me}&office={office}', ['noon']],
    ['/all?type={type}', ['nine']],
    ['/all?office={office}', ['noon', 'nobody’s']],
    ['/all?location={location}', ['also nine']],
    ['/all?office={office}&type={type}', []],
    // Searched.
    ['/search', EVERYTHING],
    ['/search?show_on_tasks=0', ['nobody’s', 'next day']],
    ['/search?show_on_tasks=1&user[]={me}', ['nine', 'noon']],
    ['/search?show_on_tasks=0&office={office}', ['nobody’s']],
    ['/search?type={type}&user[]={me}', ['nine']],
    ['/search?location={location}&user[]={third}', []],
    // Of a patient.
    ['/patient/{patient}', ['also nine', 'noon', 'next day']],
    ['/patient/{patient}?office={office}', ['noon']],
    ['/patient/{patient}?location={location}', ['also nine']],
    ['/patient/{patient}?type={type}', []],
    ['/patient/{patient}?user[]={colleague}', ['also nine', 'noon']],
    ['/patient/{patient}?user[]={me}&user[]={third}', ['noon', 'next day']],
    // By what was answered.
    ['/status', ['nine', 'noon']],
    ['/status?status=Yes', ['nine', 'noon']],
    ['/status?status=Pending', ['next day']],
    ['/status?status=No', []],
    ['/status?status=No&user_id={colleague}', ['also nine']],
    ['/status/all', EVERYTHING],
    ['/status/all?status=Yes', ['nine', 'noon', 'late']],
    ['/status/all?status=No', ['also nine']],
    ['/status/all?user_id={third}', ['next day', 'late']],
    ['/status/all?user_id={third}&status=Yes', ['late']],
    ['/status/all?office={office}', ['noon', 'nobody’s']],
    ['/status/all?type={type}&user[]={me}', ['nine']],
    ['/status/all?location={location}', ['also nine']],
  ])('at %s what it is asked for, by start and id, and neither cancelled nor undated ones', async (path, expected) => {
    expect(await listed(filled(path))).toEqual(expected);
  });

  it.each([
    ['min_appointment_date=2031-01-16', ['nobody’s', 'next day', 'late']],
    ['max_appointment_date=2031-01-15', ['nine', 'also nine', 'noon']],
    ['min_appointment_date=2031-01-16&max_appointment_date=2031-01-16', ['nobody’s', 'next day', 'late']],
    ['min_appointment_date=2031-01-15T12:00:00&max_appointment_date=2031-01-16T09:00:00', ['noon', 'nobody’s']],
    ['min_appointment_date=2031-01-15T17:00:00Z&max_appointment_date=2031-01-15T17:00:00Z', ['noon']],
    ['min_appointment_date=2031-01-15T18:00:00%2B01:00&max_appointment_date=2031-01-15T18:00:00%2B01:00', ['noon']],
    ['min_appointment_date=2031-01-15T18:00:00+01:00&max_appointment_date=2031-01-15T18:00:00+01:00', ['noon']],
    ['min_appointment_date=2031-01-15T12:00:01', ['nobody’s', 'next day', 'late']],
    ['min_appointment_date=2031-01-17', []],
  ])('between %s what starts then, on the clocks of the organization unless there is an offset', async (dates, expected) => {
    expect(await listed(`/all?${dates}`)).toEqual(expected);
    expect(await listed(`/search?${dates}`)).toEqual(expected);
    expect(await listed(`/status/all?${dates}`)).toEqual(expected);
    expect(await listed(`?${dates}`)).toEqual(expected.filter((name) => ['nine', 'noon', 'next day'].includes(name)));
    expect(await listed(`/status?${dates}`)).toEqual(expected.filter((name) => ['nine', 'noon'].includes(name)));
  });

  it('the same record everywhere, with who answered and when', async () => {
    const [read, own, all] = await Promise.all(
      [`/${ids.get('noon')}`, '', `/status/all?${filled('office={office}')}`].map(
        async (path) => (await phone.get(`/appointments${path}`)).body.data,
      ),
    );
    expect(own[1]).toEqual(read);
    expect(all[0]).toEqual(read);
    expect(read.confirmation).toEqual({ status: 'Yes', at: null, by: null });
  });
});

describe('a list is refused', () => {
  it.each([
    [
      '/all?min_appointment_date=2031-01-16&max_appointment_date=2031-01-15',
      'min_appointment_date',
      'must not be after max_appointment_date',
    ],
    ['?min_appointment_date=2031-01-15T10:00:00Z&max_appointment_date=2031-01-15T09:59:59Z', 'min_appointment_date', 'must not be after'],
    ['/search?min_appointment_date=soon', 'min_appointment_date', 'must be a day'],
    ['/status?max_appointment_date=2031-02-30', 'max_appointment_date', 'is a day that does not exist'],
    ['/status/all?max_appointment_date=1031-02-28', 'max_appointment_date', 'years 1900 to 2199'],
    ['/status?status=Maybe', 'status', 'must be Yes or No or Pending'],
    ['/all?type=x', 'type', 'integer'],
    ['/all?office=0', 'office', 'integer'],
    ['/all?location=1.5', 'location', 'integer'],
    ['/all?user_id=me', 'user_id', 'integer'],
    ['/all?user[]=1&user[]=x', 'user[]/1', 'integer'],
    ['/search?show_on_tasks=2', 'show_on_tasks', '0 or 1'],
    ['?page=0', 'page', 'integer'],
    ['?limit=1001', 'limit', 'integer'],
    ['/patient/x', 'uuid', 'integer'],
  ])('at %s for its %s', async (path, field, words) => {
    const answer = await phone.get(`/appointments${path}`);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: `/${field}`, detail: expect.stringContaining(words) }] });
  });
});

describe('pages', () => {
  it('show each appointment once, whatever their length, and keep the filters in their links', async () => {
    const paths = ['/all?user[]={colleague}&user[]={third}&user[]={me}', '/all?min_appointment_date=2031-01-15', '/search?show_on_tasks=1'];
    const run = fc.asyncProperty(fc.constantFrom(...paths), fc.integer({ min: 1, max: 7 }), async (path, limit) => {
      const whole = await listed(filled(path));
      let next: string | null = `${test.address}/appointments${filled(path)}&limit=${limit}`;
      const seen: (string | undefined)[] = [];
      while (next !== null) {
        const { pathname, search }: URL = new URL(next);
        const { data, links, meta } = (await phone.get(`${pathname}${search}`)).body;
        expect(meta).toMatchObject({ per_page: limit, total: whole.length, last_page: Math.ceil(whole.length / limit) });
        expect(data.length).toBeLessThanOrEqual(limit);
        seen.push(...data.map(({ uuid }: { uuid: number }) => names.get(uuid)));
        next = links.next;
      }
      expect(seen).toEqual(whole);
    });
    await fc.assert(run, { numRuns: 15 });
  });

  it('after the last are empty, and know how long the list is', async () => {
    const { data, links, meta } = (await phone.get('/appointments/all?page=9&limit=2')).body;
    expect([data, meta]).toEqual([[], { current_page: 9, per_page: 2, from: null, to: null, total: 6, last_page: 3 }]);
    expect(links.prev).toContain('page=3');
  });
});

describe('what a list shows', () => {
  it('stands in the audit, in one row: the appointments and their patients', async () => {
    await phone.get('/appointments/all?max_appointment_date=2031-01-15').set('x-request-id', 'audited-list');
    const audits = await test.database.prisma.auditEntry.findMany({ where: { requestId: 'audited-list' }, orderBy: { id: 'asc' } });
    expect(audits.map(({ action, resource, resourceIds, patientIds }) => [action, resource, resourceIds, patientIds])).toEqual([
      ['search', 'appointment', ['nine', 'also nine', 'noon'].map((name) => ids.get(name)), [of.patient]],
    ]);
  });

  it('is found by who looks for the patient, in the audit of the practice', async () => {
    await phone.get('/appointments/all?max_appointment_date=2031-01-15').set('x-request-id', 'found-by-patient');
    const { organizationId } = phone;
    const search = { range: { from: null, before: null }, limit: 1_000 };
    const seen = (patientId: number) =>
      test.services.unitOfWork.read(operator(organizationId, 'test'), (tx) => searchAudit(tx, { ...search, patientId }));
    const requests = async (patientId: number) => (await seen(patientId)).entries.map(({ requestId }) => requestId);
    expect(await requests(of.patient)).toContain('found-by-patient');
    expect(await requests(of.patient + 1_000_000)).toEqual([]);
  });
});
