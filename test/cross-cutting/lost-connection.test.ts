import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { closedAfterAll, createTestDatabase, ownTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { startProxy } from '../support/proxy.ts';

const proxy = await closedAfterAll(startProxy(await createTestDatabase()));
const test = await ownTestApp({}, { databaseUrl: proxy.url });
const clinic = await integrationClient(test);
const user = await signedInUser(test, { organizationId: clinic.organizationId });
await createPatient(test.database.prisma, { organizationId: clinic.organizationId, medicalRecordNo: 'A-1' });

/** Believed for a moment, a token costs no question; a new one makes the request begin with one. */
async function asANewcomer() {
  return integrationClient(test, { organizationId: clinic.organizationId });
}

/** Leaves the pool with one connection, which dies when it is used: the first question of the next request is asked on it. */
async function forgetConnection(): Promise<void> {
  const { pool } = test.database;
  const clients = await Promise.all(Array.from({ length: test.config.DATABASE_POOL }, () => pool.connect()));
  for (const [index, client] of clients.entries()) client.release(index > 0);
  // The log of requests may be writing.
  await expect.poll(() => [pool.totalCount, pool.idleCount]).toEqual([1, 1]);
  proxy.forget();
}

describe('a connection that turns out to be dead', () => {
  it('goes unnoticed by who is asked for his token', async () => {
    const newcomer = await asANewcomer();
    await forgetConnection();
    expect((await newcomer.get('/patients/mrn/A-1')).status).toBe(200);
  });

  it('goes unnoticed by a read', async () => {
    await clinic.get('/patients/mrn/A-1');
    await forgetConnection();
    expect((await clinic.get('/patients/mrn/A-1')).status).toBe(200);
  });

  it('goes unnoticed by a create, which happens once', async () => {
    const newcomer = await asANewcomer();
    await newcomer.get('/appointments/types');
    const count = () => test.database.prisma.appointment.count({ where: { organizationId: clinic.organizationId } });
    const before = await count();
    await forgetConnection();
    expect((await newcomer.post('/appointments').send({})).status).toBe(200);
    expect(await count()).toBe(before + 1);
  });

  it('goes unnoticed by a sign-in', async () => {
    await forgetConnection();
    expect((await test.http.post('/login').send({ email: user.email, password: user.password })).status).toBe(200);
  });

  it('goes unnoticed by a refresh', async () => {
    await forgetConnection();
    expect((await test.http.post('/refresh').send({ token: user.refreshToken })).status).toBe(200);
  });

  it.each(['token', 'introspect', 'revoke'])('goes unnoticed by /oauth2/v1/%s', async (path) => {
    await forgetConnection();
    const answer = await test.http
      .post(`/oauth2/v1/${path}`)
      .type('form')
      .auth(clinic.clientId, clinic.clientSecret)
      .send({ grant_type: 'client_credentials', token: 'nonsense' });
    expect(answer.status).toBe(200);
  });

  it('goes unnoticed by who asks whether the server is ready', async () => {
    await forgetConnection();
    expect((await test.http.get('/readyz')).status).toBe(200);
  });

  it('in the middle of a transaction is not given to the next one', async () => {
    const database = openDatabase({ url: proxy.url, poolSize: 2, statementTimeout: 200 });
    onTestFinished(() => database.close());
    const attempt = database.prisma.$transaction(async (tx) => {
      await tx.organization.count();
      proxy.swallow();
      await tx.organization.count();
    });
    await expect(attempt).rejects.toThrow();
    await proxy.restore();
    expect(await database.prisma.organization.count()).toBeGreaterThan(0);
  });
});
