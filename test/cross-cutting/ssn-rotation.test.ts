import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring, type Keyring } from '../../src/database/encryption/keyring.ts';
import { type CallerIdentity, operator } from '../../src/domain/caller.ts';
import {
  findPatientsBySsn,
  revealGuarantorSsn,
  revealSsn,
  sealSsn,
  setGuarantorSsn,
  setSsn,
} from '../../src/domain/patients/record/ssn.ts';
import { createUnitOfWork, type UnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { type RenewalOptions, renewEncryptedValues } from '../../src/jobs/upkeep/renew-encrypted-values.ts';
import { createTestDatabase } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';

const [A, B] = [
  { id: 'a', key: Buffer.alloc(32, 1) },
  { id: 'b', key: Buffer.alloc(32, 2) },
];
const [old, both, fresh] = [createKeyring([A]), createKeyring([B, A]), createKeyring([B])];

/** Patients of each organization; each has a number of its own, and so has who pays for every second. */
const CHARTS = 7;
const toSsn = (position: number) => `2190910${String(position + 10)}`;
const toPayerSsn = (position: number) => `2190920${String(position + 10)}`;

let database: Database;
let unitOfWork: UnitOfWork;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 4 });
  unitOfWork = createUnitOfWork(database);
});
afterAll(() => database.close());

let caller: CallerIdentity;
let ids: number[];
beforeEach(async () => {
  caller = operator((await createOrganization(database.prisma)).id, 'test');
  ids = [];
  for (let position = 0; position < CHARTS; position += 1) {
    const { id } = await createPatient(database.prisma, { organizationId: caller.organizationId });
    ids.push(id);
    await unitOfWork.write(caller, (tx) => setSsn(tx, old, id, toSsn(position)));
    if (position % 2 === 0) await unitOfWork.write(caller, (tx) => setGuarantorSsn(tx, old, id, toPayerSsn(position)));
  }
});

const renew = (options: Partial<RenewalOptions> = {}) =>
  renewEncryptedValues({
    db: database.prisma,
    keyring: both,
    organizationIds: [caller.organizationId],
    write: (organizationId, job) => unitOfWork.write(operator(organizationId, 'test renew'), job),
    writeEach: (_, job) => unitOfWork.write(caller, (tx) => job(tx.prisma, [tx])),
    batch: 2,
    report: () => {},
    ...options,
  });

const charts = () => database.prisma.patient.findMany({ where: { organizationId: caller.organizationId }, orderBy: { id: 'asc' } });

/** Position of each patient that a keyring finds by its number. */
async function found(keyring: Keyring): Promise<number[]> {
  const all = ids.map((id, position) =>
    unitOfWork.read(caller, async (tx) => (await findPatientsBySsn(tx, keyring, toSsn(position))).some((patient) => patient.id === id)),
  );
  return (await Promise.all(all)).flatMap((hit, position) => (hit ? [position] : []));
}

const EVERYONE = Array.from({ length: CHARTS }, (_, position) => position);

async function expectAllOpen(keyring: Keyring): Promise<void> {
  for (const [position, { organizationId, id: row, ssnEncrypted, guarantorSsnEncrypted }] of (await charts()).entries()) {
    const of = { organizationId, row };
    expect(revealSsn(keyring, of, ssnEncrypted ?? '')).toBe(toSsn(position));
    if (position % 2 === 0) expect(revealGuarantorSsn(keyring, of, guarantorSsnEncrypted ?? '')).toBe(toPayerSsn(position));
    else expect(guarantorSsnEncrypted).toBeNull();
  }
}

describe('renewing under a new master key', () => {
  it('lets the old key be taken away: everything opens and is found with the new one alone', async () => {
    expect(await found(fresh)).toEqual([]);
    const results = await renew();
    expect(results.get('patient.ssn_encrypted')).toEqual({ renewed: 7, changed: 0, unreadable: 0 });
    expect(results.get('patient.guarantor_ssn_encrypted')).toEqual({ renewed: 4, changed: 0, unreadable: 0 });
    await expectAllOpen(fresh);
    expect(await found(fresh)).toEqual(EVERYONE);
  });

  it('loses nothing when it is stopped in the middle, is searchable all the while, and the next run finishes it', async () => {
    expect(await found(both)).toEqual(EVERYONE);
    const stop = new AbortController();
    await renew({ signal: stop.signal, report: () => stop.abort() });
    expect(await found(fresh)).toEqual([0, 1]);
    expect(await found(both)).toEqual(EVERYONE);
    await expectAllOpen(both);
    await renew();
    await expectAllOpen(fresh);
    expect(await found(fresh)).toEqual(EVERYONE);
    expect((await renew()).get('patient.ssn_encrypted')).toEqual({ renewed: 0, changed: 0, unreadable: 0 });
  });

  it('leaves nothing half done when a transaction fails: the number and its hash stay of one key', async () => {
    let batches = 0;
    await expect(
      renew({
        write: (organizationId, job) =>
          unitOfWork.write(operator(organizationId, 'test renew'), async (tx) => {
            const result = await job(tx);
            batches += 1;
            if (batches === 2) throw new Error('killed');
            return result;
          }),
      }),
    ).rejects.toThrow('killed');
    expect(await found(fresh)).toEqual([0, 1]);
    expect(await found(both)).toEqual(EVERYONE);
    await expectAllOpen(both);
  });

  it('leaves alone what somebody changed between its reading and its writing', async () => {
    const [first = 0] = ids;
    let meddled = false;
    const results = await renew({
      write: async (organizationId, job) => {
        if (!meddled) await unitOfWork.write(caller, (tx) => setSsn(tx, both, first, '219-09-5555'));
        meddled = true;
        return unitOfWork.write(operator(organizationId, 'test renew'), job);
      },
    });
    expect(results.get('patient.ssn_encrypted')).toEqual({ renewed: 6, changed: 1, unreadable: 0 });
    const [chart] = await charts();
    expect(revealSsn(fresh, { organizationId: caller.organizationId, row: first }, chart?.ssnEncrypted ?? '')).toBe('219095555');
    expect(chart?.ssnLastFour).toBe('5555');
  });

  it('is done once when two run at the same time', async () => {
    const results = await Promise.all([renew(), renew()]);
    const sums = results.map((result) => result.get('patient.ssn_encrypted')?.renewed ?? 0);
    expect(sums.reduce((sum, renewed) => sum + renewed, 0)).toBe(7);
    await expectAllOpen(fresh);
  });

  it('leaves what does not open as it is, counts it, and goes on', async () => {
    const [first = 0] = ids;
    const gone = createKeyring([{ id: 'gone', key: Buffer.alloc(32, 9) }]);
    const foreign = sealSsn(gone, { organizationId: caller.organizationId, row: first }, '219090000').encrypted;
    await database.prisma.patient.updateMany({
      where: { organizationId: caller.organizationId, id: first },
      data: { ssnEncrypted: foreign },
    });
    const results = await renew();
    expect(results.get('patient.ssn_encrypted')).toEqual({ renewed: 6, changed: 0, unreadable: 1 });
    expect((await charts())[0]?.ssnEncrypted).toBe(foreign);
  });

  it('is no change of the chart: no event, no new updated_at, but the audit says how many', async () => {
    const before = await charts();
    const events = await database.prisma.event.count({ where: { organizationId: caller.organizationId } });
    await renew({ batch: 5 });
    expect((await charts()).map(({ updatedAt }) => updatedAt)).toEqual(before.map(({ updatedAt }) => updatedAt));
    expect(await database.prisma.event.count({ where: { organizationId: caller.organizationId } })).toBe(events);
    const audits = await database.prisma.auditEntry.findMany({
      where: { organizationId: caller.organizationId, resource: 'master_key' },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action, detail, resourceIds }) => ({ action, detail, resourceIds }))).toEqual([
      { action: 'administer', detail: '5 of patient.ssn_encrypted renewed under b', resourceIds: [] },
      { action: 'administer', detail: '2 of patient.ssn_encrypted renewed under b', resourceIds: [] },
      { action: 'administer', detail: '4 of patient.guarantor_ssn_encrypted renewed under b', resourceIds: [] },
    ]);
  });

  it('touches no organization but those that it is given', async () => {
    const other = await createOrganization(database.prisma);
    await renew({ organizationIds: [other.id] });
    expect(await found(old)).toEqual(EVERYONE);
  });
});
