import { beforeAll, describe, expect, it } from 'vitest';
import { type Actor, signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createOrganization } from '../../../../support/factories.ts';

const test = await sharedTestApp();
const person: Actor = await signedInUser(test, {
  organization: {
    name: 'Riverside',
    timeZone: 'America/Denver',
    phone: '+13035550100',
    email: 'desk@riverside.example',
    website: 'https://riverside.example',
    address1: '1 Main St',
    address2: 'Floor 2',
    city: 'Boulder',
    state: 'CO',
    zip: '80301',
    doubleBooking: 'refuse',
    defaultAppointmentLength: 20,
    quietHoursStart: '20:00',
    quietHoursEnd: '09:00',
    languageId: 'es',
  },
});
beforeAll(async () => {
  await createOrganization(test.database.prisma);
});

const RIVERSIDE = {
  uuid: expect.any(Number),
  name: 'Riverside',
  phone: '3035550100',
  email: 'desk@riverside.example',
  website: 'https://riverside.example',
  address: { address: '1 Main St', address2: 'Floor 2', city: 'Boulder', state: 'CO', zip: '80301' },
  timezone: 'America/Denver',
  settings: {
    language: 'es',
    double_booking: 'refuse',
    default_appointment_length: 20,
    quiet_hours_start: '20:00',
    quiet_hours_end: '09:00',
  },
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  updated_at: expect.stringMatching(/Z$/),
};

describe('organizations', () => {
  it('are the one that the caller works for, with its settings', async () => {
    const answer = await person.get('/organizations');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual([{ ...RIVERSIDE, uuid: person.organizationId }]);
    expect(answer.body.meta).toEqual({ current_page: 1, per_page: 100, from: 1, to: 1, total: 1, last_page: 1 });
    expect((await person.get('/organizations?page=2')).body).toMatchObject({ data: [], meta: { from: null, to: null, total: 1 } });
  });

  it('are read one at a time, with a tag', async () => {
    const answer = await person.get(`/organizations/${person.organizationId}/`);
    expect(answer.body).toEqual({ data: { ...RIVERSIDE, uuid: person.organizationId } });
    const again = await person.get(`/organizations/${person.organizationId}`).set('if-none-match', String(answer.headers.etag));
    expect(again.status).toBe(304);
  });

  it('do not tell of another one', async () => {
    const other = await createOrganization(test.database.prisma);
    const theirs = await person.get(`/organizations/${other.id}`);
    const nobodys = await person.get('/organizations/1888888');
    expect([theirs.status, theirs.body.code]).toEqual([404, 'organization_not_found']);
    expect(theirs.body.detail).toBe(nobodys.body.detail);
  });

  it.each(['0', 'x', '2147483648', '-1'])('refuse the id %s', async (id) => {
    const answer = await person.get(`/organizations/${id}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/organization']);
  });
});
