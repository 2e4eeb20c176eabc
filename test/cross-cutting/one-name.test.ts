import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createRecipient, sentCheckIn, surveyingPractice } from '../support/check-ins.ts';

const test = await sharedTestApp();
const surveying = await surveyingPractice(test, { registrationPolicy: 'strict', matchOnRegistration: true });
const { organizationId, person } = surveying;
const [app, practice] = [await integrationClient(test, { organizationId }), await practiceClient(test, { organizationId })];
const rows = () => test.database.prisma;
const { id: departmentid } = await rows().office.create({ data: { organizationId, name: 'Main office', timeZone: 'America/New_York' } });

const form = { lastname: 'Suharto', dob: '06/08/1961', zip: '27601', mobilephone: '9197334321', departmentid };
const register = (sent: object) => practice.post('/patients').type('form').send(sent);
const listIds = (found: { patientid: string }[]) => found.map(({ patientid }) => Number(patientid));
const listUuids = (found: { uuid: number }[]) => found.map(({ uuid }) => uuid);

describe('a patient with one name', () => {
  it('is registered once, whatever the policy', async () => {
    const first = await register(form);
    expect([first.status, first.headers.registration]).toEqual([200, 'created']);
    const again = await register({ ...form, lastname: ' SUHARTO' });
    expect([again.headers.registration, again.body]).toEqual(['matched', first.body]);
  });

  it.each(['Sukarno', 'Sukarno '])('is found as %j in either field by every search, and sorted by it', async (name) => {
    const inFirst = (await app.post('/patients').send({ firstname: 'Sukarno', flags: ['RPM'] })).body.data.uuid;
    const inLast = (await app.post('/patients').send({ lastname: 'Sukarno', flags: ['RPM'] })).body.data.uuid;
    const written = encodeURIComponent(name);
    for (const field of ['firstname', 'lastname']) {
      expect(listIds((await practice.get(`/patients?${field}=${written}`)).body.patients)).toEqual(
        expect.arrayContaining([inFirst, inLast]),
      );
      expect(listUuids((await person.get(`/patients?${field}=${written}`)).body.data)).toEqual(expect.arrayContaining([inFirst, inLast]));
    }
    for (const path of ['/contacts?search=', '/remote-patient-monitoring/patients?keyword=']) {
      expect(listUuids((await person.get(`${path}${written}`)).body.data)).toEqual(expect.arrayContaining([inFirst, inLast]));
    }
    const listed = listUuids((await person.get('/patients?lastname=suk&sort=firstname')).body.data);
    expect(listed.indexOf(inLast)).toBe(listed.indexOf(inFirst) + 1);
    expect((await practice.get(`/patients?lastname=${written}&limit=1`)).body.next).toBeDefined();
  });

  it('is written to and greeted by it', async () => {
    const { id: recipient_id } = await createRecipient(test, organizationId, { firstName: null, lastName: 'Megawati' });
    const { id, path } = await sentCheckIn(test, surveying, { recipient_id, message: undefined });
    const { text } = await rows().checkIn.findUniqueOrThrow({
      where: { organizationId_id: { organizationId, id } },
      include: { text: true },
    });
    expect(text?.body).toContain('Hello Megawati, Hudson Family Practice');
    expect((await test.http.get(path)).text).toContain('Hello <bdi>Megawati</bdi>, ');
  });
});
