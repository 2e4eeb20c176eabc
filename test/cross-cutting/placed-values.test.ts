import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { ENCRYPTED_COLUMNS, nameOfColumn } from '../../src/database/encryption/encrypted-columns.ts';
import { createKeyring, KeyringError } from '../../src/database/encryption/keyring.ts';
import { revealGuarantorSsn, revealSsn, sealSsn } from '../../src/domain/patients/record/ssn.ts';
import { createTestDatabase } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';

const KEY = { id: 'a', key: Buffer.alloc(32, 1) };
const keyring = createKeyring([KEY]);

let url: string;
let database: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  database = openDatabase({ url, poolSize: 4 });
});
afterAll(() => database.close());

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
