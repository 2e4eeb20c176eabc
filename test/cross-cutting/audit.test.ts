import { beforeAll, describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { ownTestApp, startTestApp, type TestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';

const test = await ownTestApp();

type Sent = PromiseLike<{ status: number; headers: Record<string, string>; body: { data: { uuid: number } } }>;

/** The audit rows of a request, as they are when its answer has just arrived. */
async function readAudit(sent: Sent) {
  const { status, headers, body } = await sent;
  const entries = await test.database.prisma.auditEntry.findMany({
    where: { requestId: headers['x-request-id'] ?? '' },
    orderBy: { id: 'asc' },
  });
  const what = entries.map(({ action, resource, resourceIds }) => [action, resource, resourceIds]);
  return { status, entries, what, id: body.data?.uuid };
}

describe('the audit', () => {
  it('has a row for every read and write of patient data when the answer arrives', async () => {
    const clinic = await integrationClient(test);
    const created = await readAudit(clinic.post('/patients').send({ fname: 'Ann', med_rec_no: 'A-1' }));
    expect(created.what).toEqual([['create', 'patient', [created.id]]]);
    const updated = await readAudit(clinic.put(`/patients/${created.id}`).send({ fname: 'Anna' }));
    expect(updated.what).toEqual([['update', 'patient', [created.id]]]);
    const unchanged = await readAudit(clinic.put(`/patients/${created.id}`).send({}));
    expect(unchanged.what).toEqual([['read', 'patient', [created.id]]]);
    const found = await readAudit(clinic.get('/patients/mrn/A-1'));
    expect(found.what).toEqual([['read', 'patient', [created.id]]]);
    const booked = await readAudit(clinic.post('/appointments').send({ patient_id: created.id, appointment_date: '2027-03-01T09:00:00' }));
    const chart = ['read', 'patient', [created.id]];
    expect(booked.what).toEqual([['create', 'appointment', [booked.id]], chart]);
    const read = await readAudit(clinic.get(`/appointments/${booked.id}`));
    expect(read.what).toEqual([['read', 'appointment', [booked.id]], chart]);
    const moved = await readAudit(clinic.put(`/appointments/${booked.id}`).send({ appointment_date: '2027-03-02T09:00:00' }));
    expect(moved.what).toEqual([['update', 'appointment', [booked.id]], chart]);
    const cancelled = await readAudit(clinic.delete(`/appointments/${booked.id}`));
    expect(cancelled.what).toEqual([
      ['cancel', 'appointment', [booked.id]],
      ['update', 'patient', [created.id]],
    ]);
    expect([created, updated, unchanged, found, booked, read, moved, cancelled].map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it('says who, which request, from where and when', async () => {
    const clinic = await integrationClient(test);
    const user = await signedInUser(test, { organizationId: clinic.organizationId });
    const before = Date.now();
    const byClient = await readAudit(clinic.post('/patients').set('x-request-id', 'by-client').send({ fname: 'Ann', med_rec_no: 'W-1' }));
    const byUser = await readAudit(user.get('/api/patients/mrn/W-1').set('x-request-id', 'by-user'));
    expect(byClient.entries).toEqual([
      expect.objectContaining({
        organizationId: clinic.organizationId,
        actor: `client:${clinic.clientId}`,
        operation: 'POST /api/patients',
        requestId: 'by-client',
        address: '127.0.0.1',
      }),
    ]);
    expect(byUser.entries).toEqual([
      expect.objectContaining({ actor: `user:${user.user.id}`, operation: 'GET /api/patients/mrn/{mrn}', requestId: 'by-user' }),
    ]);
    const at = byClient.entries[0]?.at.getTime() ?? 0;
    expect(Math.abs(at - before)).toBeLessThan(60_000);
  });

  it('has a row for each sign-in, refused sign-in and sign-out of a user', async () => {
    const user = await signedInUser(test);
    await test.http.post('/login').send({ email: user.email, password: 'wrong password' });
    await user.post('/logout');
    const actions = async () =>
      (await test.database.prisma.auditEntry.findMany({ where: { organizationId: user.organizationId }, orderBy: { id: 'asc' } })).map(
        ({ action }) => action,
      );
    // A refusal is written down after its answer, which must take no longer for an account that exists.
    while ((await actions()).length < 3);
    expect((await actions()).sort()).toEqual(['sign_in', 'sign_in_refused', 'sign_out']);
  });

  it('has the address that a trusted proxy names, and no other', async () => {
    const proxied = await startTestApp({ TRUST_PROXY: '127.0.0.1' }, { databaseUrl: test.databaseUrl });
    const clinic = await integrationClient(test);
    const through = ({ address }: TestApp, id: string) =>
      fetch(`${address}/api/appointments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${clinic.token}`, 'x-forwarded-for': '203.0.113.9', 'x-request-id': id },
      });
    await through(proxied, 'through-proxy');
    await through(test, 'pretended');
    await proxied.close();
    const entries = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: clinic.organizationId },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ requestId, address }) => [requestId, address])).toEqual([
      ['through-proxy', '203.0.113.9'],
      ['pretended', '127.0.0.1'],
    ]);
  });

  it('has no row of what was refused', async () => {
    const clinic = await integrationClient(test);
    await clinic.post('/patients').send({ med_rec_no: 'R-1' });
    await clinic.post('/patients').send({ med_rec_no: 'R-1' });
    await clinic.get('/patients/mrn/none');
    await clinic.put('/patients/2147483647').send({});
    expect(await test.database.prisma.auditEntry.count({ where: { organizationId: clinic.organizationId } })).toBe(1);
  });

  it('is written for each of many readers at once', async () => {
    const clinic = await integrationClient(test);
    await clinic.post('/patients').send({ med_rec_no: 'M-1' });
    const reads = await Promise.all(Array.from({ length: 20 }, () => readAudit(clinic.get('/patients/mrn/M-1'))));
    expect(reads.map(({ status, entries }) => [status, entries.length])).toEqual(Array(20).fill([200, 1]));
  });
});

describe('what cannot be audited', () => {
  beforeAll(async () => {
    await runAsOwner(
      test.databaseUrl,
      `
      CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$;
      CREATE TRIGGER refuse_entry BEFORE INSERT ON audit_entry FOR EACH ROW WHEN (NEW.request_id LIKE 'refused-%') EXECUTE FUNCTION refuse_entry();`,
    );
  });

  it('is not shown', async () => {
    const clinic = await integrationClient(test);
    const { body } = await clinic.post('/patients').send({ fname: 'Quimby', med_rec_no: 'Q-1' });
    await clinic.post('/appointments').send({ patient_id: body.data.uuid });
    const answer = await clinic.get('/patients/mrn/Q-1').set('x-request-id', 'refused-read');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      exception: 'InternalServerException',
      file: 'GET /api/patients/mrn/{mrn}',
      line: 0,
      message: expect.any(String),
    });
    expect(answer.text).not.toMatch(/Quimby|disk/);
    expect(answer.headers.etag).toBeUndefined();
    expect((await clinic.get('/patients/mrn/Q-1').set('x-request-id', 'fine')).status).toBe(200);
  });

  it('keeps nothing from those who read at the same time', async () => {
    const clinic = await integrationClient(test);
    await clinic.post('/patients').send({ med_rec_no: 'Q-2' });
    const ids = Array.from({ length: 40 }, (_, number) => (number % 10 === 5 ? `refused-among-${number}` : `among-${number}`));
    const answers = await Promise.all(ids.map((id) => clinic.get('/patients/mrn/Q-2').set('x-request-id', id)));
    expect(answers.map(({ status }) => status)).toEqual(ids.map((id) => (id.startsWith('refused') ? 500 : 200)));
    const audited = await test.database.prisma.auditEntry.findMany({ where: { requestId: { in: ids } }, orderBy: { id: 'asc' } });
    expect(audited.map(({ requestId }) => requestId).sort()).toEqual(ids.filter((id) => id.startsWith('among')).sort());
  });

  it('is not done', async () => {
    const clinic = await integrationClient(test);
    const answer = await clinic.post('/patients').set('x-request-id', 'refused-write').set('idempotency-key', 'k').send({ fname: 'Ann' });
    expect(answer.status).toBe(500);
    expect(await test.database.prisma.patient.count({ where: { organizationId: clinic.organizationId } })).toBe(0);
    expect((await clinic.post('/patients').set('idempotency-key', 'k').send({ fname: 'Ann' })).status).toBe(200);
  });
});

describe('the logs', () => {
  it.each(['event', 'audit_entry', 'audit_link', 'monitoring_consent'])('can only be added to: %s', async (table) => {
    const clinic = await integrationClient(test);
    await clinic.post('/appointments').send({});
    const { pool } = test.database;
    for (const statement of [`UPDATE ${table} SET organization_id = organization_id`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
      await expect(pool.query(statement)).rejects.toThrow(`permission denied for table ${table}`);
      // Links go once they are in the archive: audit-archive-tampering.test.ts.
      if (statement === 'DELETE FROM audit_link') continue;
      await expect(runAsOwner(test.databaseUrl, statement)).rejects.toThrow(new RegExp(`${table}(_\\d{4}_\\d\\d)? is append-only`));
    }
  });
});
