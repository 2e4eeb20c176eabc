import type { Config } from '../../config/config.ts';
import { StartError } from '../../config/start-errors.ts';
import { createKeyring } from '../../database/encryption/keyring.ts';
import { writeQuantity } from '../../database/measures/quantities.ts';
import { listProcessesLacking } from '../../database/running-processes.ts';
import { createPrepared } from '../../database/statements/statement.ts';
import { listKeyIds, missingKeys, type NeededKey, readStoredKeys } from '../../startup/stored-keys.ts';
import { type DatabaseCheck, fail, ok, type Result, warn } from './finding.ts';

const ADVICE =
  'Restore MASTER_KEYS, or DATA_DIR with its secrets.json: npm run admin -- keys master shows where each key is used. ' +
  'docs/keys.md describes what remains when a key is lost.';

/**
 * Checks, as every start does, that the master keys decrypt the values in the database and hold the heads of the audit; and that all running
 * processes have those keys and the current one.
 */
export const KEY_CHECK: DatabaseCheck = {
  name: 'keys',
  async look({ config: { MASTER_KEYS: keys, LOST_MASTER_KEY_IDS: lost }, database }) {
    const stored = await readStoredKeys(createPrepared(database.pool));
    if (keys.length === 0)
      return listKeyIds(stored).length === 0
        ? ok('no keys are needed yet')
        : fail(`all keys are missing: ${listKeyIds(stored).join(', ')}`, ADVICE);
    const needed = missingKeys(createKeyring(keys), stored, { seals: true });
    const listNeededKeyIds = (flaw: NeededKey['flaw']) =>
      needed.filter((one) => one.flaw === flaw && (flaw === 'other' || !lost.includes(one.keyId))).map(({ keyId }) => keyId);
    const [missing, other] = [listNeededKeyIds('missing'), listNeededKeyIds('other')];
    if (missing.length > 0) return fail(`keys of stored values or of the audit are missing: ${missing.join(', ')}`, ADVICE);
    if (other.length > 0) return fail(`stored values were encrypted with other keys of the same ids: ${other.join(', ')}`, ADVICE);
    const [current] = keys.map(({ id }) => id);
    const used = listKeyIds(stored).filter((id) => keys.some((key) => key.id === id));
    const lacking = await listProcessesLacking(database.pool, [...new Set([...used, ...(current === undefined ? [] : [current])])]);
    if (lacking.length > 0) {
      const found = lacking.map(({ name, lacks }) => `${name} lacks ${lacks.map((id) => `"${id}"`).join(', ')}`).join('; ');
      const isUsed = lacking.some(({ lacks }) => lacks.some((id) => used.includes(id)));
      return (isUsed ? fail : warn)(found, 'Add the keys to MASTER_KEYS of these processes, and restart them: docs/keys.md.');
    }
    return ok(`${writeQuantity(keys.length, 'master key opens', 'master keys open')} the stored values; "${keys[0]?.id}" makes new values`);
  },
};

interface Read {
  /** Null where it is not right. */
  config: Config | null;
  result: Result;
}

/** @param read reads the environment */
export function configurationResult(read: () => Config): Read {
  try {
    const config = read();
    return { config, result: checkSettings(config) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const advice = 'Correct the variables: docs/environment.md.';
    return { config: null, result: fail(error.message.replaceAll('\n', '; '), advice) };
  }
}

/** Settings that a server runs without, and a clinic should not. */
function checkSettings({ NODE_ENV, AUDIT_ANCHOR, METRICS_TOKEN, METRICS_PORT }: Config): Result {
  if (NODE_ENV !== 'production') return ok(`NODE_ENV is ${NODE_ENV}`);
  const sentences: string[] = [];
  if (AUDIT_ANCHOR === undefined) sentences.push('AUDIT_ANCHOR is not set: nothing outside of the database proves what the audit was');
  if (METRICS_TOKEN === undefined && METRICS_PORT === undefined)
    sentences.push('neither METRICS_TOKEN nor METRICS_PORT is set: the server cannot be monitored');
  if (sentences.length === 0) return ok('NODE_ENV is production');
  return warn(sentences.join('; '), 'Set them: docs/environment.md.');
}
