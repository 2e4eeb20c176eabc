import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importer } from '../apis/platform/imports/sending.ts';
import { askToken, refresh } from '../identity/support.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { appSteps, appStory } from '../support/app-story.ts';
import { createAppointmentType, createOffice, createOrganization, createPatient, createProvider } from '../support/factories.ts';

const test = await ownTestApp({ PRACTICE_LIMITS: 'imports=3,numbers=2' });
const { prisma } = test.database;
const admin = () => signedInUser(test, { type: 'admin' });

describe('one practice', () => {
  it('has files refused as often as it has room for imports, and not again the same day', async () => {
    const { id: organizationId } = await createOrganization(prisma);
    const system = await importer(test, organizationId);
    const torn = gzipSync('firstname\nAna\n').subarray(0, 20);
    const send = async () => (await system.send('POST', '/imports?kind=patients', torn)).status;
    expect([await send(), await send(), await send(), await send()]).toEqual([400, 400, 400, 429]);
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const [first, second] = (await prisma.importRun.findMany({ where: { organizationId } })).map(({ id }) => id);
    const age = (id: number | undefined, data: object) => prisma.importRun.updateMany({ where: { organizationId, id: id ?? 0 }, data });
    await age(first, { touchedAt: ago(23) });
    expect(await send()).toBe(429);
    await age(first, { touchedAt: ago(25) });
    expect([await send(), await send()]).toEqual([400, 429]);
    await age(second, { startedAt: ago(3), finishedAt: ago(0) });
    expect(await send()).toBe(429);
    await age(second, { finishedAt: ago(2) });
    expect([await send(), await send()]).toEqual([400, 429]);
  });

  it('does not text by the messaging service of another', async () => {
    const [owner, thief] = [await admin(), await admin()];
    const set = (who: typeof owner, messaging_service_sid: string | null) =>
      who.put('/platform/v1/policies').send({ messaging_service_sid });
    const sid = `MG${'0a'.repeat(16)}`;
    await set(owner, sid).expect(200);
    for (const spelling of [sid, sid.replaceAll('a', 'A')]) {
      const { body } = await set(thief, spelling).expect(409);
      expect([body.code, body.errors[0].pointer]).toEqual(['messaging_service_taken', '/messaging_service_sid']);
    }
    await owner.put('/platform/v1/policies').send({ messaging_service_sid: sid, event_days: 91 }).expect(200);
    await set(owner, null).expect(200);
    await set(thief, sid).expect(200);
  });

  it('has so many telephone numbers, whatever use it orders them for and however often it returns them', async () => {
    const buyer = await admin();
    const found = await buyer.get('/available-numbers?limit=3').expect(200);
    const [one, two, three] = found.body.data.map(({ number }: { number: string }) => number);
    await buyer.post('/available-numbers').send({ number: one }).expect(201);
    const fax = await buyer.post('/fax-numbers').send({ number: two }).expect(201);
    for (const path of ['/available-numbers', '/voice-pager-numbers'])
      expect((await buyer.post(path).send({ number: three }).expect(409)).body.code).toBe('too_many_numbers');
    await prisma.phoneNumber.updateMany({ where: { organizationId: buyer.organizationId }, data: { state: 'active' } });
    await buyer.delete(`/fax-numbers/${fax.body.data.uuid}`).expect(204);
    await buyer.post('/available-numbers').send({ number: three }).expect(409);
    await buyer.post('/fax-numbers').send({ number: two }).expect(201);
  });
});

describe('one caller', () => {
  it('holds 200 slots at most, and any number one after the other', async () => {
    const staff = await signedInUser(test);
    const { organizationId } = staff;
    const own = { organizationId };
    const [office, provider] = [await createOffice(prisma, own), await createProvider(prisma, own)];
    const type = await createAppointmentType(prisma, { ...own, durationMinutes: 15 });
    const day = (weekday: number) => ({ ...own, providerId: provider.id, officeId: office.id, weekday, fromMinute: 0, untilMinute: 1_440 });
    await prisma.availability.createMany({ data: [1, 2, 3, 4, 5, 6, 7].map(day) });
    const { body } = await staff.get(`/slots?type=${type.id}&from=2031-03-03&until=2031-03-06&limit=202`).expect(200);
    const [first, second, third, ...others]: number[] = body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect(others).toHaveLength(199);
    const hold = (slot: number | undefined) => staff.post('/slots/hold').send({ slot });
    const { uuid } = (await hold(first).expect(201)).body.data;
    await prisma.$executeRaw`
      INSERT INTO slot_claim (organization_id, slot_id, seat, provider_id, busy_from, busy_until, holder, expires_at)
      SELECT c.organization_id, s.id, c.seat, c.provider_id, s.starts_at, s.ends_at, c.holder, c.expires_at
        FROM slot_claim c JOIN slot s ON s.organization_id = c.organization_id
       WHERE c.organization_id = ${organizationId} AND c.id = ${uuid} AND s.id = ANY (${others})`;
    const refused = await hold(second).expect(409);
    expect(refused.body.code).toBe('too_many_holds');
    expect(await prisma.slotClaim.count({ where: { organizationId, slotId: second ?? 0 } })).toBe(0);
    expect((await hold(first).expect(201)).body.data.uuid).toBe(uuid);
    await staff.delete(`/slots/hold/${uuid}`).expect(204);
    await hold(second).expect(201);
    await hold(third).expect(409);
    const over = { expiresAt: new Date(Date.now() - 1_000) };
    await prisma.slotClaim.updateMany({ where: { organizationId, slotId: others[0] ?? 0 }, data: over });
    await hold(third).expect(201);
  });
});

describe('a restricted chart', () => {
  it('is no other than a deleted one to who tries its record number or the serial of its device', async () => {
    const { organizationId } = await admin();
    const nurse = await signedInUser(test, { organizationId });
    const chart = async (name: string, data: object = {}) => {
      const { id: patientId } = await createPatient(prisma, { organizationId, medicalRecordNo: `MRN-${name}`, ...data });
      const device = { organizationId, identifier: `S-${name}`, serial: `S-${name}` };
      const { id: deviceId } = await prisma.monitoringDevice.create({ data: device });
      await prisma.deviceAssignment.create({ data: { organizationId, deviceId, patientId, serial: device.serial } });
      return patientId;
    };
    const patientId = await chart('one');
    await prisma.privacyRestriction.create({ data: { organizationId, patientId, kind: 'record', reason: 'court order' } });
    await chart('two', { status: 'deleted' });
    const { id } = await createPatient(prisma, { organizationId });
    const askForBoth = async (name: string) => {
      const answers = [
        await nurse.post('/patients/').send({ first_name: 'Ana', last_name: 'Ames', med_rec_no: `MRN-${name}` }),
        await nurse.put(`/patients/${id}`).send({ med_rec_no: `MRN-${name}` }),
        await nurse.post('/remote-patient-monitoring/devices').send({ patient_uuid: id, serial: `S-${name}` }),
        await nurse.get('/remote-patient-monitoring/devices'),
        await nurse.get(`/patients/?med_rec_no=MRN-${name}`),
      ];
      return answers.map(({ status, body: { request_id, ...body } }) => [status, JSON.stringify(body).replaceAll(name, '(name)')]);
    };
    const restricted = await askForBoth('one');
    expect(restricted.map(([status]) => status)).toEqual([409, 409, 409, 200, 200]);
    expect(restricted.slice(3)).toEqual([1, 2].map(() => [200, expect.stringContaining('"data":[]')]));
    expect(restricted).toEqual(await askForBoth('two'));
  });
});

describe('the refresh token of an app', () => {
  it('is unknown to /refresh, which asks for no client_id, and good for the app afterwards', async () => {
    const one = await appStory(test);
    const { decide, exchange } = appSteps(test);
    const { body } = await exchange(one, (await decide(one)).searchParams.get('code'));
    const own = await refresh(test, body.refresh_token);
    expect([own.status, own.body.code]).toEqual([401, 'invalid_refresh_token']);
    const asked = { grant_type: 'refresh_token', client_id: one.clientId, refresh_token: body.refresh_token };
    expect((await askToken(test, asked)).status).toBe(200);
    const { refreshToken } = await signedInUser(test, { organizationId: one.organizationId });
    expect((await askToken(test, { ...asked, refresh_token: refreshToken })).body.error).toBe('invalid_grant');
    expect((await refresh(test, refreshToken)).status).toBe(200);
  });
});
