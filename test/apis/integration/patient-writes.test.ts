import fc from 'fast-check';
import { expect, it } from 'vitest';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { isDistributed } from '../../support/distributed.ts';

const test = await sharedTestApp();
// One that looks for the same person audits whom it finds.
const clinic = await integrationClient(test, { organization: { matchOnRegistration: false } });

const rows = () => test.database.prisma;

const text = fc.constantFrom(null, 'Ann', 'Bo', 'Émile');
/** A name cannot be cleared. */
const name = fc.constantFrom('Ann', 'Bo', 'Émile');
/** Few values, so that some of them stand already. */
const change = fc.record(
  {
    firstname: name,
    lastname: name,
    address: fc.record({ address: text, city: text }, { requiredKeys: [] }),
    email: fc.constantFrom(null, 'ann@example.com', 'bo@example.com'),
    phone_no: fc.constantFrom(null, '9197334321', '9105550123'),
    dob: fc.constantFrom(null, '1980-02-29', '1970-01-01'),
    census: fc.constantFrom(null, true, false),
    flags: fc.constantFrom([], ['RPM'], ['a', 'b c', '{"']),
    do_not_sms: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** All that a change leaves of a chart, but for ids and times. */
async function readWhatIsLeft(uuid: number) {
  const { organizationId } = clinic;
  const patient = await rows().patient.findFirstOrThrow({ where: { organizationId, id: uuid } });
  const { id: _, createdAt: _made, updatedAt: _changed, ...fields } = patient;
  const events = await rows().event.findMany({ where: { organizationId, subjectId: uuid }, orderBy: { id: 'asc' } });
  const audits = await rows().auditEntry.findMany({ where: { organizationId, resourceIds: { has: uuid } }, orderBy: { id: 'asc' } });
  return {
    fields,
    events: events.map(({ name, subjectType, changed, actor }) => ({ name, subjectType, changed: changed.toSorted(), actor })),
    audits: audits.map(({ actor, action, resource, operation, address, detail, patientIds }) => ({
      actor,
      action,
      resource,
      operation,
      address,
      detail,
      patientIds,
    })),
  };
}

it('a change has the same results with If-Match and without: the chart, its event and its audit row', () =>
  fc.assert(
    fc.asyncProperty(change, fc.array(change, { minLength: 1, maxLength: 3 }), async (first, changes) => {
      const [plainly, checked] = await Promise.all([clinic.post('/patients').send(first), clinic.post('/patients').send(first)]);
      let { etag } = checked.headers;
      for (const body of changes) {
        const plain = await clinic.put(`/patients/${plainly.body.data.uuid}`).send(body);
        const conditional = await clinic.put(`/patients/${checked.body.data.uuid}`).set('if-match', String(etag)).send(body);
        expect([plain.status, conditional.status]).toEqual([200, 200]);
        expect({ ...plain.body.data, uuid: 0 }).toEqual({ ...conditional.body.data, uuid: 0 });
        etag = conditional.headers.etag;
      }
      expect(await readWhatIsLeft(plainly.body.data.uuid)).toEqual(await readWhatIsLeft(checked.body.data.uuid));
    }),
    { numRuns: 25 },
  ));

it('more combinations of fields than have a statement of their own are all changed as they are sent', async () => {
  const { organizationId } = clinic;
  const names = ['firstname', 'lastname', 'gender', 'census', 'do_not_sms', 'dob', 'admit_date'] as const;
  const value = (name: (typeof names)[number], n: number) => {
    if (name === 'census') return n % 2 === 0;
    if (name === 'do_not_sms') return String(n % 2);
    return name === 'dob' || name === 'admit_date' ? `19${10 + (n % 80)}-01-01` : `Value ${n}`;
  };
  const { uuid } = (await clinic.post('/patients').send({ firstname: 'Many', census: true })).body.data;
  const shown: Record<string, unknown> = {};
  for (let n = 1; n <= 100; n += 1) {
    const body = Object.fromEntries(names.filter((_, place) => ((n >> place) & 1) === 1).map((name) => [name, value(name, n)]));
    const answer = await clinic.put(`/patients/${uuid}`).send(body);
    expect(answer.status).toBe(200);
    Object.assign(shown, body);
    expect(answer.body.data).toMatchObject(shown);
  }
  const events = await rows().event.findMany({
    where: { organizationId, subjectId: uuid, name: 'patient.updated' },
    orderBy: { id: 'asc' },
  });
  expect(events.length).toBe(await rows().auditEntry.count({ where: { organizationId, action: 'update', resourceIds: { has: uuid } } }));
  expect(events.every(({ changed }) => changed.length > 0)).toBe(true);
});

it('a request that the checks refuse leaves nothing, and its key may be used again', async () => {
  const { organizationId } = clinic;
  const system = await practiceClient(test, { organizationId });
  const form = { firstname: 'Ann', lastname: 'Refused', departmentid: 999_999 };
  const send = (body: object) => system.post('/patients').type('form').set('idempotency-key', 'refused once').send(body);
  expect((await send(form)).status).toBe(404);
  expect(await rows().patient.count({ where: { organizationId, lastName: 'Refused' } })).toBe(0);
  expect(await rows().idempotencyRecord.count({ where: { organizationId, key: 'refused once' } })).toBe(0);
  const answer = await send({ firstname: 'Ann', lastname: 'Refused' });
  expect(answer.status).toBe(200);
  const again = await send({ firstname: 'Ann', lastname: 'Refused' });
  expect(again.body).toEqual(answer.body);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(await rows().patient.count({ where: { organizationId, lastName: 'Refused' } })).toBe(1);
});

it('fifty concurrent registrations with one key make one patient', async () => {
  const { organizationId } = clinic;
  const send = () => clinic.post('/patients').set('idempotency-key', 'all at once').send({ firstname: 'Crowd' });
  const answers = await Promise.all(Array.from({ length: 50 }, send));
  expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 409])).size).toBe(0);
  const [uuid, ...others] = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.data.uuid));
  expect(others).toEqual([]);
  expect(await rows().patient.findMany({ where: { organizationId, firstName: 'Crowd' } })).toMatchObject([{ id: uuid }]);
  expect(await rows().event.count({ where: { organizationId, name: 'patient.registered', subjectId: uuid } })).toBe(1);
});

it('forty concurrent changes of one chart are all made, one after another, each with its event and its audit row', async () => {
  const { organizationId } = clinic;
  const created = await clinic.post('/patients').send({ firstname: 'Ann' });
  const { uuid } = created.body.data;
  const emails = Array.from({ length: 40 }, (_, n) => `ann${n}@example.com`);
  const answers = await Promise.all(emails.map((email) => clinic.put(`/patients/${uuid}`).send({ email })));
  expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 200));
  expect(answers.map(({ body }) => body.data.email)).toEqual(emails);
  const events = await rows().event.findMany({
    where: { organizationId, subjectId: uuid, name: 'patient.updated' },
    orderBy: { id: 'asc' },
  });
  expect(events.map(({ changed }) => changed)).toEqual(emails.map(() => ['email']));
  expect(await rows().auditEntry.count({ where: { organizationId, action: 'update', resourceIds: { has: uuid } } })).toBe(40);
  // The last of them read the address that the one before had written.
  const { email, lastEmail } = await rows().patient.findFirstOrThrow({ where: { organizationId, id: uuid } });
  expect(emails).toContain(email);
  expect(emails.filter((one) => one !== email)).toContain(lastEmail);
});

const waiting = () =>
  rows().$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const waitingOnNodes = () => rows().$queryRaw<unknown[]>`SELECT 1 FROM citus_lock_waits`;

it('a chart that is deleted while it is changed is not found, and nothing of the change is left', async () => {
  const { organizationId } = clinic;
  const created = await clinic.post('/patients').send({ firstname: 'Bo' });
  const { uuid: id } = created.body.data;
  let answered: Promise<{ status: number }> | null = null;
  await rows().$transaction(async (tx) => {
    await tx.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { status: 'deleted' } });
    answered = clinic
      .put(`/patients/${id}`)
      .send({ firstname: 'Ben' })
      .then((answer) => answer);
    // Until the change waits for the row.
    await expect.poll(() => (isDistributed ? waitingOnNodes() : waiting()), { timeout: 4_000 }).toHaveLength(1);
  });
  expect(await answered).toMatchObject({ status: 404 });
  expect((await rows().patient.findFirstOrThrow({ where: { organizationId, id } })).firstName).toBe('Bo');
  expect(await rows().event.count({ where: { organizationId, subjectId: id, name: 'patient.updated' } })).toBe(0);
});

it('a birth date that no request could have set stays as it is when something else changes', async () => {
  const { organizationId } = clinic;
  const { uuid: id } = (await clinic.post('/patients').send({ firstname: 'Old' })).body.data;
  const birthDate = new Date('1801-05-06T00:00:00Z');
  await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { birthDate } });
  expect((await clinic.put(`/patients/${id}`).send({ lastname: 'Record' })).status).toBe(200);
  expect((await rows().patient.findFirstOrThrow({ where: { organizationId, id } })).birthDate).toEqual(birthDate);
});
