import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { decryptIn, ENCRYPTED, ENCRYPTED_COLUMNS, nameOfColumn } from '../../src/database/encrypted-columns.ts';
import { createKeyring, KeyringError } from '../../src/database/keyring.ts';
import { placeEncryptedValues } from '../../src/database/place-values.ts';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { revealGuarantorSsn, revealSsn, sealSsn } from '../../src/domain/patients/ssn.ts';
import { createTestDatabase } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { unplaced } from '../support/unplaced.ts';

const KEY = { id: 'a', key: Buffer.alloc(32, 1) };
const keyring = createKeyring([KEY]);

let url: string;
let database: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  database = openDatabase({ url, poolSize: 4 });
});
afterAll(() => database.close());

const place = () => placeEncryptedValues(url, keyring, () => {});
/** Lists columns as the migration does that found values in them. */
const list = (...columns: string[][]) =>
  runAsOwner(url, `INSERT INTO unplaced_column VALUES ${columns.map(([table, column]) => `('${table}', '${column}')`).join(', ')}`);

async function patientOf(organizationId: number, data: object = {}) {
  const { id } = await createPatient(database.prisma, { organizationId, ...data });
  return id;
}
const chart = (organizationId: number, id: number) =>
  database.prisma.patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });

describe('values from before they had a place', () => {
  it('are encrypted for their rows at the next start, once, also by two processes at once', async () => {
    const { id: organizationId } = await createOrganization(database.prisma);
    const ids: number[] = [];
    for (const ssn of ['219090001', '219090002'])
      ids.push(
        await patientOf(organizationId, { ssnEncrypted: unplaced(KEY, 'ssn', ssn), guarantorSsnEncrypted: unplaced(KEY, 'ssn', ssn) }),
      );
    const sealed = unplaced(KEY, 'message-secrets', JSON.stringify({ url: 'https://clinic.example/c/1.abc' }));
    const common = { organizationId, body: 'Open {{url}}', state: 'queued', sealed } as const;
    const text = await database.prisma.smsMessage.create({ data: { ...common, direction: 'outbound', toNumber: '+19105550123' } });
    await database.prisma.signingKey.create({ data: { id: 'k', publicPem: 'p', privatePem: unplaced(KEY, 'signing-key', 'secret') } });
    await list(
      ['patient', 'ssn_encrypted'],
      ['patient', 'guarantor_ssn_encrypted'],
      ['sms_message', 'sealed'],
      ['signing_key', 'private_pem'],
    );
    await Promise.all([place(), place()]);
    for (const [index, row] of ids.entries()) {
      const { ssnEncrypted, guarantorSsnEncrypted } = await chart(organizationId, row);
      expect(revealSsn(keyring, { organizationId, row }, ssnEncrypted ?? '')).toBe(`21909000${index + 1}`);
      expect(revealGuarantorSsn(keyring, { organizationId, row }, guarantorSsnEncrypted ?? '')).toBe(`21909000${index + 1}`);
    }
    const kept = await database.prisma.smsMessage.findFirstOrThrow({ where: { organizationId, id: text.id } });
    expect(fillSealedPlaceholders(keyring, 'text', kept)).toBe('Open https://clinic.example/c/1.abc');
    const key = await database.prisma.signingKey.findUniqueOrThrow({ where: { id: 'k' } });
    expect(decryptIn(keyring, ENCRYPTED.signingKey, { organizationId: null, row: 'k' }, key.privatePem)).toBe('secret');
    expect(await database.prisma.unplacedColumn.count()).toBe(0);
  });

  it('are refused afterwards, and the server cannot list their column again', async () => {
    const { id: organizationId } = await createOrganization(database.prisma);
    const row = await patientOf(organizationId, { ssnEncrypted: unplaced(KEY, 'ssn', '219090003') });
    await place();
    const { ssnEncrypted } = await chart(organizationId, row);
    expect(() => revealSsn(keyring, { organizationId, row }, ssnEncrypted ?? '')).toThrow(KeyringError);
    await expect(database.pool.query(`INSERT INTO unplaced_column VALUES ('patient', 'ssn_encrypted')`)).rejects.toThrow(
      'permission denied',
    );
  });

  it('stay as they are where their master key is gone, and their column stays on the list', async () => {
    const { id: organizationId } = await createOrganization(database.prisma);
    const foreign = unplaced({ id: 'gone', key: Buffer.alloc(32, 9) }, 'ssn', '219090004');
    const row = await patientOf(organizationId, { guarantorSsnEncrypted: foreign });
    await list(['patient', 'guarantor_ssn_encrypted']);
    const said: string[] = [];
    await placeEncryptedValues(url, keyring, (sentence) => void said.push(sentence));
    expect(said.at(-1)).toBe('leaving 1 values of patient.guarantor_ssn_encrypted, which no master key opens');
    expect((await chart(organizationId, row)).guarantorSsnEncrypted).toBe(foreign);
    expect(await database.prisma.unplacedColumn.count()).toBe(1);
  });
});

it('a number does not open in another chart, in the guarantor’s column or in another practice', async () => {
  const { id: organizationId } = await createOrganization(database.prisma);
  const { id: other } = await createOrganization(database.prisma);
  const value = sealSsn(keyring, { organizationId, row: 12 }, '219090005').encrypted;
  expect(revealSsn(keyring, { organizationId, row: 12 }, value)).toBe('219090005');
  expect(() => revealSsn(keyring, { organizationId, row: 13 }, value)).toThrow(KeyringError);
  expect(() => revealSsn(keyring, { organizationId: other, row: 12 }, value)).toThrow(KeyringError);
  expect(() => revealGuarantorSsn(keyring, { organizationId, row: 12 }, value)).toThrow(KeyringError);
});

it('every column that the schema calls encrypted is in the one table of them', async () => {
  const found: string[] = [];
  for (const file of await readdir('prisma/schema')) {
    const text = await readFile(`prisma/schema/${file}`, 'utf8');
    for (const [model = ''] of text.matchAll(/^model [\s\S]*?^}/gm)) {
      const [, table] = /@@map\("(\w+)"\)/.exec(model) ?? [];
      for (const line of model.split('\n').filter((one) => /\/\/.*\bencrypted\b/.test(one)))
        found.push(`${table}.${/@map\("(\w+)"\)/.exec(line)?.[1] ?? line.trim().split(/\s/)[0]}`);
    }
  }
  const named = ENCRYPTED_COLUMNS.map(nameOfColumn);
  // Their names say it.
  expect([...new Set([...found, 'patient.ssn_encrypted', 'patient.guarantor_ssn_encrypted'])].sort()).toEqual(named.sort());
});
