import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createProvider } from '../../../support/factories.ts';

const test = await sharedTestApp();

type Person = Awaited<ReturnType<typeof signedInUser>>;

async function change({ organizationId, user }: Person, data: object) {
  await test.database.prisma.user.update({ where: { organizationId_id: { organizationId, id: user.id } }, data });
}

describe('GET /client', () => {
  it('is the user’s own settings and those of the organization', async () => {
    const person = await signedInUser(test, { type: 'provider', organization: { doubleBooking: 'refuse', quietHoursStart: '20:30' } });
    const { organizationId, user } = person;
    const provider = await createProvider(test.database.prisma, { organizationId, userId: user.id });
    await change(person, {
      firstName: 'Ada',
      lastName: 'Quinn',
      email: 'ada@example.com',
      phone: '+19105550123',
      languageId: 'es',
      chatStatus: 'online',
      telehealthAvailability: false,
      receivePushNotices: false,
      termsAccepted: true,
      fiveMinuteCheckIn: true,
      fiveMinuteCheckInType: 'sms',
      lastSeenAt: new Date('2026-03-08T14:30:00Z'),
    });
    const answer = await person.get('/client');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body.data).toEqual({
      uuid: user.id,
      org_uuid: organizationId,
      first_name: 'Ada',
      last_name: 'Quinn',
      email: 'ada@example.com',
      phone_number: '9105550123',
      user_type: 'provider',
      active: true,
      verified: true,
      language_id: 'es',
      image: null,
      chat_status: 'online',
      last_seen_datetime: '2026-03-08T14:30:00Z',
      telehealth_availability: false,
      receive_push_notices: false,
      terms_accepted: true,
      teleheath_5_minute_check_in: true,
      teleheath_5_minute_check_in_type: 'sms',
      provider: provider.id,
      organization: (await person.get(`/organizations/${organizationId}`)).body.data,
    });
    expect(answer.body.data.organization.settings).toMatchObject({ double_booking: 'refuse', quiet_hours_start: '20:30' });
  });

  it('says off and null where the five-minute check-in was never set', async () => {
    const person = await signedInUser(test);
    expect((await person.get('/client')).body.data).toMatchObject({
      teleheath_5_minute_check_in: false,
      teleheath_5_minute_check_in_type: null,
      provider: null,
    });
  });

  it('has the address that one signs in with where the user has no other', async () => {
    const person = await signedInUser(test);
    expect((await person.get('/client')).body.data.email).toBe(person.email);
  });

  it('has a tag, which changes with the settings of the organization', async () => {
    const person = await signedInUser(test);
    const { etag } = (await person.get('/client')).headers;
    expect((await person.get('/client').set('if-none-match', String(etag))).status).toBe(304);
    await test.database.prisma.organization.update({ where: { id: person.organizationId }, data: { defaultAppointmentLength: 45 } });
    expect((await person.get('/client').set('if-none-match', String(etag))).body.data.organization.settings).toMatchObject({
      default_appointment_length: 45,
    });
  });
});

describe('GET /user', () => {
  it('is the record of who signed in, as colleagues see it', async () => {
    const person = await signedInUser(test, { type: 'admin' });
    const answer = await person.get('/user');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual((await person.get(`/users/${person.user.id}`)).body);
    expect(answer.body.data).toMatchObject({ uuid: person.user.id, user_type: 'admin' });
    expect(answer.text).not.toContain('$argon2');
  });

  it('is another record for each device’s user', async () => {
    const first = await signedInUser(test);
    const second = await signedInUser(test, { organizationId: first.organizationId });
    expect((await first.get('/user')).body.data.uuid).toBe(first.user.id);
    expect((await second.get('/user')).body.data.uuid).toBe(second.user.id);
  });
});
