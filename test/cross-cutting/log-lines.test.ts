import { expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';

const NAME = 'Zwobodnik';
const PASSWORD = 'wrong-horse-battery-9';
const STRANGER = 'quimbelina.z@secret.example';
const SLOW = 'The database took too long. Try again in a moment.';
const AWAY =
  'The service cannot reach its database. Try again in a moment. If you sent a change without an Idempotency-Key, first check whether it was made.';
const OURS = 'Something went wrong on our side. It was logged with the request id.';

const test = await ownTestApp();
const clinic = await integrationClient(test);
const user = await signedInUser(test, { organizationId: clinic.organizationId });
/** Fails with the SQLSTATE that is the city of a new chart, and quotes the chart. */
await runAsOwner(
  test.databaseUrl,
  `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', NEW::text USING ERRCODE = substr(NEW.city, 7); END $$;
   CREATE TRIGGER fail BEFORE INSERT ON patient FOR EACH ROW WHEN (NEW.city LIKE 'State %') EXECUTE FUNCTION fail();`,
);

const lines = (): Record<string, unknown>[] => test.logs.map((line) => JSON.parse(line));
const expectWithout = (secrets: readonly string[], found: object) => {
  for (const secret of secrets) expect([secret, JSON.stringify(found).includes(secret)]).toEqual([secret, false]);
};

it.each([
  ['57014', 503, 'query_canceled', /took longer than statement_timeout/, SLOW],
  ['55P03', 503, 'lock_not_available', /waited for a lock/, SLOW],
  ['25P04', 503, 'transaction_timeout', /took longer than transaction_timeout/, SLOW],
  ['57P03', 503, 'cannot_connect_now', /starting, stopping or recovering/, AWAY],
  ['42501', 500, 'insufficient_privilege', /role of the server may not/, OURS],
  ['54023', 500, 'program_limit_exceeded', /too large or too deep/, OURS],
])(
  'the error %s of the database is a %i, and its line has its name and its meaning',
  async (sqlstate, status, condition, meaning, told) => {
    test.logs.length = 0;
    const address = { address: '1 Hidden Hollow', address2: null, city: `State ${sqlstate}`, state: 'NC', zip: '27601' };
    const answer = await clinic.post('/patients').send({ fname: 'Ann', lname: NAME, dob: '1937-05-23', address });
    expect([answer.status, answer.body.message]).toEqual([status, told]);
    const [line = {}] = lines().filter(({ err }) => err !== undefined);
    expect(line).toMatchObject({
      level: status === 503 ? 'warn' : 'error',
      operation: 'POST /api/patients',
      err: { sqlstate, condition, meaning: expect.stringMatching(meaning) },
    });
    expectWithout([NAME, 'Hidden Hollow', '1937'], line);
  },
);

it('a refused sign-in has a line with the user or the client, the address and the reason, and never with what was typed', async () => {
  test.logs.length = 0;
  const login = (email: string) => test.http.post('/login').send({ email, password: PASSWORD }).expect(401);
  const ask = (id: string) => test.http.post('/oauth2/v1/token').auth(id, PASSWORD).type('form').send({ grant_type: 'client_credentials' });
  await login(user.email);
  await login(STRANGER);
  await ask(clinic.clientId).expect(401);
  await ask(NAME).expect(401);
  const refused = () => lines().filter(({ msg }) => msg === 'sign-in refused');
  await expect.poll(() => refused().length, { timeout: 10_000 }).toBe(4);
  const typed = { level: 'info', operation: 'POST /login', address: '127.0.0.1', reason: 'wrong_credentials' };
  const asked = { level: 'info', operation: 'POST /oauth2/v1/token', address: '127.0.0.1', reason: 'invalid_client' };
  const fields = refused().map(({ time: _, pid: __, reqId: ___, msg: ____, ...found }) => found);
  expect(fields).toHaveLength(4);
  for (const expected of [
    { ...typed, user: user.user.id, organization: clinic.organizationId },
    typed,
    { ...asked, client: clinic.clientId },
    asked,
  ])
    expect(fields).toContainEqual(expected);
  expectWithout([user.email, STRANGER, PASSWORD, NAME], refused());
});

it.each([
  ['/nothing', '/nothing'],
  ['/wp-admin/setup.php?step=1', '/wp-admin'],
  [`/v9/${NAME}/1937-05-23`, '/v9'],
  ['/9195550147', undefined],
  ['/1937-05-23/x', undefined],
  [`/${'a1b2'.repeat(8)}`, undefined],
  [`/%5A${NAME}`, undefined],
])('the line of the unknown address %s has of its path %s', async (address, path) => {
  test.logs.length = 0;
  await test.http.get(address).expect(404);
  const [line] = lines().filter(({ msg }) => msg === 'answered');
  expect(line).toMatchObject({ operation: 'GET (no such path)', status: 404 });
  expect(line?.path).toBe(path);
});
