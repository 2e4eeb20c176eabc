import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { expectException } from './exceptions.ts';

// Operations that public clients of this API call and that its document does not have.

const test = await sharedTestApp();
const clinic = await integrationClient(test);
const stranger = await integrationClient(test);
const { organizationId } = clinic;

const NOWHERE = 2_147_483_647;

describe('an appointment type', () => {
  it('is changed by its id in the path, with the id in the body or without it', async () => {
    const created = await clinic.post('/appointments/types').send({ name: 'Visit' });
    const { uuid } = created.body.data;
    const changed = await clinic
      .put(`/appointments/types/${uuid}`)
      .set('if-match', String(created.headers.etag))
      .send({ uuid, name: 'Long visit' });
    expect([changed.status, changed.body.data]).toEqual([200, { ...created.body.data, name: 'Long visit' }]);
    const stale = await clinic.put(`/appointments/types/${uuid}`).set('if-match', String(created.headers.etag)).send({ active: 0 });
    expectException(stale, 412, null);
    expect((await clinic.put(`/appointments/types/${uuid}`).send({ active: 0 })).body.data).toMatchObject({
      name: 'Long visit',
      active: 0,
    });
    expectException(await clinic.put(`/appointments/types/${uuid}`).send({ uuid: uuid + 1, name: 'Other' }), 400, 'uuid');
    for (const [who, id] of [
      [stranger, uuid],
      [clinic, NOWHERE],
    ] as const)
      expectException(await who.put(`/appointments/types/${id}`).send({ name: 'Mine' }), 404, 'uuid');
  });
});

describe('the client', () => {
  it('is told who it is: an interface user, whose id its appointments have', async () => {
    const answer = await clinic.get('/client');
    const { uuid } = answer.body;
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { org_uuid: organizationId, user_type: 'interface', is_interface_user: 1, active: 1 },
    ]);
    expect((await clinic.post('/appointments').send({ appointment_date: '2031-04-04T09:00:00' })).body.data.created_by).toBe(uuid);
    expect((await stranger.get('/client')).body).toMatchObject({ org_uuid: stranger.organizationId });
  });

  it('is the person where one signed in', async () => {
    const person = await signedInUser(test, { organizationId, type: 'provider' });
    const answer = await test.http.get('/api/client').set('authorization', `Bearer ${person.token}`);
    expect(answer.body).toMatchObject({ uuid: person.user.id, email: person.email, user_type: 'provider', is_interface_user: 0 });
  });
});
