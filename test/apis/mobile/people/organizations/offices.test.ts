import { describe, expect, it } from 'vitest';
import { type Actor, signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createLocation, createOffice } from '../../../../support/factories.ts';

const test = await sharedTestApp();
const person: Actor = await signedInUser(test);

const rows = () => test.database.prisma;

const FULL = {
  name: 'North',
  timeZone: 'America/Chicago',
  patientDepartmentName: 'Our northern house',
  address1: '2 Oak Rd',
  city: 'Cary',
  state: 'NC',
  zip: '27511',
  latitude: '35.791500',
  longitude: '-78.781100',
  phone: '+19195550101',
  fax: '+19195550102',
};

describe('an office', () => {
  it('has all that a screen shows of it: address, numbers, zone, locations and waiting rooms in use', async () => {
    const { organizationId } = person;
    const office = await createOffice(rows(), { organizationId, ...FULL });
    const officeId = office.id;
    const room = await createLocation(rows(), { organizationId, officeId, name: 'Lab', phone: '+19195550103', city: 'Cary' });
    await createLocation(rows(), { organizationId, officeId, name: 'Gone', active: false });
    const waiting = await rows().waitingRoom.create({ data: { organizationId, officeId, name: 'Lobby' } });
    await rows().waitingRoom.create({ data: { organizationId, officeId, name: 'Closed', active: false } });
    const answer = await person.get(`/office/${officeId}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.etag).toBeDefined();
    expect(answer.body.data).toEqual({
      uuid: officeId,
      name: 'North',
      patient_department_name: 'Our northern house',
      address: { address: '2 Oak Rd', address2: null, city: 'Cary', state: 'NC', zip: '27511' },
      latitude: 35.7915,
      longitude: -78.7811,
      phone: '9195550101',
      fax: '9195550102',
      timezone: 'America/Chicago',
      active: true,
      locations: [
        {
          uuid: room.id,
          name: 'Lab',
          phone: '9195550103',
          address: { address: null, address2: null, city: 'Cary', state: null, zip: null },
        },
      ],
      waiting_rooms: [{ uuid: waiting.id, name: 'Lobby', user_id: null }],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  it('that was closed is in no list, and can still be read', async () => {
    const closed = await createOffice(rows(), { organizationId: person.organizationId, active: false });
    const listed = (await person.get('/office')).body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect(listed).not.toContain(closed.id);
    expect((await person.get(`/office/${closed.id}`)).body.data).toMatchObject({ uuid: closed.id, active: false });
  });
});

describe('the list of offices', () => {
  it('pages by id, and its links keep the limit', async () => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    const ids: number[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await createOffice(rows(), { organizationId })).id);
    const first = await own.get('/office/?limit=2');
    expect(first.body.data.map(({ uuid }: { uuid: number }) => uuid)).toEqual(ids.slice(0, 2));
    expect(first.body.meta).toEqual({ current_page: 1, per_page: 2, from: 1, to: 2, total: 3, last_page: 2 });
    const { pathname, search } = new URL(first.body.links.next);
    const second = await own.get(`${pathname}${search}`);
    expect(second.body.data.map(({ uuid }: { uuid: number }) => uuid)).toEqual(ids.slice(2));
    expect(second.body.links.next).toBeNull();
  });
});
