import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { seedDemo } from '../../prisma/seed/demo.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { operator } from '../../src/domain/caller.ts';
import { portalStatus } from '../../src/domain/patients/record/portal-status.ts';
import { findPatientsBySsn, readSsn, revealGuarantorSsn, revealSsn } from '../../src/domain/patients/record/ssn.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import type { Patient } from '../../src/generated/prisma/client.ts';
import { admin } from '../admin/command-line.ts';
import { createTestDatabase } from '../support/app.ts';
import { forTests } from '../support/sent-statements.ts';

const key = createHash('sha256').update('demo').digest();
const keyring = createKeyring([{ id: 'demo', key }]);

let url: string;
let database: Database;
let practices: number[];
let patients: Patient[];
beforeAll(async () => {
  url = await createTestDatabase();
  database = openDatabase({ url, poolSize: 2, statementTimeout: 60_000 });
  let made = 0;
  const randomSecret = () => {
    made += 1;
    return `secret-${made}`;
  };
  const seeded = await seedDemo(database.prisma, { now: new Date(), keyring, hash: async (secret) => `hash of ${secret}`, randomSecret });
  practices = seeded.map(({ practiceid }) => practiceid);
  database = { ...database, prisma: forTests(database.prisma) };
  patients = await database.prisma.patient.findMany({ orderBy: { id: 'asc' } });
}, 120_000);
afterAll(() => database.close());

it('about sixty in a hundred demo patients have a number that opens, shows its last four and is nobody else’s', () => {
  for (const practice of practices) {
    const charts = patients.filter(({ organizationId, enterpriseId }) => organizationId === practice && enterpriseId === null);
    const numbers = charts.flatMap(({ id, ssnEncrypted, ssnLastFour }) => (ssnEncrypted ? [{ id, ssnEncrypted, ssnLastFour }] : []));
    expect(numbers.length / charts.length).toBeGreaterThan(0.5);
    expect(numbers.length / charts.length).toBeLessThan(0.7);
    const opened = numbers.map(({ id, ssnEncrypted }) => revealSsn(keyring, { organizationId: practice, row: id }, ssnEncrypted));
    expect(opened.map((ssn) => ssn.slice(-4))).toEqual(numbers.map(({ ssnLastFour }) => ssnLastFour));
    expect(opened.filter((ssn) => readSsn(ssn) === null || !ssn.startsWith('899'))).toEqual([]);
    expect(new Set(opened).size).toBe(opened.length);
  }
});

it('a demo patient is found by the number', async () => {
  const one = patients.find(({ ssnEncrypted, status, enterpriseId }) => ssnEncrypted && status === 'active' && enterpriseId === null);
  const ssn = revealSsn(keyring, { organizationId: one?.organizationId ?? 0, row: one?.id ?? 0 }, one?.ssnEncrypted ?? '');
  const found = await createUnitOfWork(database).read(operator(one?.organizationId ?? 0, 'test'), (tx) =>
    findPatientsBySsn(tx, keyring, ssn),
  );
  expect(found.map(({ id }) => id)).toContain(one?.id);
});

it('each demo practice shows guarantors with a number, and addresses that were taken away', () => {
  for (const practice of practices) {
    const charts = patients.filter(({ organizationId }) => organizationId === practice);
    const payers = charts.flatMap(({ id: row, guarantorSsnEncrypted, guarantorSsnLastFour }) =>
      guarantorSsnEncrypted
        ? [{ ssn: revealGuarantorSsn(keyring, { organizationId: practice, row }, guarantorSsnEncrypted), guarantorSsnLastFour }]
        : [],
    );
    expect(payers.length).toBeGreaterThan(10);
    expect(payers.every(({ ssn, guarantorSsnLastFour }) => ssn.slice(-4) === guarantorSsnLastFour)).toBe(true);
    expect(charts.filter(({ email, lastEmail }) => email === null && lastEmail !== null).length).toBeGreaterThan(3);
    expect(charts.filter(({ email, lastEmail }) => email !== null && lastEmail !== null)).toEqual([]);
  }
});

it('each demo practice has a family at one address, whose mother pays', () => {
  for (const practice of practices) {
    const twins = patients.filter(
      ({ organizationId, birthDate }) => organizationId === practice && birthDate?.getTime() === Date.UTC(2017, 4, 23),
    );
    const mother = patients.find(
      ({ organizationId, firstName, lastName }) =>
        organizationId === practice && firstName === twins[0]?.guarantorFirstName && lastName === twins[0]?.lastName,
    );
    expect(twins).toHaveLength(2);
    for (const one of twins) {
      expect([one.address1, one.zip]).toEqual([mother?.address1, mother?.zip]);
      expect(one).toMatchObject({ guarantorAddressSameAsPatient: true, guarantorAddress1: null, guarantorBirthDate: mother?.birthDate });
    }
  }
});

it('each demo practice has a restricted chart with an upcoming appointment, and with a text', async () => {
  for (const organizationId of practices) {
    const where = { organizationId, patient: { restricted: true } };
    expect(await database.prisma.appointment.count({ where: { ...where, startsAt: { gt: new Date() } } })).toBeGreaterThan(0);
    expect(await database.prisma.smsMessage.count({ where })).toBeGreaterThan(0);
  }
});

it('each demo practice has all six portal states, every kind of restriction, and what else no API writes', async () => {
  for (const organizationId of practices) {
    const charts = await database.prisma.patient.findMany({
      where: { organizationId, enterpriseId: null },
      include: { portalAccounts: true, restrictions: true },
    });
    const states = charts.map(({ portalAccounts, restrictions }) => {
      const findAccount = (holder: string) => portalAccounts.find((account) => account.holder === holder) ?? null;
      const noPortal = restrictions.some(({ kind, liftedAt }) => kind === 'portal' && liftedAt === null);
      return portalStatus({ own: findAccount('PATIENT'), family: findAccount('FAMILY'), noPortal, timeZone: 'UTC' }).status;
    });
    expect(new Set(states)).toEqual(
      new Set(['REGISTERED', 'NOTREGISTERED', 'FAMILYLOGIN', 'NOPORTAL', 'BLOCKEDFAILEDLOGINS', 'FAMILYBLOCKEDFAILEDLOGINS']),
    );
    const kinds = charts.flatMap(({ restrictions }) => restrictions.filter(({ liftedAt }) => liftedAt === null).map(({ kind }) => kind));
    expect(new Set(kinds)).toEqual(new Set(['record', 'blocked', 'portal']));
    const where = { where: { organizationId } };
    const { prisma } = database;
    const counts = await Promise.all([
      prisma.insurance.count(where),
      prisma.balance.count(where),
      prisma.balanceContract.count(where),
      prisma.claim.count(where),
      prisma.patientCustomField.count(where),
      prisma.employer.count(where),
      prisma.privacyItem.count(where),
      prisma.providerGroup.count(where),
      prisma.patientNameKey.count(where),
    ]);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  }
});

it('the enterprise practice has patients with copies in two provider groups, each named by its local id', async () => {
  const [enterprise] = await database.prisma.organization.findMany({ where: { isEnterprise: true } });
  const copies = patients.filter(({ enterpriseId }) => enterpriseId !== null);
  expect(copies.length).toBeGreaterThan(10);
  expect(new Set(copies.map(({ organizationId }) => organizationId))).toEqual(new Set([enterprise?.id]));
  for (const { id, enterpriseId, organizationId, primaryOfficeId } of copies) {
    const registration = await database.prisma.patientRegistration.findFirst({
      where: { organizationId, patientId: enterpriseId ?? 0, officeId: primaryOfficeId ?? 0 },
    });
    expect(registration?.localPatientId).toBe(id);
  }
});

it('departmental copies have insurances, balances, claims and custom fields of their own', async () => {
  const ids = patients.filter(({ enterpriseId }) => enterpriseId !== null).map(({ id }) => id);
  const where = { where: { patientId: { in: ids } } };
  const { prisma } = database;
  const counts = await Promise.all([
    prisma.insurance.count(where),
    prisma.balance.count(where),
    prisma.claim.count(where),
    prisma.patientCustomField.count(where),
    prisma.privacyItem.count(where),
  ]);
  expect(Math.min(...counts)).toBeGreaterThan(5);
  const balances = await prisma.balance.findMany(where);
  for (const { patientId, providerGroupId } of balances) {
    const copy = patients.find(({ id }) => id === patientId);
    const office = await prisma.office.findFirst({ where: { id: copy?.primaryOfficeId ?? 0 } });
    expect(providerGroupId).toBe(office?.providerGroupId);
  }
});

it('a demo practice is as its file says, and its export changes nothing either', async () => {
  const env = { NODE_ENV: 'test', DATABASE_URL: url, MASTER_KEYS: `demo:${key.toString('base64')}`, TRIPTYCH_OPERATOR: 'tester' };
  const folder = await mkdtemp(join(tmpdir(), 'demo-practices-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = ['hudson', 'pacific'].map((name) => ({ name, source: `prisma/seed/${name}.yaml`, exported: join(folder, `${name}.yaml`) }));
  for (const { name, exported } of files) await writeFile(exported, (await admin(env, ['export-practice', '--practice', name])).out);
  const Plans = z.object({ practices: z.array(z.object({ practice_id: z.int(), plan: z.array(z.unknown()) })) });
  for (const which of ['source', 'exported'] as const) {
    const said = await admin(env, ['apply', ...files.map((file) => file[which]), '--plan', '--json']);
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(Plans.parse(JSON.parse(said.out)).practices).toEqual(practices.map((id) => ({ practice_id: id, plan: [] })));
  }
});
