import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { revealGuarantorSsn, revealSsn, sealGuarantorSsn, sealSsn } from '../../src/domain/patients/record/ssn.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { isUpkeep } from '../support/upkeep.ts';
import { admin, toEnvironment, withForeignKey } from './command-line.ts';

const NEXT = { id: 'next', key: randomBytes(32) };
const Renewed = z.array(z.object({ column: z.string(), renewed: z.int(), changed_meanwhile: z.int(), unreadable: z.int() }));

let test: TestApp;
let env: { old: Record<string, string>; both: Record<string, string>; next: Record<string, string> };
let organizationId: number;
let patients: number[];
beforeEach(async () => {
  // Of each test its own database, since renewing concerns all of it.
  test = await startTestApp();
  const old = toEnvironment(test);
  const next = `${NEXT.id}:${NEXT.key.toString('base64')}`;
  env = { old, both: { ...old, MASTER_KEYS: `${next},${old.MASTER_KEYS}` }, next: { ...old, MASTER_KEYS: next } };
  await test.http.get('/.well-known/jwks.json').expect(200);
  organizationId = (await createOrganization(test.database.prisma)).id;
  patients = [];
  for (const serial of ['3001', '3002', '3003']) {
    const { id } = await createPatient(test.database.prisma, { organizationId });
    patients.push(id);
    await storeNumber(id, sealSsn, `21909${serial}`, 'ssn');
  }
  await storeNumber(patients[0] ?? 0, sealGuarantorSsn, '219094001', 'guarantorSsn');
});

afterEach(() => test.close());

async function storeNumber(id: number, seal: typeof sealSsn, number: string, field: 'ssn' | 'guarantorSsn'): Promise<void> {
  const { encrypted, hash, lastFour } = seal(test.keyring, { organizationId, row: id }, number);
  const data = { [`${field}Encrypted`]: encrypted, [`${field}LastFour`]: lastFour, ...(field === 'ssn' ? { ssnHash: hash } : {}) };
  await test.database.prisma.patient.updateMany({ where: { organizationId, id }, data });
}

const find = async (keys: Record<string, string>, number: string) =>
  (await admin(keys, ['patients', 'find-by-ssn', '--practice', String(organizationId)], number)).out;

describe('keys renew', () => {
  it('makes the old key needless: all opens and is found without it', async () => {
    expect((await admin(env.both, ['keys', 'master'])).out).toContain('The old key "test" is still needed to decrypt values');
    const said = await admin(env.both, ['keys', 'renew', '--json']);
    const rows = Renewed.parse(JSON.parse(said.out));
    expect(said.code).toBe(0);
    expect(rows.every(({ unreadable, changed_meanwhile }) => unreadable === 0 && changed_meanwhile === 0)).toBe(true);
    expect(rows.find(({ column }) => column === 'patient.ssn_encrypted')?.renewed).toBeGreaterThanOrEqual(3);
    expect((await admin(env.next, ['keys', 'master'])).code).toBe(0);
    expect((await admin(env.both, ['keys', 'master'])).out).not.toContain('is still needed to decrypt values');
    expect(await find(env.next, '219093002')).toContain(String(patients[1]));
    const chart = await test.database.prisma.patient.findUniqueOrThrow({
      where: { organizationId_id: { organizationId, id: patients[0] ?? 0 } },
    });
    const alone = createKeyring([NEXT]);
    const of = { organizationId, row: chart.id };
    expect(revealSsn(alone, of, chart.ssnEncrypted ?? '')).toBe('219093001');
    expect(revealGuarantorSsn(alone, of, chart.guarantorSsnEncrypted ?? '')).toBe('219094001');
  });

  it.runIf(isUpkeep)('tells how far it is, and neither a number nor a value', async () => {
    const said = await admin(env.both, ['keys', 'renew', '--batch', '2']);
    expect(said.err).toContain(`patient.ssn_encrypted: `);
    expect(said.err).toContain(`at practice ${organizationId}`);
    expect(said.out + said.err).not.toMatch(/2190930|3001|4001/);
  });

  it.runIf(isUpkeep)('says that some values do not open, leaves them, and exits with 1', async () => {
    const where = { organizationId, id: patients[2] ?? 0 };
    const gone = sealSsn(createKeyring([{ id: 'gone', key: randomBytes(32) }]), { organizationId, row: where.id }, '219095001');
    await test.database.prisma.patient.updateMany({ where, data: { ssnEncrypted: gone.encrypted } });
    const said = await admin(env.old, ['keys', 'renew', '--json']);
    expect(said.code).toBe(1);
    expect(said.err).toContain('1 values cannot be decrypted with MASTER_KEYS and were left unchanged.');
  });

  it('refuses keys that are not those of the server, and writes nothing', async () => {
    const before = await test.database.prisma.patient.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    for (const line of [
      ['keys', 'renew'],
      ['patients', 'find-by-ssn', '--practice', String(organizationId)],
    ]) {
      const said = await admin(withForeignKey(env.old, 'test'), line, '219093001');
      expect(said).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^MASTER_KEYS are not those of this database/) });
    }
    expect(await test.database.prisma.patient.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).toEqual(before);
  });
});

describe('keys master', () => {
  it.runIf(isUpkeep)('says of an old key that nothing in the database names that backups may need it', async () => {
    const both = { ...env.old, MASTER_KEYS: `${env.old.MASTER_KEYS},${env.next.MASTER_KEYS}` };
    const said = await admin(both, ['keys', 'master']);
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('No backups were found that might need the old key "next". To check a place of backups');
  });
});
