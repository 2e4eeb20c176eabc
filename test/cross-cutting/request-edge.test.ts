import { describe, expect, it } from 'vitest';
import { type Actor, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createRecipient, createSurvey } from '../support/check-ins.ts';
import { createAppointment } from '../support/schedule.ts';

const test = await sharedTestApp();
const { prisma } = test.database;
const person = await signedInUser(test, { type: 'admin' });
const { organizationId } = person;
const app = await integrationClient(test, { organizationId });
const system = await practiceClient(test, { organizationId });

/** A request whose body or address is sent byte for byte. */
async function send({ token }: Actor, method: string, path: string, type: string, body: Uint8Array | undefined) {
  const answer = await fetch(`${test.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': type } : {}) },
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const NUNEZ = '{"firstname":"Ana","lastname":"Núñez","name":"Núñez"}';

describe('bytes that are not UTF-8', () => {
  const CHARSETS = ['', '; charset=utf-8', '; charset=iso-8859-1', '; charset=windows-1252'];

  it.each(CHARSETS)('are refused in a JSON body, and nothing is stored: application/json%s', async (charset) => {
    const before = await prisma.patient.count({ where: { organizationId } });
    const integration = await send(app, 'POST', '/api/patients', `application/json${charset}`, latin1(NUNEZ));
    expect([integration.status, integration.text]).toEqual([400, expect.stringContaining('body: is not written in UTF-8')]);
    expect(integration.text).toContain('"exception":"ValidationException"');
    const mobile = await send(person, 'POST', '/contact-tags', `application/json${charset}`, latin1(NUNEZ));
    expect([mobile.status, mobile.headers.get('content-type')]).toEqual([400, 'application/problem+json; charset=utf-8']);
    expect(JSON.parse(mobile.text).errors).toEqual([{ pointer: '/body', code: 'not_utf_8', detail: 'is not written in UTF-8' }]);
    expect(await prisma.patient.count({ where: { organizationId } })).toBe(before);
  });

  it('are refused in a form with the name of the field', async () => {
    const form = latin1('firstname=Ana&lastname=Núñez');
    const answer = await send(system, 'POST', `/v1/${organizationId}/patients`, 'application/x-www-form-urlencoded', form);
    expect([answer.status, JSON.parse(answer.text).invalidfields]).toEqual([400, ['lastname']]);
  });

  it('are refused at the token endpoint', async () => {
    const form = latin1('grant_type=client_credentials&client_id=Núñez&client_secret=x');
    const answer = await send(system, 'POST', '/oauth2/v1/token', 'application/x-www-form-urlencoded', form);
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, 'invalid_request']);
  });

  it('are refused in the name of a file', async () => {
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="Núñez.png"\r\ncontent-type: image/png\r\n\r\n';
    const answer = await send(person, 'POST', '/attachment', 'multipart/form-data; boundary=b', latin1(`${head}abc\r\n--b--\r\n`));
    expect([answer.status, JSON.parse(answer.text).errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: '/file', code: 'not_utf_8' })],
    ]);
  });

  it.each(['N%FA%F1ez', '%ED%A0%80', '%EF%BF%BD'])('are refused in a query: %s', async (name) => {
    expect((await app.get(`/appointments/types?page=${name}`)).body.message).toContain('page: is not written in UTF-8');
    expect((await person.get(`/users/search?search=${name}`)).body.errors[0].pointer).toBe('/search');
    expect((await system.get(`/patients?lastname=${name}`)).body.invalidfields).toEqual(['lastname']);
    expect((await system.get(`/patients?unheard_of=${name}`)).body.invalidfields).toEqual(['unheard_of']);
    expect((await person.get(`/users?${name}=1`)).status).toBe(400);
  });

  it('are refused in a path', async () => {
    expect((await app.get('/patients/mrn/%EF%BF%BD')).status).toBe(400);
    expect((await app.get('/patients/mrn/N%FA')).status).toBe(400);
  });
});

describe('a replacement character', () => {
  it('is refused wherever a body has it, by the path of its field', async () => {
    const body = { firstname: 'N\ufffdez', address: { city: 'S\ufffdo' }, flags: ['a', '\ufffd'], unheard_of: '\ufffd' };
    const answer = await app.post('/patients').send(body);
    expect(answer.status).toBe(400);
    for (const field of ['firstname', 'address.city', 'flags.1', 'unheard_of'])
      expect(answer.body.message).toContain(`${field}: is not written in UTF-8`);
    const tag = await person.post('/contact-tags').send({ name: 'N\ufffdez' });
    expect([tag.status, tag.body.errors[0].pointer]).toEqual([400, '/name']);
  });
});

describe('UTF-8', () => {
  it('is read with and without a byte order mark, and whatever charset is declared', async () => {
    for (const [mark, charset] of [
      ['\ufeff', ''],
      ['', '; charset=iso-8859-1'],
    ] as const) {
      const answer = await send(app, 'POST', '/api/patients', `application/json${charset}`, Buffer.from(`${mark}${NUNEZ}`));
      expect([answer.status, JSON.parse(answer.text).data?.lastname]).toEqual([200, 'Núñez']);
    }
  });
});

describe('what is not used', () => {
  const warned = async (request: ReturnType<Actor['get']>, status = 200) => {
    const answer = await request;
    expect(answer.status, answer.text).toBe(status);
    return answer.headers['warning-fields'];
  };

  it('is named with its path within an object or a list, and without its value', async () => {
    const body = {
      firstname: 'A',
      lastname: 'B',
      frist: 'x',
      user_uuid: '7',
      address: { city: 'Cary', streeet: '1 Main St' },
      provder: null,
    };
    expect(await warned(app.post('/patients').send(body))).toBe('user_uuid, frist, address.streeet, provder');
    const twice = {
      fname: 'A',
      firstname: 'B',
      lname: 'C',
      lastname: 'C',
      city: 'Apex',
      zip: '27601',
      address: { city: 'Cary', zip: null },
    };
    expect(await warned(app.post('/patients').send(twice))).toBe('firstname, city');
    const survey = await createSurvey(test, organizationId);
    const { id: recipient_id } = await createRecipient(test, organizationId);
    const schedule = { name: 'Weekly', schedule_time: '09:00', schedule_period: 'weekly', surveys: [survey.id], notes: 'n' };
    const recipients = [{ recipient_id, sms_email: 'sms', sms_emial: 'email' }];
    expect(await warned(person.post('/scheduled-checkins').send({ ...schedule, recipients }), 201)).toBe('notes, recipients.0.sms_emial');
  });

  it('is stored with the answer that an Idempotency-Key repeats', async () => {
    const request = () =>
      app
        .post('/patients')
        .set('idempotency-key', 'edge')
        .send({ lastname: 'E', a: 1, address: { b: 1 } });
    expect([await warned(request()), await warned(request())]).toEqual(['a, address.b', 'a, address.b']);
  });

  it('is named also where its name is one of JavaScript’s own, and sets nothing', async () => {
    const send = (actor: Actor, path: string, body: string) => actor.post(path).set('content-type', 'application/json').send(body);
    const own = '"__proto__":{"lastname":"Own","isAdmin":true},"constructor":{"prototype":{"lastname":"Own"}},"toString":"x"';
    const patient = send(app, '/patients', `{"firstname":"Ida",${own},"address":{"city":"Cary","__proto__":{"zip":"27601"}}}`);
    expect(await warned(patient)).toBe('__proto__, constructor, toString, address.__proto__');
    const { body } = await patient;
    expect(body.data).toMatchObject({ firstname: 'Ida', lastname: null, address: { city: 'Cary', zip: null } });
    expect(Object.hasOwn(Object.prototype, 'isAdmin') || 'isAdmin' in {}).toBe(false);
    const both = `{"firstname":"Bo",${own},"appointment_date":"2026-02-30"}`;
    expect((await send(app, '/appointments', both)).body.message).toMatch(/^appointment_date: /);
    expect(await warned(send(person, '/contact-tags', `{"name":"Own",${own}}`), 201)).toBe('__proto__, constructor, toString');
    const form = '__proto__=1&constructor=2&__proto__%5Blastname%5D=Own&lastname=Known';
    expect(await warned(system.post('/patients').type('form').send(form))).toBe('__proto__, constructor, __proto__%5Blastname%5D');
    const grant = 'grant_type=client_credentials&__proto__=x&constructor=y';
    const token = await test.http.post('/oauth2/v1/token').type('form').auth(app.clientId, app.clientSecret).send(grant);
    expect(token.status, token.text).toBe(200);
  });

  it('is named up to twenty names', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, index]));
    expect((await warned(app.post('/patients').send({ lastname: 'F', address: many })))?.split(', ')).toHaveLength(20);
  });
});

describe('a flag', () => {
  const YES = [true, 1, '1', 'true', 'TRUE', 'True'];
  const NO = [false, 0, '0', 'false', 'FALSE'];

  it.each([...YES.map((sent) => [sent, true] as const), ...NO.map((sent) => [sent, false] as const)])(
    '%j in a body is %j',
    async (sent, meant) => {
      const patient = await app.post('/patients').send({ lastname: 'Flag', census: sent, do_not_sms: sent });
      expect(patient.body.data).toMatchObject({ census: meant, do_not_sms: meant ? '1' : '0' });
      const type = await app.post('/appointments/types').send({ name: 'Flag', active: sent });
      expect(type.body.data.active).toBe(Number(meant));
      const five = await person
        .put('/waiting-rooms/5-minute-checkin')
        .send({ teleheath_5_minute_check_in: sent, teleheath_5_minute_check_in_type: 'sms' });
      expect(five.body.data).toMatchObject({ teleheath_5_minute_check_in: meant });
    },
  );

  it('is the same in queries', async () => {
    for (const showOnTasks of [true, false])
      await createAppointment(prisma, { organizationId, startsAt: '2031-01-15T15:00:00Z', showOnTasks });
    for (const [values, meant] of [
      [YES, true],
      [NO, false],
    ] as const) {
      for (const sent of values) {
        const { data } = (await person.get(`/appointments/search?show_on_tasks=${sent}`).expect(200)).body;
        expect(new Set(data.map(({ show_on_tasks }: { show_on_tasks: boolean }) => show_on_tasks)), String(sent)).toEqual(new Set([meant]));
        await system.get(`/departments?providerlist=${sent}`).expect(200);
        await person.get(`/survey-types?active=${sent}`).expect(200);
        await person.get(`/notifications?unread=${sent}`).expect(200);
      }
    }
    await person.get('/appointments/search?show_on_tasks=maybe').expect(400);
    await system.get('/departments?providerlist=2').expect(400);
  });
});

describe('a number', () => {
  it('is read with an exponent, as JSON and as text, wherever a number is asked', async () => {
    const appointment = await createAppointment(prisma, { organizationId, startsAt: '2031-03-03T14:00:00Z' });
    for (const sent of [120, '120', '1.2e2', '12E+1']) {
      const booked = await app.put(`/appointments/${appointment.id}`).send({ duration_minutes: sent });
      expect([sent, booked.status, booked.body.data?.duration_minutes]).toEqual([sent, 200, 120]);
    }
    const raw = await app.put(`/appointments/${appointment.id}`).set('content-type', 'application/json').send('{"duration_minutes":9e1}');
    expect(raw.body.data.duration_minutes).toBe(90);
    expect((await person.get('/users?limit=1e2')).body.meta.per_page).toBe(100);
    expect((await system.get('/patients?limit=1e1&offset=0e0')).status).toBe(200);
    expect((await system.get('/departments?limit=1e-1')).body.invalidfields).toEqual(['limit']);
    expect((await person.get('/users?limit=0x10')).status).toBe(400);
  });
});

describe('a plus sign in the path of a record number', () => {
  it('is one if a chart has it, else a blank; encoded, it is always one', async () => {
    const blank = (await app.post('/patients').send({ med_rec_no: 'A 1 x' })).body.data;
    const found = async (path: string) => (await app.get(`/patients/mrn/${path}`)).body.data?.uuid;
    expect([await found('A+1+x'), await found('A%201+x/'), await found('A%2B1%2Bx')]).toEqual([blank.uuid, blank.uuid, undefined]);
    const plus = (await app.post('/patients').send({ med_rec_no: 'A+1+x' })).body.data;
    expect([await found('A+1+x'), await found('A%2B1%2Bx'), await found('A%201%20x')]).toEqual([plus.uuid, plus.uuid, blank.uuid]);
    expect((await app.get('/patients/mrn/+')).status).toBe(404);
  });
});
