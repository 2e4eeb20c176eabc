import { createKeyring } from '../../database/encryption/keyring.ts';
import { counted } from '../../database/measures/quantities.ts';
import { createPrepared } from '../../database/statements/statement.ts';
import { idsOf, missingKeys, type NeededKey, readStoredKeys } from '../../startup/stored-keys.ts';
import { type DatabaseCheck, fail, ok } from './finding.ts';

const ADVICE =
  'Give MASTER_KEYS, or DATA_DIR with its secrets.json, as they were: npm run admin -- keys master says where each key is in use. ' +
  'docs/keys.md says what is left where a key is gone for good.';

/** Whether the master keys open what stands in the database, and hold the heads of the audit: as each start looks. */
export const KEY_CHECK: DatabaseCheck = {
  name: 'keys',
  async look({ config: { MASTER_KEYS: keys, LOST_MASTER_KEY_IDS: lost }, database }) {
    const stored = await readStoredKeys(createPrepared(database.pool));
    if (keys.length === 0)
      return idsOf(stored).length === 0 ? ok('no keys are needed yet') : fail(`all keys are missing: ${idsOf(stored).join(', ')}`, ADVICE);
    const needed = missingKeys(createKeyring(keys), stored, { seals: true });
    const named = (flaw: NeededKey['flaw']) =>
      needed.filter((one) => one.flaw === flaw && (flaw === 'other' || !lost.includes(one.keyId))).map(({ keyId }) => keyId);
    const [missing, other] = [named('missing'), named('other')];
    if (missing.length > 0) return fail(`keys of stored values or of the audit are missing: ${missing.join(', ')}`, ADVICE);
    if (other.length > 0) return fail(`stored values were encrypted with other keys of the same ids: ${other.join(', ')}`, ADVICE);
    return ok(`${counted(keys.length, 'master key opens', 'master keys open')} what stands; "${keys[0]?.id}" makes new values`);
  },
};
