import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { clientToken, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createOffice, createOrganization, createPatient, createProvider } from '../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../support/phone-numbers.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
const Answer = z.object({
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
  content: z.array(z.object({ text: z.string() })),
});

/** A client of the SDK with a token, connected by one revision of the protocol. */
async function connect(token: string, version: (typeof VERSIONS)[number] = '2026-07-28') {
  const client = new Client(
    { name: 'test', version: '1' },
    version === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: version } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${test.address}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  const call = async (name: string, given: Record<string, unknown>) => Answer.parse(await client.callTool({ name, arguments: given }));
  return {
    client,
    /** What a tool answers. */
    async use(name: string, given: Record<string, unknown>) {
      const answer = await call(name, given);
      expect(answer.isError, answer.content[0]?.text).toBeFalsy();
      return answer.structuredContent ?? {};
    },
    /** Why a tool refuses. */
    async refusal(name: string, given: Record<string, unknown>) {
      const answer = await call(name, given);
      expect(answer.isError).toBe(true);
      return answer.content[0]?.text ?? '';
    },
  };
}

/** A practice with a provider who works on Monday mornings (2031-03-03 is one), and a patient with a telephone. */
async function clinic() {
  const { id: organizationId } = await createOrganization(prisma);
  const admin = await signedInUser(test, { organizationId, type: 'admin' });
  const doctor = await signedInUser(test, { organizationId, type: 'provider' });
  const office = await createOffice(prisma, { organizationId, name: 'North', timeZone: 'America/Denver' });
  const provider = await createProvider(prisma, { organizationId, firstName: 'Ada', lastName: 'Doe', userId: doctor.user.id });
  const type = await createAppointmentType(prisma, { organizationId, name: 'Visit', durationMinutes: 60 });
  const hours = { provider_id: provider.id, office_id: office.id, weekday: 'Monday', from: '09:00', until: '12:00' };
  expect((await admin.post('/availability').send(hours)).status).toBe(201);
  await addPhoneNumber(prisma, { organizationId, number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: `PN-${organizationId}` });
  const patient = await createPatient(prisma, { organizationId, firstName: 'Ann', lastName: 'Ames', mobilePhone: '+19105550123' });
  const createToken = async (...scopes: string[]) => (await clientToken(test, scopes, [organizationId])).token;
  return { organizationId, admin, type, patient, createToken };
}

it.each(VERSIONS)('revision %s finds a patient, holds a time, and books once what was confirmed', async (version) => {
  const { organizationId, type, patient, createToken } = await clinic();
  const { client, use, refusal } = await connect(await createToken('agent.read', 'agent.write'), version);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['find_patient', 'read_timeline', 'find_time', 'book', 'draft_text']);

  expect(await use('find_patient', { name: 'ann am' })).toMatchObject({ patients: [{ uuid: patient.id, lastname: 'Ames' }] });
  const { slots } = await use('find_time', { from: '2031-03-03', until: '2031-03-03', type: type.id });
  const [slot] = z.array(z.object({ uuid: z.int() })).parse(slots);
  expect(await use('find_time', { hold: slot?.uuid })).toMatchObject({ hold: { slot: slot?.uuid, starts_at: '2031-03-03T16:00:00Z' } });

  const drafted = await use('book', { patient_id: patient.id, slot: slot?.uuid });
  expect(drafted).toMatchObject({ draft: { patient: { lastname: 'Ames' }, time: { starts_at: '2031-03-03T16:00:00Z' } } });
  expect(await prisma.appointment.count({ where: { organizationId } })).toBe(0);
  const booked = await use('book', { token: drafted.token });
  expect(booked).toMatchObject({ booked: { appointment_date: '2031-03-03T16:00:00Z' } });
  expect(await use('book', { token: drafted.token })).toEqual(booked);
  expect(await prisma.appointment.count({ where: { organizationId } })).toBe(1);
  expect(await use('read_timeline', { patient_id: patient.id })).toMatchObject({ entries: [{ at: '2031-03-03T16:00:00Z' }] });

  expect(await refusal('book', { token: `${String(drafted.token)}x` })).toContain('invalid_token');
  expect(await refusal('draft_text', { token: drafted.token })).toContain('invalid_token');
  expect(await refusal('book', { slot: slot?.uuid })).toContain('missing');
});

it('shows a text before it is queued, and queues it once', async () => {
  const { organizationId, patient, createToken } = await clinic();
  const { use } = await connect(await createToken('agent.read', 'agent.write'));
  const message = 'Please bring your cuff tomorrow.';
  const drafted = await use('draft_text', { patient_id: patient.id, message });
  expect(drafted).toMatchObject({ draft: { message, dry_run: true } });
  expect(await prisma.smsMessage.count({ where: { organizationId } })).toBe(0);
  await use('draft_text', { token: drafted.token });
  await use('draft_text', { token: drafted.token });
  const texts = await prisma.smsMessage.findMany({ where: { organizationId } });
  expect(texts).toMatchObject([{ patientId: patient.id, body: message }]);
});

it('has the walls of any other request: scope, practice, restriction, audit, and the log of requests', async () => {
  const { organizationId, patient, createToken } = await clinic();
  const post = (token: string) =>
    test.http.post('/mcp').set('authorization', `Bearer ${token}`).send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect((await test.http.post('/mcp').send({})).status).toBe(401);
  expect((await post(await createToken('integration.read'))).body).toMatchObject({ code: 'insufficient_scope' });

  const reader = await connect(await createToken('agent.read'));
  expect(await reader.refusal('find_time', { hold: 1 })).toContain('insufficient_scope');
  expect(
    await reader.refusal('find_patient', { name: 'Ames', zip: '27601' }),
    'an argument that would be dropped widens a search',
  ).toContain('zip');
  expect(await reader.refusal('find_patient', { name: ' \u200b', phone: '' })).toContain('missing');
  const elsewhere = await createPatient(prisma, { organizationId: (await createOrganization(prisma)).id, lastName: 'Ames' });
  expect(await reader.refusal('read_timeline', { patient_id: elsewhere.id + 1_000_000 })).toContain('patient_not_found');
  await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
  expect(await reader.use('find_patient', { name: 'Ames' })).toEqual({ patients: [] });
  expect(await reader.refusal('read_timeline', { patient_id: patient.id })).toContain('patient_not_found');

  const { token, clientId } = await clientToken(test, ['agent.read'], [organizationId]);
  await createPatient(prisma, { organizationId, lastName: 'Byron' });
  await (await connect(token)).use('find_patient', { name: 'Byron' });
  const where = { organizationId, actor: `client:${clientId}` };
  expect(await prisma.auditEntry.findMany({ where, select: { operation: true } })).toEqual([{ operation: 'GET /patients' }]);
  const asked = await test.http.get('/platform/v1/requests').set('authorization', `Bearer ${token}`);
  expect(asked.body.data.map((one: { operation: string }) => one.operation)).toEqual(['GET /patients']);
});
