import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp, startTestApp } from '../support/app.ts';
import { createOffice, createUser } from '../support/factories.ts';

const test = await sharedTestApp();

type Clinic = Awaited<ReturnType<typeof integrationClient>>;
const post = (clinic: Clinic, path: string, key: string, body: object) => clinic.post(path).set('idempotency-key', key).send(body);
const patients = (clinic: Clinic) => test.database.prisma.patient.count({ where: { organizationId: clinic.organizationId } });
const appointments = (clinic: Clinic) => test.database.prisma.appointment.count({ where: { organizationId: clinic.organizationId } });
const records = (clinic: Clinic) => test.database.prisma.idempotencyRecord.count({ where: { organizationId: clinic.organizationId } });
const person = { fname: 'Zoë', lname: 'Núñez', dob: '1980-02-29' };

/** The lock that a running request with this key holds; as src/http/endpoints/run/idempotency.ts names it. */
const toLock = ({ organizationId, clientId }: Clinic, key: string) =>
  createHash('sha256').update(`${organizationId} client:${clientId} ${key}`).digest().readBigInt64BE(0).toString();

describe('a retry with the same Idempotency-Key', () => {
  it.each([
    ['/patients', { ...person, favourite_colour: 'red' }],
    ['/appointments', { appointment_date: '2027-03-01T09:00:00', nickname: 'first visit' }],
  ])('gets the first answer of POST %s byte for byte', async (path, body) => {
    const clinic = await integrationClient(test);
    const first = await post(clinic, path, 'key-1', body);
    const again = await post(clinic, path, 'key-1', body);
    expect(first.status).toBe(200);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(first.headers.etag).toMatch(/^"/);
    expect(first.headers['warning-fields']).toMatch(/favourite_colour|nickname/);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    for (const name of ['etag', 'warning-fields', 'content-type', 'content-length']) expect(again.headers[name]).toBe(first.headers[name]);
    expect(again.status).toBe(first.status);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect((await patients(clinic)) + (await appointments(clinic))).toBe(1);
  });

  it('gets the first answer also when the record has changed since', async () => {
    const clinic = await integrationClient(test);
    const first = await post(clinic, '/patients', 'k', person);
    await clinic.put(`/patients/${first.body.data.uuid}`).send({ lname: 'Other' });
    expect((await post(clinic, '/patients', 'k', person)).text).toBe(first.text);
  });

  it('gets the first answer on another process', async () => {
    const clinic = await integrationClient(test);
    const first = await post(clinic, '/patients', 'k', person);
    const other = await startTestApp({}, { databaseUrl: test.databaseUrl });
    const again = await other.http
      .post('/api/patients')
      .set('authorization', `Bearer ${clinic.token}`)
      .set('idempotency-key', 'k')
      .send(person);
    await other.close();
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
  });

  it('is audited as a read of what it is shown', async () => {
    const clinic = await integrationClient(test);
    const first = await post(clinic, '/patients', 'k', person);
    await post(clinic, '/patients', 'k', person).set('x-request-id', 'the-retry');
    const [entry] = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: clinic.organizationId, requestId: 'the-retry' },
      orderBy: { id: 'asc' },
    });
    expect(entry).toMatchObject({ action: 'read', resource: 'patient', resourceIds: [first.body.data.uuid] });
  });

  it('leaves no second event', async () => {
    const clinic = await integrationClient(test);
    await post(clinic, '/appointments', 'k', {});
    await post(clinic, '/appointments', 'k', {});
    expect(await test.database.prisma.event.count({ where: { organizationId: clinic.organizationId } })).toBe(1);
  });
});

describe('an Idempotency-Key', () => {
  it('is kept with a MAC of its request, by which nobody without the master keys guesses what was sent', async () => {
    const clinic = await practiceClient(test);
    const { organizationId } = clinic;
    const office = await createOffice(test.database.prisma, { organizationId });
    const form = { firstname: 'Ann', lastname: 'Lee', dob: '02/29/1980', departmentid: String(office.id), ssn: '219-09-9999' };
    await clinic.post('/patients').set('idempotency-key', 'k').type('form').send(form).expect(200);
    const { fingerprint } = await test.database.prisma.idempotencyRecord.findFirstOrThrow({ where: { organizationId } });
    const sent = `POST /v1/${organizationId}/patients\n${JSON.stringify(form)}`;
    expect(Buffer.from(fingerprint)).toEqual(test.keyring.mac('idempotency', sent));
  });

  it('is refused for another body, and for another operation', async () => {
    const clinic = await integrationClient(test);
    await post(clinic, '/patients', 'k', person);
    const otherBody = await post(clinic, '/patients', 'k', { ...person, fname: 'Zoe' });
    const otherPath = await post(clinic, '/appointments', 'k', person);
    expect(otherBody.status).toBe(422);
    expect(otherBody.body).toMatchObject({ exception: 'UnprocessableException', file: 'POST /api/patients', line: 0 });
    expect(otherPath.status).toBe(422);
    expect(await patients(clinic)).toBe(1);
    expect(await appointments(clinic)).toBe(0);
  });

  it('is another one for another client, and for a user, of the same organization', async () => {
    const clinic = await integrationClient(test);
    const colleague = await integrationClient(test, { organizationId: clinic.organizationId });
    const user = await signedInUser(test, { organizationId: clinic.organizationId });
    const answers = [
      await post(clinic, '/patients', 'k', person),
      await post(colleague, '/patients', 'k', { ...person, fname: 'Ann' }),
      await user
        .post('/api/patients')
        .set('idempotency-key', 'k')
        .send({ ...person, fname: 'Bob' }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual(Array(3).fill([200, undefined]));
    expect(answers.map(({ body }) => body.data.firstname)).toEqual(['Zoë', 'Ann', 'Bob']);
  });

  it('is another one in another organization', async () => {
    const [clinic, other] = [await integrationClient(test), await integrationClient(test)];
    await post(clinic, '/patients', 'k', person);
    const answer = await post(other, '/patients', 'k', { ...person, fname: 'Ann' });
    expect([answer.status, answer.headers['idempotent-replayed'], answer.body.data.firstname]).toEqual([200, undefined, 'Ann']);
    expect(await patients(other)).toBe(1);
  });

  it.each([
    ['1 character', 'k', 200],
    ['255 characters', 'k'.repeat(255), 200],
    ['printable characters', ` !"#'/;<=>?@[]{|}~ x`.trim(), 200],
    ['no character', '', 400],
    ['256 characters', 'k'.repeat(256), 400],
    ['a tab', 'a\tb', 400],
    ['an accent', 'clé', 400],
  ])('of %s is taken or refused (%#)', async (_what, key, status) => {
    const clinic = await integrationClient(test);
    const answer = await post(clinic, '/appointments', key, {});
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.message).toContain('Idempotency-Key');
    expect(await appointments(clinic)).toBe(status === 200 ? 1 : 0);
  });

  it('is free again after a request that was refused', async () => {
    const clinic = await integrationClient(test);
    await clinic.post('/patients').send({ ...person, med_rec_no: 'A-1' });
    expect((await post(clinic, '/patients', 'k', { ...person, dob: 'yesterday' })).status).toBe(400);
    expect((await post(clinic, '/patients', 'k', { ...person, med_rec_no: 'A-1' })).status).toBe(409);
    expect(await records(clinic)).toBe(0);
    const mended = await post(clinic, '/patients', 'k', { ...person, med_rec_no: 'A-2' });
    expect([mended.status, mended.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await patients(clinic)).toBe(2);
  });

  it('has no effect on GET and PUT', async () => {
    const clinic = await integrationClient(test);
    const { body } = await clinic.post('/patients').send({ ...person, med_rec_no: 'A-1' });
    const put = (lname: string, key: string) => clinic.put(`/patients/${body.data.uuid}`).set('idempotency-key', key).send({ lname });
    expect((await put('One', 'k')).body.data.lastname).toBe('One');
    expect((await put('Two', 'k')).body.data.lastname).toBe('Two');
    expect((await put('Three', 'k'.repeat(300))).status).toBe(200);
    const read = await clinic.get('/patients/mrn/A-1').set('idempotency-key', 'k');
    expect([read.status, read.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await records(clinic)).toBe(0);
  });

  it('keeps no answer of the token endpoint, of /login or of /refresh', async () => {
    const clinic = await integrationClient(test);
    const { email, password } = await createUser(test.database.prisma, { organizationId: clinic.organizationId });
    const token = () =>
      test.http
        .post('/oauth2/v1/token')
        .set('idempotency-key', 'k')
        .type('form')
        .auth(clinic.clientId, clinic.clientSecret)
        .send({ grant_type: 'client_credentials' });
    const login = () => test.http.post('/login').set('idempotency-key', 'k').send({ email, password });
    const [tokenA, tokenB, loginA, loginB] = [await token(), await token(), await login(), await login()];
    const refresh = await test.http.post('/refresh').set('idempotency-key', 'k').send({ token: loginA.body.data.refresh_token });
    expect([tokenA, tokenB, loginA, loginB, refresh].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(tokenA.body.access_token).not.toBe(tokenB.body.access_token);
    expect(loginA.body.data.refresh_token).not.toBe(loginB.body.data.refresh_token);
    expect(await records(clinic)).toBe(0);
  });
});

describe('a stored response', () => {
  it('is as if it never was after 24 hours', async () => {
    const clinic = await integrationClient(test);
    const first = await post(clinic, '/appointments', 'k', {});
    const [kept] = await test.database.prisma.idempotencyRecord.findMany({ where: { organizationId: clinic.organizationId } });
    expect(kept && kept.expiresAt.getTime() - kept.createdAt.getTime()).toBe(24 * 3_600_000);
    await expire(clinic);
    const anew = await post(clinic, '/appointments', 'k', { appointment_date: '2027-03-01T09:00:00' });
    expect([anew.status, anew.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(anew.body.data.uuid).not.toBe(first.body.data.uuid);
    const again = await post(clinic, '/appointments', 'k', { appointment_date: '2027-03-01T09:00:00' });
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([anew.text, 'true']);
  });

  it('that has run out is replaced once, however many retry at once', async () => {
    const clinic = await integrationClient(test);
    await post(clinic, '/appointments', 'k', {});
    await expire(clinic);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(clinic, '/appointments', 'k', {})));
    expectOneResult(answers);
    expect(await appointments(clinic)).toBe(2);
  });
});

describe('requests with one key at once', () => {
  it('leave one row, and are told the same or to wait', async () => {
    const clinic = await integrationClient(test);
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(clinic, '/patients', 'k', person)));
    expectOneResult(answers);
    expect(await patients(clinic)).toBe(1);
    expect(await test.database.prisma.event.count({ where: { organizationId: clinic.organizationId } })).toBe(1);
    expect((await post(clinic, '/patients', 'k', person)).headers['idempotent-replayed']).toBe('true');
  });

  it('are refused while the first is running, and taken when it ended without an answer', async () => {
    const clinic = await integrationClient(test);
    const key = randomUUID();
    const running = new pg.Client({ connectionString: test.databaseUrl });
    await running.connect();
    await running.query('BEGIN');
    await running.query('SELECT pg_advisory_xact_lock($1)', [toLock(clinic, key)]);
    const refused = await post(clinic, '/patients', key, person);
    expect([refused.status, refused.headers['retry-after']]).toEqual([409, '1']);
    expect(refused.body).toMatchObject({ exception: 'ConflictException', message: expect.stringContaining('still running') });
    await running.end(); // as when the server that ran it was killed
    const taken = await post(clinic, '/patients', key, person);
    expect([taken.status, taken.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await patients(clinic)).toBe(1);
  });
});

const expire = ({ organizationId }: Clinic) =>
  test.database.prisma
    .$executeRaw`UPDATE idempotency_record SET expires_at = now() - interval '1 second' WHERE organization_id = ${organizationId}`;

/** Some succeeded, all of those with one and the same answer; the others were told that it is still running. */
function expectOneResult(answers: { status: number; text: string }[]): void {
  const succeeded = answers.filter(({ status }) => status === 200);
  expect(new Set(succeeded.map(({ text }) => text)).size).toBe(1);
  const others = answers.filter(({ status }) => status !== 200);
  expect(others.filter(({ status, text }) => status !== 409 || !text.includes('still running'))).toEqual([]);
}
