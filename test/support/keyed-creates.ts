import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import type { Clinic, ClinicAnswer } from './clinic.ts';
import { eventually } from './server-process.ts';

/** A create that somebody wants done: sent again under its key until it is acknowledged. */
export interface Create {
  key: string;
  recordNumber: string;
  acknowledged: ClinicAnswer | null;
}

export const newCreate = (): Create => ({ key: randomUUID(), recordNumber: randomUUID(), acknowledged: null });

/** @returns null where the server is gone */
export async function send(clinic: Clinic, create: Create): Promise<ClinicAnswer | null> {
  const body = { fname: 'Keyed', lname: create.recordNumber, med_rec_no: create.recordNumber, dob: '1980-02-29' };
  return clinic.post('/patients', body, { 'idempotency-key': create.key }).catch((error: Error) => {
    // A server that is gone is what this is about; one that keeps a caller waiting is not.
    if (error.name === 'TimeoutError') throw error;
    return null;
  });
}

/** Creates one patient after the other, each until it is acknowledged; every answer is 200 or 503. @param afterEach runs after each of them */
export async function createUntil(
  stopping: AbortSignal,
  clinic: Clinic,
  creates: Create[],
  afterEach: (create: Create) => Promise<void> = async () => {},
): Promise<void> {
  while (!stopping.aborted) {
    const create = newCreate();
    creates.push(create);
    while (!create.acknowledged && !stopping.aborted) {
      const answer = await send(clinic, create);
      expect([200, 503]).toContain(answer?.status);
      if (answer?.status === 200) create.acknowledged = answer;
      else await sleep(50);
    }
    await afterEach(create);
  }
}

/** Milliseconds within which a create is acknowledged: longer than the database keeps the transaction of a connection that is lost. */
const ACKNOWLEDGED_WITHIN_MS = 20_000;

/** Sends a create until it is acknowledged. What was acknowledged before has to be answered with the same bytes. */
export async function insist(clinic: Clinic, create: Create): Promise<'replayed' | 'done now'> {
  const end = performance.now() + ACKNOWLEDGED_WITHIN_MS;
  while (performance.now() < end) {
    const answer = await send(clinic, create);
    if (answer?.status === 200) {
      if (create.acknowledged) expect(answer).toMatchObject({ replayed: true, text: create.acknowledged.text });
      create.acknowledged = answer;
      return answer.replayed ? 'replayed' : 'done now';
    }
    await sleep(50);
  }
  throw new Error(`${create.recordNumber} was never acknowledged`);
}

/** Each create is stored once, with one event and one audit entry, and the audit's chain holds. @param dataDir with the server's keys */
export async function proveExactlyOnce(url: string, dataDir: string, organizationId: number, creates: Create[]): Promise<void> {
  const keyring = createKeyring(readConfig({ DATA_DIR: dataDir }).MASTER_KEYS);
  const database = openDatabase({ url, poolSize: 3, statementTimeout: 60_000 });
  try {
    const { prisma } = database;
    const patients = await prisma.patient.findMany({ where: { organizationId }, select: { id: true, medicalRecordNo: true } });
    const stored = patients.map(({ id, medicalRecordNo }) => `${medicalRecordNo} is ${id}`).sort();
    expect(stored).toEqual(creates.map(({ recordNumber, acknowledged }) => `${recordNumber} is ${acknowledged?.body.data.uuid}`).sort());
    const events = await prisma.event.findMany({
      where: { organizationId, subjectType: 'patient' },
      select: { subjectId: true },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ subjectId }) => subjectId).sort()).toEqual(patients.map(({ id }) => id).sort());
    // A transaction whose connection was lost is ended by the database after a while, and holds the log back until then.
    await eventually('all is sealed', async () => {
      await sealAudit(database, keyring);
      return (await verifyChain(prisma, keyring, organizationId)).unsealed === 0;
    });
    expect(await verifyChain(prisma, keyring, organizationId)).toMatchObject({ unsealed: 0, broken: null });
    expect(await prisma.auditEntry.count({ where: { organizationId, action: 'create' } })).toBe(creates.length);
  } finally {
    await database.close();
  }
}
