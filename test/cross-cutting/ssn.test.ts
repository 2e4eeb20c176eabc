import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
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
import { practiceClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';

const test = await sharedTestApp();
const unitOfWork: UnitOfWork = createUnitOfWork(test.database);
const caller: CallerIdentity = operator((await createOrganization(test.database.prisma)).id, 'test');

const newPatient = async (who: CallerIdentity = caller) =>
  (await createPatient(test.database.prisma, { organizationId: who.organizationId })).id;
const store = (id: number, ssn: string | null, who = caller) => unitOfWork.write(who, (tx) => setSsn(tx, test.keyring, id, ssn));
const find = (ssn: string, who = caller) =>
  unitOfWork.read(who, async (tx) => (await findPatientsBySsn(tx, test.keyring, ssn)).map(({ id }) => id));
const toRow = (row: number) => ({ organizationId: caller.organizationId, row });
const chart = (id: number) =>
  test.database.prisma.patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId: caller.organizationId, id } } });

describe('storing a social security number', () => {
  it('keeps it encrypted, found by a hash, and known by its last four', async () => {
    const id = await newPatient();
    await store(id, '219-09-9999');
    const stored = await chart(id);
    expect(stored.ssnLastFour).toBe('9999');
    expect(revealSsn(test.keyring, toRow(id), stored.ssnEncrypted ?? '')).toBe('219099999');
    expect(await find('219099999')).toEqual([id]);
  });

  it('takes it away with its hash and its last four', async () => {
    const id = await newPatient();
    await store(id, '219-09-1001');
    await store(id, null);
    expect(await chart(id)).toMatchObject({ ssnEncrypted: null, ssnHash: null, ssnLastFour: null });
    expect(await find('219-09-1001')).toEqual([]);
  });

  it('names the field in one event, and leaves an audit row, also when nothing changed', async () => {
    const id = await newPatient();
    await store(id, '219-09-1002');
    const before = await chart(id);
    await store(id, '219091002');
    expect(await chart(id)).toEqual(before);
    const events = await test.database.prisma.event.findMany({
      where: { organizationId: caller.organizationId, subjectId: id },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => ({ name, changed }))).toEqual([{ name: 'patient.updated', changed: ['ssn'] }]);
    const audits = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: caller.organizationId, resourceIds: { has: id } },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action }) => action)).toEqual(['update', 'read']);
  });

  it('keeps the number of who pays beside it, without touching it', async () => {
    const id = await newPatient();
    await store(id, '219-09-1003');
    await unitOfWork.write(caller, (tx) => setGuarantorSsn(tx, test.keyring, id, '219-09-1004'));
    const stored = await chart(id);
    expect(stored).toMatchObject({ ssnLastFour: '1003', guarantorSsnLastFour: '1004' });
    expect(revealGuarantorSsn(test.keyring, toRow(id), stored.guarantorSsnEncrypted ?? '')).toBe('219091004');
    expect(await find('219-09-1004')).toEqual([]);
  });

  it('writes anew what does not open any more', async () => {
    const id = await newPatient();
    await store(id, '219-09-1005');
    const foreign = createKeyring([{ id: 'gone', key: Buffer.alloc(32, 9) }]);
    await test.database.prisma.patient.updateMany({
      where: { organizationId: caller.organizationId, id },
      data: { ssnEncrypted: sealSsn(foreign, toRow(id), '219091005').encrypted },
    });
    await store(id, '219-09-1005');
    expect(revealSsn(test.keyring, toRow(id), (await chart(id)).ssnEncrypted ?? '')).toBe('219091005');
  });

  it('refuses what is no number without repeating it, and stores nothing', async () => {
    const id = await newPatient();
    const refused = await store(id, '666-12-3456').catch((error: Error) => error.message);
    expect(refused).toContain('nine digits');
    expect(refused).not.toMatch(/\d{3}/);
    expect((await chart(id)).ssnEncrypted).toBeNull();
  });

  it('finds no chart of another practice, and stores in none', async () => {
    const other = operator((await createOrganization(test.database.prisma)).id, 'test');
    const id = await newPatient();
    await store(id, '219-09-1006');
    expect(await find('219-09-1006', other)).toEqual([]);
    await expect(store(id, '219-09-1007', other)).rejects.toMatchObject({ kind: 'not_found' });
    expect((await chart(id)).ssnLastFour).toBe('1006');
  });

  it('neither finds a deleted chart nor stores in one', async () => {
    const id = await newPatient();
    await store(id, '219-09-1008');
    await test.database.prisma.patient.updateMany({ where: { organizationId: caller.organizationId, id }, data: { status: 'deleted' } });
    expect(await find('219-09-1008')).toEqual([]);
    await expect(store(id, null)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('finds everyone who has it, in the order of their ids', async () => {
    const ids = [await newPatient(), await newPatient()];
    for (const id of ids.toReversed()) await store(id, '219-09-1009');
    expect(await find('219091009')).toEqual(ids);
  });
});

it('no number nor its last four is in a log line, an event or an audit row', async () => {
  const [ssn, payer] = ['523-77-8642', '523-77-9753'];
  const id = await newPatient();
  await store(id, ssn);
  await unitOfWork.write(caller, (tx) => setGuarantorSsn(tx, test.keyring, id, payer));
  await find(ssn);
  await store(id, '523-77-x').catch(() => {});
  const { ssnEncrypted } = await chart(id);
  const clinic = await practiceClient(test, {
    organizationId: caller.organizationId,
    scopes: ['practice.read', 'practice.write', 'ssn.read'],
  });
  await clinic.get(`/patients/${id}`);
  await clinic.get(`/patients/${id}?showfullssn=true`);
  await clinic.get(`/patients/${ssn}`);
  const { organizationId } = caller;
  const [events, audits] = await Promise.all([
    test.database.prisma.event.findMany({ where: { organizationId }, orderBy: { id: 'asc' } }),
    test.database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } }),
  ]);
  const told = [...events, ...audits].flatMap((row) => Object.values(row).map(String));
  expect(told.length).toBeGreaterThan(20);
  for (const secret of [ssn, ssn.replaceAll('-', ''), payer, payer.replaceAll('-', ''), ssnEncrypted ?? '']) {
    expect(test.logs.join('')).not.toContain(secret);
    expect(told.filter((text) => text.includes(secret))).toEqual([]);
  }
  // Of these columns alone, since ids and times have digits of their own.
  const words = [
    ...events.flatMap(({ name, subjectType, changed }) => [name, subjectType, ...changed]),
    ...audits.flatMap(({ action, resource, operation, detail }) => [action, resource, operation, String(detail)]),
  ];
  for (const four of ['8642', '9753']) expect(words.filter((word) => word.includes(four))).toEqual([]);
});
