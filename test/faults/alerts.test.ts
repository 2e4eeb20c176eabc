import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { createDevice, startPushService } from '../apis/mobile/notifications/push-service.ts';
import { signedInUser } from '../support/actors.ts';
import { closedAfterAll, type Served } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseUrl, eventually, killServers, type ServerProcess, startServer } from '../support/server-process.ts';

/** Danger values, and kills of the worker: 1,000 and 20 are the proof; with a small KILLS, 60 and 2. */
const [VALUES, ROUNDS] = Number(process.env.KILLS ?? 100) < 100 ? [60, 2] : [1_000, 20];
const A_ROUND = VALUES / ROUNDS;
const PATIENTS = 10;
/** Milliseconds after the first values of a round in which the kill falls: workers look every second. */
const KILL_WITHIN_MS = 1_800;
/** From the worker's return on. */
const WITHIN_MS = 60_000;
const ENVIRONMENT = { ALLOW_PRIVATE_ADDRESSES: 'true', LOG_LEVEL: 'info' };

const dataDir = await mkdtemp(join(tmpdir(), 'triptych-alerts-'));
afterAll(async () => {
  await killServers();
  await removeFolder(dataDir);
});
const server = startServer(dataDir, { ...ENVIRONMENT, RUN_JOBS: 'false' });
const address = await server.ready;
const database = await closedAfterAll(openDatabase({ url: await databaseUrl(dataDir), poolSize: 5 }));
const { prisma } = database;
const keyring = createKeyring(readConfig({ DATA_DIR: dataDir }).MASTER_KEYS);
const served: Served = { address, database, keyring, http: supertest.agent(address) };
const pushService = await closedAfterAll(startPushService());

/** A practice whose quiet hours last all day, with a nurse who monitors ten patients and has a device that is subscribed. */
async function openPractice() {
  const { id: organizationId } = await createOrganization(prisma, { quietHoursStart: '00:01', quietHoursEnd: '00:00', phone: anyNumber() });
  await prisma.phoneNumber.create({ data: { organizationId, number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-1' } });
  const item = await prisma.item.create({ data: { organizationId, name: 'Systolic', unit: 'mmHg', dangerMax: 180 } });
  // Nothing escalates meanwhile.
  const program = await prisma.program.create({ data: { organizationId, name: 'At home', alertEscalationMinutes: 1_440 } });
  const nurse = await signedInUser(served, { organizationId });
  await prisma.programMember.create({ data: { organizationId, programId: program.id, userId: nurse.user.id } });
  const device = createDevice(`${pushService.address}/nurse`);
  await nurse.post('/push-subscriptions').send(device.subscription).expect(201);
  const patients: number[] = [];
  for (let made = 0; made < PATIENTS; made += 1) {
    const { id } = await createPatient(prisma, { organizationId, mobilePhone: anyNumber() });
    await prisma.programPatient.create({ data: { organizationId, programId: program.id, patientId: id } });
    patients.push(id);
  }
  return { organizationId, item, nurse, patients, device };
}

const startWorker = async (): Promise<ServerProcess> => {
  const worker = startServer(dataDir, ENVIRONMENT, { command: [process.execPath, 'scripts/worker.mjs'] });
  await eventually('a worker works', async () => worker.screen().includes('worker started'), 60_000);
  return worker;
};

/** Notifications that the nurse's device shows: a push of one that came before has the same topic, and replaces it. */
const listTopics = () => new Set(pushService.arrived.map(({ headers }) => headers.topic));

it(`alerts of each of ${VALUES} danger values once, within a minute of the return of a worker that is killed ${ROUNDS} times`, {
  timeout: ROUNDS * 120_000,
}, async () => {
  const { organizationId, item, nurse, patients, device } = await openPractice();
  const start = Date.now() - VALUES * 1_000;
  let sent = 0;
  const measure = async (count: number) => {
    const readings = Array.from({ length: count }, (_, index) => ({
      patient_uuid: patients[(sent + index) % PATIENTS],
      item_uuid: item.id,
      value: 190,
      unit: 'mmHg',
      measured_at: new Date(start + (sent + index) * 1_000).toISOString(),
      device: { identifier: 'cuff' },
    }));
    sent += count;
    const { body } = await nurse.post('/remote-patient-monitoring/readings').send({ readings });
    expect(body.data, JSON.stringify(body)).toMatchObject({ stored: count });
  };
  const texted = () => prisma.carrierText.count();
  let worker = await startWorker();
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all([
      measure(A_ROUND / 2),
      sleep(randomInt(KILL_WITHIN_MS)).then(async () => {
        worker.kill('SIGKILL');
        await worker.exited;
      }),
    ]);
    await measure(A_ROUND / 2);
    worker = await startWorker();
    const returned = performance.now();
    await eventually('all are told', async () => listTopics().size === sent && (await texted()) === PATIENTS, WITHIN_MS);
    seconds.push((performance.now() - returned) / 1_000);
  }

  const alerts = await prisma.monitoringAlert.findMany({ where: { organizationId } });
  expect([alerts.length, new Set(alerts.map(({ readingId }) => readingId)).size]).toEqual([VALUES, VALUES]);
  expect(new Set(alerts.map(({ kind, severity, state }) => `${kind} ${severity} ${state}`))).toEqual(new Set(['danger_value danger open']));
  const notices = await prisma.notification.findMany({ where: { organizationId, kind: 'monitoring_alert.opened' } });
  expect(notices.map(({ userId, subjectId }) => `${userId} ${subjectId}`).sort()).toEqual(
    alerts.map(({ id }) => `${nurse.user.id} ${id}`).sort(),
  );
  expect(new Set(pushService.arrived.map((push) => JSON.stringify(device.read(push)))).size).toBe(VALUES);
  const texts = await prisma.carrierText.findMany();
  expect(new Set(texts.map(({ toNumber }) => toNumber)).size).toBe(PATIENTS);
  expect(texts).toHaveLength(PATIENTS);
  const again = pushService.arrived.length - VALUES;
  console.log(
    `  ${VALUES} danger values, ${ROUNDS} kills: lost 0, twice 0 (${again} pushed again, which a device shows once); the last after ${Math.max(...seconds).toFixed(1)} s`,
  );
  for (const one of [worker, server]) {
    one.kill('SIGTERM');
    expect(await one.exited).toMatchObject({ code: 0 });
  }
});
