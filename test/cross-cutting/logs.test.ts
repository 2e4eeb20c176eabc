import net from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../src/database/database.ts';
import { checkedJson } from '../../src/http/endpoints/run/responses.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { closedAfterAll, createTestDatabase, ownTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { startProxy } from '../support/proxy.ts';

/** Values that no log may contain. Each is unlike anything that could occur by chance. */
const SECRET = {
  firstName: 'Quimbelina',
  lastName: 'Zwobodnik',
  birthDate: '1937-05-23',
  recordNumber: 'MRN-XK-90817',
  phone: '9195550147',
  email: 'quimbelina.z@secret.example',
  street: '4711 Hidden Hollow',
  city: 'Wrzeszcz',
  password: 'wrong-horse-battery-9',
  unknownField: 'nickname_of_quimbelina',
};

const proxy = await closedAfterAll(startProxy(await createTestDatabase()));
const test = await ownTestApp({ LOG_LEVEL: 'trace' }, { databaseUrl: proxy.url });
const clinic = await integrationClient(test);
const user = await signedInUser(test, { organizationId: clinic.organizationId });
const seen: string[] = [];
beforeAll(async () => {
  // The database's message about a refused row quotes the row.
  await runAsOwner(
    test.databaseUrl,
    `
    CREATE FUNCTION tell_all() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', NEW::text; END $$;
    CREATE TRIGGER tell_all BEFORE INSERT ON patient FOR EACH ROW WHEN (NEW.city = '${SECRET.city}') EXECUTE FUNCTION tell_all();
    ALTER TABLE patient ADD CONSTRAINT no_such_zip CHECK (zip <> '66666');`,
  );
  await tellTheStory();
});

const person = {
  fname: SECRET.firstName,
  lname: SECRET.lastName,
  dob: SECRET.birthDate,
  med_rec_no: SECRET.recordNumber,
  phone_no: SECRET.phone,
  email: SECRET.email,
  address: { address: SECRET.street, address2: null, city: 'Raleigh', state: 'NC', zip: '27601' },
  [SECRET.unknownField]: SECRET.lastName,
};

/** Everything that can happen to a patient's data, what goes well and what goes wrong. */
async function tellTheStory(): Promise<void> {
  const { body } = await clinic.post('/patients').set('idempotency-key', SECRET.recordNumber).send(person);
  const patient = body.data.uuid;
  const story: [number, PromiseLike<{ status: number }>][] = [
    [200, clinic.post('/patients').set('idempotency-key', SECRET.recordNumber).send(person)],
    [422, clinic.post('/patients').set('idempotency-key', SECRET.recordNumber).send({})],
    [400, clinic.get(`/patients/mrn/${SECRET.recordNumber}?name=${SECRET.lastName}`)],
    [200, clinic.put(`/patients/${patient}`).send({ lname: SECRET.lastName })],
    [412, clinic.put(`/patients/${patient}`).set('if-match', `"${SECRET.lastName}"`).send({ lname: 'Other' })],
    [409, clinic.post('/patients').send(person)],
    [404, clinic.get(`/patients/mrn/${SECRET.recordNumber}-2`)],
    [400, clinic.post('/patients').send({ dob: `${SECRET.birthDate} ${SECRET.lastName}` })],
    [400, clinic.post('/patients').send({ phone_no: `${SECRET.phone}99999`, email: SECRET.email })],
    [400, clinic.post('/patients').set('content-type', 'application/json').send(`{"fname":"${SECRET.firstName}`)],
    [415, clinic.post('/patients').set('content-type', 'text/plain').send(SECRET.firstName)],
    [413, clinic.post('/patients').send({ fname: SECRET.firstName.repeat(200_000) })],
    [200, clinic.post('/appointments').send({ patient_id: patient, note: SECRET.lastName })],
    [404, test.http.get(`/api/${SECRET.lastName}/${SECRET.recordNumber}`)],
    [400, test.http.get(`/api/%E0%A4%A/${SECRET.lastName}`)],
    [404, test.http.get(`/v1/1/${SECRET.lastName}`)],
    [401, test.http.get(`/api/patients/mrn/${SECRET.recordNumber}`).set('authorization', `Bearer ${SECRET.password}`)],
    [401, test.http.post('/login').send({ email: SECRET.email, password: SECRET.password })],
    [401, test.http.post('/login').send({ email: user.email, password: SECRET.password })],
    [200, test.http.post('/login').send({ email: user.email, password: user.password })],
    [200, test.http.post('/refresh').send({ token: user.refreshToken })],
    [
      401,
      test.http.post('/oauth2/v1/token').type('form').auth(SECRET.lastName, SECRET.password).send({ grant_type: 'client_credentials' }),
    ],
    [500, clinic.post('/patients').send({ ...person, med_rec_no: null, address: { ...person.address, city: SECRET.city } })],
    [500, clinic.post('/patients').send({ ...person, med_rec_no: null, address: { ...person.address, zip: '66666' } })],
  ];
  const expected = story.map(([status]) => status);
  const answers = await Promise.all(story.map(([, sent]) => sent));
  expect(answers.map(({ status }) => status)).toEqual(expected);
  await createTwice();
  await sendNoise();
  await proxy.cut();
  const unavailable = await Promise.all([clinic.get(`/patients/mrn/${SECRET.recordNumber}`), clinic.post('/patients').send(person)]);
  expect(unavailable.map(({ status }) => status)).toEqual([503, 503]);
  await proxy.restore();
  seen.push(...test.logs, await metrics());
}

/** Two at once with one record number: the database refuses one of them, in its own words. */
async function createTwice(): Promise<void> {
  const twin = { ...person, med_rec_no: `${SECRET.recordNumber}-twin` };
  const answers = await Promise.all(Array.from({ length: 6 }, () => clinic.post('/patients').send(twin)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
}

function sendNoise(): Promise<void> {
  const { port } = new URL(test.address);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), '127.0.0.1', () =>
      socket.write(`GET /${SECRET.lastName} HTTP/1.1\r\n${SECRET.lastName}\r\n\r\n`),
    );
    socket.on('data', () => {});
    socket.on('close', () => resolve());
  });
}

const metrics = async () => (await test.http.get('/metrics')).text;

/** All that is looked for, whole or in the spelling that a log would give it. */
function secrets(): [string, string][] {
  const tokens = { clientToken: clinic.token, clientSecret: clinic.clientSecret, userToken: user.token, refreshToken: user.refreshToken };
  return Object.entries({ ...SECRET, ...tokens, userPassword: user.password, userEmail: user.email });
}

describe('at the finest level, through success and failure of every kind', () => {
  it('no log line has anything of a patient, a password or a token in it', () => {
    const lines = seen.slice(0, -1);
    expect(lines.length).toBeGreaterThan(30);
    for (const [what, secret] of secrets())
      expect({ what, lines: lines.filter((line) => line.includes(secret)) }).toEqual({ what, lines: [] });
  });

  it('the metrics have nothing of it either', () => {
    const text = seen.at(-1) ?? '';
    expect(text).toContain('http_request_duration_seconds_bucket');
    for (const [what, secret] of secrets()) expect({ what, found: text.includes(secret) }).toEqual({ what, found: false });
  });

  it('nor have events and audit rows', async () => {
    const database = openDatabase({ url: test.databaseUrl, poolSize: 1 });
    const { rows } = await database.pool.query('SELECT e::text AS row FROM event e UNION ALL SELECT a::text FROM audit_entry a');
    await database.close();
    expect(rows.length).toBeGreaterThan(8);
    const text = rows.map(({ row }) => row).join('\n');
    for (const [what, secret] of secrets()) expect({ what, found: text.includes(secret) }).toEqual({ what, found: false });
  });

  it('every answer has a line with the operation, never the address, and the request', () => {
    const lines = test.logs.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ msg }) => msg === 'answered');
    const operations = new Set(lines.map(({ operation }) => operation));
    expect(operations).toContain('GET /api/patients/mrn/{mrn}');
    expect(operations).toContain('PUT /api/patients/{uuid}');
    expect(operations).toContain('GET (no such path)');
    for (const line of lines)
      expect(line).toMatchObject({ operation: expect.any(String), status: expect.any(Number), reqId: expect.any(String) });
    const known = lines.find(({ operation }) => operation === 'PUT /api/patients/{uuid}');
    expect(known).toMatchObject({ actor: `client:${clinic.clientId}`, organization: clinic.organizationId, ms: expect.any(Number) });
  });

  it('an unexpected error is written down with its places in the code and without its message', () => {
    const failed = test.logs.map((line): { msg: string; err?: object } => JSON.parse(line)).filter(({ msg }) => msg === 'failed');
    expect(failed).toHaveLength(2);
    const allowed = ['name', 'code', 'sqlstate', 'condition', 'meaning', 'frames', 'cause'];
    for (const { err } of failed) {
      expect(err).toMatchObject({
        name: expect.any(String),
        code: expect.any(String),
        frames: expect.arrayContaining([expect.stringMatching(/^at /)]),
      });
      expect(Object.keys(err ?? {}).filter((key) => !allowed.includes(key))).toEqual([]);
    }
  });
});

describe('the logger', () => {
  const logged = (log: (logger: ReturnType<typeof createLogger>) => void): string => {
    const lines: string[] = [];
    log(createLogger({ LOG_LEVEL: 'trace' }, { write: (line) => void lines.push(line) }));
    return lines.join('');
  };
  const error = () => new Error(`a message with ${SECRET.lastName}\n    at ${SECRET.lastName} (on a line that looks like a place)`);

  it.each([
    ['an error alone', (logger) => logger.error(error())],
    ['an error and nothing else', (logger) => logger.error({ err: error() })],
    ['an error and its message', (logger) => logger.warn({ err: error() }, error().message)],
    ['an error and a text with its message', (logger) => logger.warn({ err: error() }, `failed: ${error().message}`)],
    ['an error with a cause', (logger) => logger.error({ err: new Error('outer', { cause: error() }) }, 'failed')],
    ['a request and an answer', (logger) => logger.info({ req: { url: `/${SECRET.lastName}` }, res: { body: SECRET.lastName } }, 'seen')],
    [
      'an address that a library writes into its line',
      (logger) => logger.warn(`sent already, in the "/api/${SECRET.lastName}" (GET) route`),
    ],
  ] satisfies [string, (logger: ReturnType<typeof createLogger>) => void][])('keeps the message to itself of %s', (_what, log) => {
    const line = logged(log);
    expect(line).toMatch(/"level":"(info|warn|error)"/);
    expect(line).not.toContain(SECRET.lastName);
  });

  it('writes an error with its name, code and places', () => {
    const line = JSON.parse(logged((logger) => logger.error({ err: Object.assign(error(), { code: 'E42' }) }, 'failed')));
    expect(line).toMatchObject({ msg: 'failed', err: { name: 'Error', code: 'E42' } });
    expect(line.err.frames[0]).toMatch(/^at .*logs\.test\.ts/);
  });

  it.each([
    [
      { kind: 'postgres', originalCode: '53100', originalMessage: SECRET.lastName },
      { name: 'postgres', code: '53100' },
    ],
    [{ name: 'TimeoutError', message: SECRET.lastName }, { name: 'TimeoutError' }],
    [{ name: SECRET.lastName, kind: SECRET.lastName, code: SECRET.email }, { name: 'object' }],
  ])('writes what is thrown or a cause and no Error by its name and code alone: %#', (cause, expected) => {
    const line = JSON.parse(logged((logger) => logger.error({ err: new Error('outer', { cause }) }, 'failed')));
    expect(line.err.cause).toEqual(expected);
  });

  it('names the fields of an answer that did not have its shape, without their values', () => {
    const shape = z.object({ data: z.array(z.object({ lastname: z.int() })) });
    const wire = JSON.parse(`{"data":[{"lastname":"${SECRET.lastName}"}]}`);
    const line = logged((logger) => {
      try {
        checkedJson(shape, wire, true);
      } catch (failure) {
        logger.error({ err: failure }, 'failed');
      }
    });
    expect(line).not.toContain(SECRET.lastName);
    expect(JSON.parse(line).err.cause).toMatchObject({ name: 'ResponseShapeError', code: 'data.0.lastname: invalid_type' });
  });

  it('survives an error that is its own cause', () => {
    const loop = error();
    loop.cause = loop;
    expect(logged((logger) => logger.error({ err: loop }, 'failed'))).toContain('"msg":"failed"');
  });

  it('leaves what is ours as it is', () => {
    expect(JSON.parse(logged((logger) => logger.info({ job: 'seal-audit', err: undefined }, 'done %d', 3)))).toMatchObject({
      job: 'seal-audit',
      msg: 'done 3',
    });
  });
});
