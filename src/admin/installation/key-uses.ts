import type { KeyNeed } from '../../backup/key-needs.ts';
import type { MasterKey } from '../../config/master-keys.ts';
import { countMasterKeyUses, type MasterKeyUse, retiredKeyNeed } from '../../database/encryption/key-uses.ts';
import { type CommandResult, list } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { type PlaceOfBackups, readPlaceOfBackups, writeKeptUntil } from './backup-keys.ts';

interface GivenKey {
  of: KeyNeed['from'];
  id: string;
  state: 'current' | 'old';
}

/** The keys that are given, and what needs keys: values in the database, and backups in a place, where one is known. */
interface KeyUses {
  given: GivenKey[];
  values: MasterKeyUse[];
  place: PlaceOfBackups | null;
}

async function readKeyUses(session: Session, backups?: string): Promise<KeyUses> {
  const { BACKUP_KEY = [], MASTER_KEYS } = session.config;
  return {
    given: [...keysIn('MASTER_KEYS', MASTER_KEYS), ...keysIn('BACKUP_KEY', BACKUP_KEY)],
    values: await countMasterKeyUses(session.db),
    place: await readPlaceOfBackups(session, backups),
  };
}

const keysIn = (of: GivenKey['of'], keys: readonly MasterKey[]): GivenKey[] =>
  keys.map(({ id }, index) => ({ of, id, state: index === 0 ? 'current' : 'old' }));

/** @param options `backups`: another place than BACKUP_TO */
export async function showKeyUses(session: Session, { backups }: { backups?: string }): Promise<CommandResult> {
  const uses = await readKeyUses(session, backups);
  const rows = toRows(uses);
  const gone = [...new Set(rows.filter(({ state, table }) => state === 'missing' && table !== BACKUPS).map(({ key }) => key))];
  const missing = gone.filter((id) => retiredKeyNeed(id, uses.values) === 'values');
  const remarks = [
    ...oldKeySentences(uses),
    ...gone
      .filter((id) => !missing.includes(id))
      .map((id) => `The key "${id}" is missing; audit entries that it sealed cannot be verified.`),
  ];
  const problems = [
    ...(missing.length > 0 ? [`MASTER_KEYS lacks keys that are still needed: ${missing.join(', ')}.`] : []),
    ...missingForBackups(uses),
  ];
  return { ...list(rows, ''), ...joinRemarks(remarks), ...(problems.length > 0 ? { problem: problems.join('\n') } : {}) };
}

/** Sentences about each key that makes no new values: what needs it. */
export const remarkOnOldKeys = async (session: Session): Promise<Pick<CommandResult, 'remark'>> =>
  joinRemarks(oldKeySentences(await readKeyUses(session)));

const joinRemarks = (sentences: readonly string[]): Pick<CommandResult, 'remark'> =>
  sentences.length === 0 ? {} : { remark: sentences.join('\n') };

/** In place of a table. */
const BACKUPS = 'backups';

function toRows({ given, values, place }: KeyUses) {
  const find = (of: GivenKey['of'], id: string) => given.find((one) => one.of === of && one.id === id);
  const toRow = (of: GivenKey['of'], key: string, use: { table: string | null; column: string | null; rows: number }) => ({
    key,
    of,
    state: find(of, key)?.state ?? 'missing',
    table: use.table,
    column: use.column,
    rows: use.rows,
  });
  const used = [
    ...values.map((use) => toRow('MASTER_KEYS', use.keyId, use)),
    ...(place?.needs ?? []).map(({ from, keyId, backups }) => toRow(from, keyId, { table: BACKUPS, column: null, rows: backups })),
  ];
  const unused = given.filter(({ of, id }) => !used.some((one) => one.of === of && one.key === id));
  return [...used, ...unused.map(({ of, id }) => toRow(of, id, { table: null, column: null, rows: 0 }))];
}

const NEEDS = {
  values: 'is still needed to decrypt values; to encrypt them again: npm run admin -- keys renew',
  audit: 'is needed to verify the audit entries that it sealed',
};

const ELSEWHERE = 'To check a place of backups: npm run admin -- keys master --backups <folder|s3://bucket/prefix>';

const oldKeySentences = ({ given, values, place }: KeyUses): string[] =>
  given
    .filter(({ state }) => state === 'old')
    .flatMap(({ of, id }) => {
      const inDatabase = of === 'MASTER_KEYS' ? retiredKeyNeed(id, values) : 'nothing';
      const sentences = inDatabase === 'nothing' ? [] : [`The old key "${id}" ${NEEDS[inDatabase]}.`];
      if (place === null || place.backups.length === 0)
        return [...sentences, `No backups were found that might need the old key "${id}". ${ELSEWHERE}`];
      const need = place.needs.find(({ from, keyId }) => from === of && keyId === id);
      if (need !== undefined)
        return [...sentences, `The old key "${id}" of ${of} is needed by ${writeBackups(need, place)}: keep it ${writeKeptUntil(need)}.`];
      if (sentences.length > 0) return sentences;
      return `Neither the database nor a backup in ${place.target} needs the old key "${id}": remove it from ${of}. Keep it with older backups elsewhere.`;
    });

const missingForBackups = ({ given, place }: KeyUses): string[] =>
  (place?.needs ?? [])
    .filter(({ from, keyId }) => !given.some(({ of, id }) => of === from && id === keyId))
    .map(
      (need) =>
        `The key "${need.keyId}" is needed by ${writeBackups(need, place)}: add it to ${need.from}, and keep it ${writeKeptUntil(need)}.`,
    );

const writeBackups = ({ backups }: KeyNeed, place: PlaceOfBackups | null): string =>
  `${backups} of ${place?.backups.length} backups in ${place?.target}`;
