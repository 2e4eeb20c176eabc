import { describe, expect, it } from 'vitest';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test, { organization: { matchOnRegistration: false } });
const { organizationId } = clinic;

const person = (lastName: string, row: Partial<Prisma.PatientUncheckedCreateInput> = {}) =>
  createPatient(test.database.prisma, { organizationId, firstName: 'Zoë', lastName, birthDate: new Date('1980-02-03'), ...row });
const find = (query: Record<string, string>) =>
  clinic.get(`/patients/enhancedbestmatch?${new URLSearchParams({ dob: '02/03/1980', ...query })}`);
const scores = async (query: Record<string, string>) =>
  (await find(query)).body.map(({ patientid, score }: { patientid: string; score: string }) => [Number(patientid), score]);

describe('GET /patients/enhancedbestmatch', () => {
  it('returns the one chart that has most in common, with its record and its score', async () => {
    const known = await person('Núñez', { zip: '27601-1234', mobilePhone: '+19195550141', email: 'zoe@example.com' });
    await person('Other');
    const name = { firstname: 'ZOE', lastname: 'nunez' };
    expect((await find(name)).body).toMatchObject([{ patientid: String(known.id), lastname: 'Núñez', score: '24' }]);
    expect(await scores({ ...name, zip: '27601' })).toEqual([[known.id, '26']]);
    expect(await scores({ ...name, homephone: '9195550141', email: 'ZOE@example.com' })).toEqual([[known.id, '40']]);
    expect(await scores({ ...name, minscore: '24.5' })).toEqual([]);
    // Another birth date is another person, however much else agrees.
    expect(await scores({ ...name, dob: '02/04/1980', mobilephone: '9195550141', email: 'zoe@example.com' })).toEqual([[known.id, '25']]);
  });

  it('returns none where several are as likely, and up to five on request, the likeliest first', async () => {
    const twins = [await person('Twin'), await person('Twin')].map(({ id }) => id);
    const name = { firstname: 'Zoe', lastname: 'Twin' };
    expect(await scores(name)).toEqual([]);
    expect((await scores({ ...name, returnbestmatches: 'true' })).slice(0, 2)).toEqual(twins.map((id) => [id, '24']));
    const all = await scores({ ...name, returnbestmatches: 'true' });
    expect(all.length).toBeLessThanOrEqual(5);
    expect(all.every(([, score]: [number, string]) => Number(score) >= 16)).toBe(true);
  });

  it('compares the social security number, and finds neither deleted nor restricted charts', async () => {
    const known = await person('Sealed');
    await clinic.put(`/patients/${known.id}`).type('form').send({ ssn: '219-09-7777' }).expect(200);
    const query = { firstname: 'Zoe', lastname: 'Sealed', ssn: '219097777' };
    expect(await scores(query)).toEqual([[known.id, '34']]);
    await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId: known.id, kind: 'record' } });
    expect(await scores(query)).toEqual([]);
  });

  it.each([
    ['firstname', ''],
    ['dob', 'soon'],
    ['minscore', 'high'],
    ['usesoundexsearch', 'true'],
    ['nickname', 'Zo'],
  ])('refuses %s "%s", and names it', async (name, value) => {
    const refused = await find({ firstname: 'Zoe', lastname: 'Nobody', [name]: value });
    expect(refused.status).toBe(400);
    expect([...refused.body.invalidfields, ...refused.body.missingfields]).toEqual([name]);
  });
});

describe('an operation that does not exist', () => {
  it('is 404 in words, also where an id would be', async () => {
    for (const path of ['/patients/bestmatch', '/providers/all', '/nothing']) {
      const answer = await clinic.get(path);
      expect([answer.status, answer.body.error]).toEqual([404, 'There is no such operation.']);
    }
    expect((await clinic.get('/ping')).body).toEqual({ pong: true });
  });
});
