import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { MasterKey } from '../../src/config/master-keys.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { operator } from '../../src/domain/caller.ts';
import { ensureSigningKey, liveSigningKeys, rotateSigningKey } from '../../src/domain/identity/signing-keys.ts';
import { setSsn } from '../../src/domain/patients/record/ssn.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { openKeys, refuseForeignKeys } from '../../src/startup/open-keys.ts';
import { sealUntil, writeEntries } from '../cross-cutting/chains.ts';
import { createTestDatabase } from '../support/app.ts';
import { createEmptyDatabase, databaseUrls } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { isUpkeep } from '../support/upkeep.ts';

const newKey = (id: string): MasterKey => ({ id, key: randomBytes(32) });
const [A, B] = [newKey('a'), newKey('b')];
const FOREIGN = /^MASTER_KEYS are not those of this database: /;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'open-keys-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A database with a number, a signing key or seals under some keys. */
async function newDatabase(...fill: readonly ['ssn' | 'signing' | 'seals', ...MasterKey[]][]) {
  const url = await createTestDatabase();
  const database = openDatabase({ url, poolSize: 2 });
  onTestFinished(() => database.close());
  const db = database.prisma;
  const { id: organizationId } = await createOrganization(db);
  for (const [what, ...keys] of fill) {
    const keyring = createKeyring(keys);
    if (what === 'signing') await db.$transaction((tx) => ensureSigningKey(tx, keyring));
    if (what === 'ssn') {
      const { id } = await createPatient(db, { organizationId });
      await createUnitOfWork(database).write(operator(organizationId, 'test'), (tx) => setSsn(tx, keyring, id, '219093001'));
    }
    if (what === 'seals') {
      await writeEntries(database, organizationId, 1);
      await sealUntil(database, organizationId, await db.auditEntry.count({ where: { organizationId } }), keyring);
    }
  }
  const open = (...keys: MasterKey[]) => openKeys(databaseUrls(url), { MASTER_KEYS: keys, LOST_MASTER_KEY_IDS: [], DATA_DIR: folder });
  return { url, db, open, organizationId };
}

describe('the keys of a start', () => {
  it('open what stands in the database', async () => {
    const { open } = await newDatabase(['signing', A], ['ssn', B, A], ['seals', A]);
    expect((await open(A, B)).ids).toEqual(['a', 'b']);
    expect((await open(B, A)).currentId).toBe('b');
  });

  it('are refused where one is missing, with its id, what needs it and where keys come from', async () => {
    const { open } = await newDatabase(['signing', A], ['ssn', B, A]);
    await expect(open(A)).rejects.toThrow(
      `MASTER_KEYS are not those of this database: the key "b" is needed (patient.ssn_encrypted) but missing. They are from the variable MASTER_KEYS, else from ${folder}/secrets.json.`,
    );
    await expect(open(newKey('c'))).rejects.toThrow(/"a" is needed \(signing_key\.private_pem\).*"b" is needed/);
  });

  it.each<readonly [string, 'ssn' | 'signing' | 'seals']>([
    ['nothing but seals', 'seals'],
    ...(isUpkeep
      ? ([
          ['a signing key', 'signing'],
          ['a number', 'ssn'],
        ] as const)
      : []),
  ])('are refused where one is another key of the same id, and there is %s', async (_what, kind) => {
    const { open } = await newDatabase([kind, A]);
    await expect(open(newKey('a'))).rejects.toThrow(FOREIGN);
    await expect(open(newKey('a'))).rejects.toThrow(/the key "a" does not open .*: it is another key of that id/);
    expect((await open(A)).currentId).toBe('a');
  });

  it.runIf(isUpkeep)('are told by the signing keys, beside a value that a former start under other keys has left', async () => {
    const other = newKey('a');
    const { open } = await newDatabase(['signing', A], ['ssn', other]);
    expect((await open(A)).currentId).toBe('a');
    await expect(open(other)).rejects.toThrow(FOREIGN);
  });

  it.runIf(isUpkeep)('need no key that only old seals need', async () => {
    const { open } = await newDatabase(['seals', A], ['seals', B, A], ['signing', B]);
    // The list of the heads is still under the first one.
    await expect(open(B)).rejects.toThrow(/the key "a" is needed \(the audit\)/);
  });

  it('are whatever is given, where nothing stands: in a new database, and in an empty one', async () => {
    const { open } = await newDatabase();
    expect((await open(A)).currentId).toBe('a');
    const empty = databaseUrls(await createEmptyDatabase());
    expect((await openKeys(empty, { MASTER_KEYS: [A], LOST_MASTER_KEY_IDS: [], DATA_DIR: folder })).currentId).toBe('a');
  });
});

describe('without keys', () => {
  it('a start makes them once, where nothing stands in the database', async () => {
    const dataDir = await mkdtemp(join(folder, 'fresh-'));
    const { url } = await newDatabase();
    const start = () => openKeys(databaseUrls(url), { MASTER_KEYS: [], LOST_MASTER_KEY_IDS: [], DATA_DIR: dataDir });
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.mac('test', 'x')).toEqual(two.mac('test', 'x'));
    expect(await readdir(dataDir)).toEqual(['secrets.json']);
  });

  it.each(isUpkeep ? (['signing', 'seals', 'ssn'] as const) : (['ssn'] as const))(
    'a start beside a filled database (%s) is refused and makes none',
    async (kind) => {
      const dataDir = await mkdtemp(join(folder, 'lost-'));
      const { url, db } = await newDatabase([kind, A]);
      const before = await db.signingKey.count();
      await expect(openKeys(databaseUrls(url), { MASTER_KEYS: [], LOST_MASTER_KEY_IDS: [], DATA_DIR: dataDir })).rejects.toThrow(
        `${dataDir}/secrets.json is missing, and the database needs the key "a". Restore the file, or set MASTER_KEYS.`,
      );
      expect(await readdir(dataDir)).toEqual([]);
      expect(await db.signingKey.count()).toBe(before);
    },
  );

  it.runIf(isUpkeep)('a start takes those that another process has made since it read its configuration', async () => {
    const dataDir = await mkdtemp(join(folder, 'made-'));
    await writeFile(join(dataDir, 'secrets.json'), JSON.stringify({ MASTER_KEYS: `a:${A.key.toString('base64')}` }));
    const { url } = await newDatabase(['signing', A]);
    expect((await openKeys(databaseUrls(url), { MASTER_KEYS: [], LOST_MASTER_KEY_IDS: [], DATA_DIR: dataDir })).currentId).toBe('a');
  });
});

describe('a migration', () => {
  it.runIf(isUpkeep)('needs no keys beside a DATABASE_URL, and refuses those that are not the right ones', async () => {
    const { url } = await newDatabase(['signing', A]);
    const look = (keys: MasterKey[], own: string | undefined) =>
      refuseForeignKeys(databaseUrls(url), {
        MASTER_KEYS: keys,
        LOST_MASTER_KEY_IDS: [],
        DATA_DIR: folder,
        DATABASE_URL: own,
        DATABASE_OWNER_URL: undefined,
      });
    await look([], url);
    await look([A], url);
    await expect(look([B], url)).rejects.toThrow(FOREIGN);
    await expect(look([], undefined)).rejects.toThrow(/secrets\.json is missing/);
  });
});

describe('a key that is gone for good', () => {
  it.runIf(isUpkeep)('is named by the operator: the start does without its values, and the signing keys go on under another', async () => {
    const { url, db } = await newDatabase(['signing', A], ['ssn', A]);
    const start = (key: MasterKey, lost: string[]) =>
      openKeys(databaseUrls(url), { MASTER_KEYS: [key], LOST_MASTER_KEY_IDS: lost, DATA_DIR: folder });
    await expect(start(B, [])).rejects.toThrow(FOREIGN);
    await expect(start(B, ['b'])).rejects.toThrow(FOREIGN);
    const keyring = await start(B, ['a']);
    await db.$transaction((tx) => rotateSigningKey(tx, keyring, ['a']));
    expect((await liveSigningKeys(db, keyring))[0]?.privatePem).toMatch(/PRIVATE KEY/);
    // A key of the same id is another one, which would never be found out.
    await expect(start(newKey('a'), ['a'])).rejects.toThrow(FOREIGN);
  });
});

it.runIf(isUpkeep)('a new signing key is not made under foreign keys', async () => {
  const { db } = await newDatabase(['signing', A]);
  await expect(db.$transaction((tx) => rotateSigningKey(tx, createKeyring([newKey('a')])))).rejects.toThrow();
});
