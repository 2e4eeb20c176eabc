import { KeyringError } from '../../database/keyring.ts';
import { requireMasterKeys } from '../session.ts';
import { type DatabaseCheck, fail, ok } from './finding.ts';

const ADVICE =
  'Give MASTER_KEYS, or DATA_DIR with its secrets.json, as they were: npm run admin -- keys master says where each key is in use.';

/** Whether the master keys open the keys that sign tokens, and hold the heads of the audit. */
export const KEY_CHECK: DatabaseCheck = {
  name: 'keys',
  async look(session) {
    const { db, keyring } = session;
    const heads = await db.auditHead.findMany({ distinct: ['keyId'], select: { keyId: true } });
    const missing = heads.map(({ keyId }) => keyId).filter((id) => !keyring.ids.includes(id));
    if (missing.length > 0) return fail(`the audit is sealed under keys that are missing: ${missing.join(', ')}`, ADVICE);
    try {
      await requireMasterKeys(session);
    } catch (error) {
      if (!(error instanceof KeyringError)) throw error;
      return fail('the master keys do not open the keys that sign tokens', ADVICE);
    }
    return ok(`${keyring.ids.length} master keys open what stands; "${keyring.currentId}" makes new values`);
  },
};
