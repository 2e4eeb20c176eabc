import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createLocation, createProvider } from '../../support/factories.ts';
import { expectException } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);
const rows = () => test.database.prisma;
const NOTHING_MORE = { preferred_name: null, language: null, contact_preference: null, deceased_date: null, guardian: null };
const EMPTY = {
  user_uuid: null,
  firstname: null,
  lastname: null,
  address: { address: null, address2: null, city: null, state: null, zip: null },
  email: null,
  phone_no: null,
  dob: null,
  admit_date: null,
  gender: null,
  med_rec_no: null,
  census: null,
  provider: null,
  location: null,
  flags: [],
  do_not_sms: '0',
  ...NOTHING_MORE,
};

async function create(fields: object) {
  const answer = await clinic.post('/patients').send(fields);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

async function update(uuid: number, fields: object) {
  const answer = await clinic.put(`/patients/${uuid}`).send(fields);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

describe('a patient', () => {
  it('is created with every field of the document, and found by record number as the same record', async () => {
    const { organizationId } = clinic;
    const [provider, location] = [await createProvider(rows(), { organizationId }), await createLocation(rows(), { organizationId })];
    const sent = {
      firstname: 'Zoë',
      lastname: 'Núñez-O’Brien',
      address: { address: '1 Main St', address2: 'Apt 4', city: 'Raleigh', state: 'NC', zip: '27601' },
      email: 'zoe@example.com',
      phone_no: '9105550123',
      dob: '1980-02-29',
      admit_date: '2026-01-05',
      gender: 'F',
      med_rec_no: 'A-1',
      census: true,
      provider: provider.id,
      location: location.id,
      flags: ['diabetes', 'fall risk'],
      do_not_sms: '1',
    };
    const created = await clinic.post('/patients').send(sent);
    expect(created.status).toBe(200);
    expect(created.body).toEqual({ data: { uuid: expect.any(Number), user_uuid: null, ...sent, ...NOTHING_MORE } });
    const found = await clinic.get('/patients/mrn/A-1');
    expect(found.status).toBe(200);
    expect(found.body).toEqual(created.body);
  });

  it('may have no field at all', async () => {
    expect(await create({})).toEqual({ uuid: expect.any(Number), ...EMPTY });
  });

  it('has null for everything that a form sends empty', async () => {
    const nothing = Object.fromEntries(Object.keys(EMPTY).map((name) => [name, '']));
    expect(await create({ ...nothing, fname: ' ', lname: '', city: '' })).toEqual({ uuid: expect.any(Number), ...EMPTY });
  });

  it.each([
    ['(910) 555-0123', '9105550123'],
    ['+1 910.555.0123', '9105550123'],
    ['19105550123', '9105550123'],
    [' 910-555-0123\u00a0', '9105550123'],
  ])('can be called at %s, which is written %s', async (phone_no, written) => {
    const { uuid, phone_no: answered } = await create({ phone_no });
    expect(answered).toBe(written);
    expect((await update(uuid, { phone_no: answered })).phone_no).toBe(written);
  });

  it.each([
    ['m', 'M'],
    ['Male', 'M'],
    ['FEMALE', 'F'],
    [' f ', 'F'],
    ['nonbinary', 'nonbinary'],
    ['Two-Spirit', 'Two-Spirit'],
  ])('has the gender %s, which is written %s', async (gender, written) => {
    expect((await create({ gender })).gender).toBe(written);
  });

  it.each([true, false, null])('is in the census: %s', async (census) => {
    const { uuid, census: answered } = await create({ census });
    expect(answered).toBe(census);
    expect((await update(uuid, { census: true })).census).toBe(true);
    expect((await update(uuid, { census })).census).toBe(census);
  });
});

describe('the address of a patient', () => {
  const WHOLE = { address: '1 Main St', address2: 'Apt 4', city: 'Raleigh', state: 'NC', zip: '27601' };
  const parts = { address2: 'Apt 4', city: 'Raleigh', state: 'NC', zip: '27601' };

  it('is an object, or a text with the rest beside it', async () => {
    expect((await create({ address: WHOLE })).address).toEqual(WHOLE);
    expect((await create({ address: '1 Main St', ...parts })).address).toEqual(WHOLE);
    expect((await create(parts)).address).toEqual({ ...WHOLE, address: null });
  });

  it('is what stands inside the object where both are sent, and null in one place is as if not sent', async () => {
    expect((await create({ address: { city: 'Cary', zip: null }, ...parts })).address).toEqual({
      ...WHOLE,
      address: null,
      city: 'Cary',
    });
  });

  it.each([
    ['a part inside the object', { address: { city: 'Cary' } }, { ...WHOLE, city: 'Cary' }],
    ['null inside the object', { address: { address2: null } }, { ...WHOLE, address2: null }],
    ['an empty text inside the object', { address: { address2: '' } }, { ...WHOLE, address2: null }],
    ['a part beside it', { zip: '27511' }, { ...WHOLE, zip: '27511' }],
    ['null beside it', { state: null }, { ...WHOLE, state: null }],
    ['another street as a text', { address: '2 Oak Rd' }, { ...WHOLE, address: '2 Oak Rd' }],
    ['an empty street as a text', { address: '' }, { ...WHOLE, address: null }],
    ['an empty object', { address: {} }, WHOLE],
    ['null for the whole', { address: null }, EMPTY.address],
    ['null for the whole, with a part beside it', { address: null, city: 'Cary' }, { ...EMPTY.address, city: 'Cary' }],
  ])('changes with %s', async (_, change, expected) => {
    const { uuid } = await create({ address: WHOLE });
    expect((await update(uuid, change)).address).toEqual(expected);
  });
});

describe('changing a patient', () => {
  const FULL = {
    firstname: 'Ann',
    lastname: 'Lee',
    address: { address: '1 Main St', address2: 'Apt 4', city: 'Raleigh', state: 'NC', zip: '27601' },
    email: 'ann@example.com',
    phone_no: '9105550123',
    dob: '1980-02-29',
    admit_date: '2026-01-05',
    gender: 'F',
    census: true,
    flags: ['diabetes'],
    do_not_sms: '1',
  };

  const { firstname: _first, lastname: _last, ...clearable } = FULL;

  it.each(Object.entries({ ...clearable, med_rec_no: 'whatever' }))(
    'with null for %s clears that and nothing else',
    async (field, value) => {
      const { uuid } = await create({ ...FULL, [field]: value });
      const { [field]: _, ...rest } = { ...(await create({})), ...FULL, uuid, ...(field === 'med_rec_no' ? { med_rec_no: value } : {}) };
      const cleared = Object.entries(EMPTY).find(([name]) => name === field);
      expect(await update(uuid, { [field]: null })).toEqual({ ...rest, [field]: cleared?.[1] });
    },
  );

  it('with a provider and a location of the organization, and null takes them back', async () => {
    const { organizationId } = clinic;
    const [provider, location] = [await createProvider(rows(), { organizationId }), await createLocation(rows(), { organizationId })];
    const { uuid } = await create({});
    expect(await update(uuid, { provider: provider.id, location: String(location.id) })).toMatchObject({
      provider: provider.id,
      location: location.id,
    });
    expect(await update(uuid, { provider: null, location: null })).toMatchObject({ provider: null, location: null });
  });

  it('takes back what was answered, and that is no change', async () => {
    const created = await create({ ...FULL, med_rec_no: 'echo' });
    const { organizationId } = clinic;
    const key = { organizationId_id: { organizationId, id: created.uuid } };
    const long = new Date('2020-01-01T00:00:00Z');
    await rows().patient.update({ where: key, data: { updatedAt: long } });
    expect(await update(created.uuid, created)).toEqual(created);
    expect(await update(created.uuid, {})).toEqual(created);
    expect((await rows().patient.findUniqueOrThrow({ where: key })).updatedAt).toEqual(long);
    await update(created.uuid, { ...created, lastname: 'Lee-Park', census: false });
    expect((await rows().patient.findUniqueOrThrow({ where: key })).updatedAt.getTime()).toBeGreaterThan(long.getTime());
    const events = await rows().event.findMany({
      where: { organizationId, subjectType: 'patient', subjectId: created.uuid },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => [name, changed.toSorted()]).slice(1)).toEqual([['patient.updated', ['census', 'lastName']]]);
  });

  it('loses nothing when several change different fields at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { uuid } = await create({ med_rec_no: `race-${round}` });
      const changes = [
        { firstname: 'Ann' },
        { lastname: 'Lee' },
        { email: 'ann@example.com' },
        { flags: ['x', ' x ', ' '] },
        { address: { city: 'Cary' } },
      ];
      await Promise.all(changes.map((change) => update(uuid, change)));
      expect((await clinic.get(`/patients/mrn/race-${round}`)).body.data).toEqual({
        ...EMPTY,
        uuid,
        med_rec_no: `race-${round}`,
        firstname: 'Ann',
        lastname: 'Lee',
        email: 'ann@example.com',
        flags: ['x'],
        address: { ...EMPTY.address, city: 'Cary' },
      });
    }
  });

  it('ends as one of two whole changes that come at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { uuid } = await create({ firstname: 'Ann', lastname: 'Lee' });
      const changes = [
        { firstname: 'Ann', lastname: 'Park' },
        { firstname: 'Bo', lastname: 'Kim' },
      ];
      await Promise.all(changes.map((change) => update(uuid, change)));
      const { firstname, lastname } = await update(uuid, {});
      expect(changes).toContainEqual({ firstname, lastname });
    }
  });

  it('names unknown fields in a header and ignores them', async () => {
    const answer = await clinic.post('/patients').send({ firstname: 'Ann', frist_name: 'Ann', päth: 1, toString: 1 });
    expect(answer.status).toBe(200);
    expect(answer.headers['warning-fields']).toBe('frist_name, p%C3%A4th, toString');
  });
});

it('names a day that has not begun in the practice, and a provider whom it does not have, at once', async () => {
  const east = await integrationClient(test, { organization: { timeZone: 'Pacific/Pago_Pago' } });
  const dob = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format(new Date());
  const answer = await east.post('/patients').send({ dob, provider: 2_147_483_647 });
  expectException(answer, 400, 'dob');
  expectException(answer, 400, 'provider');
});
