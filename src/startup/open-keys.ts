import { join } from 'node:path';
import type { DatabaseConfig, KeyConfig } from '../config/config.ts';
import { type MasterKey, makeStoredKeys, readFolderKeys } from '../config/master-keys.ts';
import { StartError } from '../config/start-errors.ts';
import type { DatabaseUrls } from '../database/connections/runtime-role.ts';
import { createKeyring, type Keyring } from '../database/encryption/keyring.ts';
import { ownerVariable, requireGrant, withConnection } from '../database/migrations/migrate-on-start.ts';
import { createPrepared, type Prepared } from '../database/statements/statement.ts';
import { listKeyIds, missingKeys, type NeededKey, readStoredKeys, type StoredKeys } from './stored-keys.ts';

/**
 * Which flaws of the keys are refused: `all` that a server would meet; `others`, where a key is another one than what stands under
 * its id was made with: without a key that is gone, such a command still does what it can.
 */
export type RefusedKeys = 'all' | 'others';

/**
 * The master keys of a process, which open what stands in its database: checked before anything is written, on a database of any
 * version. Where none are given, they are those of DATA_DIR, or new ones where nothing stands in the database that would need others.
 * @throws StartError naming the keys that the database needs and where they come from
 */
export async function openKeys(urls: DatabaseUrls, config: KeyConfig): Promise<Keyring> {
  return onOwnConnection(urls, (prepared) => keysFor(prepared, config, 'all'));
}

/**
 * As openKeys, for a migration, which needs no keys: without any, only a database that has lost those of its folder is refused.
 * @throws StartError
 */
export async function refuseForeignKeys(urls: DatabaseUrls, config: DatabaseConfig & KeyConfig): Promise<void> {
  if (config.MASTER_KEYS.length === 0 && config.DATABASE_URL) return;
  await onOwnConnection(urls, async (prepared) => {
    const stored = await readStoredKeys(prepared);
    const keys = readMasterKeys(config);
    if (keys.length > 0 || listKeyIds(stored).length > 0) refuse(config, keys, stored, 'all');
  });
}

/** As openKeys, on connections that are open. @throws StartError */
export async function keysFor(prepared: Prepared, config: KeyConfig, refused: RefusedKeys): Promise<Keyring> {
  const stored = await readStoredKeys(prepared);
  // Read again after what is stored: another process that starts first makes the file before it stores anything.
  const known = readMasterKeys(config);
  const keys = known.length > 0 || listKeyIds(stored).length > 0 ? known : makeStoredKeys(config.DATA_DIR);
  const keyring = refuse(config, keys, stored, refused);
  // Backups are encrypted under the same ones.
  config.MASTER_KEYS = [...keys];
  return keyring;
}

const readMasterKeys = ({ MASTER_KEYS, DATA_DIR }: KeyConfig): MasterKey[] =>
  MASTER_KEYS.length > 0 ? MASTER_KEYS : readFolderKeys(DATA_DIR);

function refuse(config: KeyConfig, keys: readonly MasterKey[], stored: StoredKeys, refused: RefusedKeys): Keyring {
  if (keys.length === 0) {
    const file = join(config.DATA_DIR, 'secrets.json');
    throw new StartError(
      `MASTER_KEYS are not those of this database: ${file} is missing, and the database needs ${inWords(listKeyIds(stored))}. ` +
        'Restore the file, or set MASTER_KEYS. Nothing was written.',
    );
  }
  const keyring = createKeyring(keys, config.LOST_MASTER_KEY_IDS);
  const needed = missingKeys(keyring, stored, { seals: refused === 'all' });
  const flaws = needed.filter(({ keyId, flaw }) => flaw === 'other' || (refused === 'all' && !config.LOST_MASTER_KEY_IDS.includes(keyId)));
  if (flaws.length === 0) return keyring;
  throw new StartError(
    `MASTER_KEYS are not those of this database: ${flaws.map(sentence).join('; ')}. They are from the variable MASTER_KEYS, ` +
      `else from ${join(config.DATA_DIR, 'secrets.json')}. Nothing was written. If a key is lost, see docs/keys.md.`,
  );
}

const sentence = ({ keyId, flaw, places }: NeededKey): string =>
  flaw === 'missing'
    ? `the key "${keyId}" is needed (${places.join(', ')}) but missing`
    : `the key "${keyId}" does not open ${places.join(', ')}: it is another key of that id`;

const inWords = (ids: readonly string[]): string => `the ${ids.length === 1 ? 'key' : 'keys'} ${ids.map((id) => `"${id}"`).join(', ')}`;

const onOwnConnection = <T>(urls: DatabaseUrls, work: (prepared: Prepared) => Promise<T>): Promise<T> =>
  withConnection(urls.ownerUrl, ownerVariable(urls), (client) => requireGrant(() => work(createPrepared(client))));
