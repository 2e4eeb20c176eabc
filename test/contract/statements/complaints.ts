import pg from 'pg';
import type { SentStatement } from '../../support/sent-statements.ts';
import { readStatements } from './faults.ts';
import { LOOKUPS, ON_EVERY_NODE } from './found-by-address.ts';

/** The tables and views with rows of practices, but for those that would stand on every node. */
export async function practiceTables(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')`,
  );
  return new Set(rows.map(({ name }) => name).filter((name) => !(name in ON_EVERY_NODE)));
}

/** What is wrong with the statements; nothing where each keeps the rules of its kind. */
export async function listComplaints(statements: readonly SentStatement[], tables: ReadonlySet<string>): Promise<string[]> {
  const complaints = await Promise.all(
    statements.map(async ({ name, text }) => {
      const faults = await faultsIn(text, tables);
      return faults.length === 0 ? [] : [`${name}: ${faults.join('; ')}\n    ${text.trim().replace(/\s+/g, ' ').slice(0, 300)}`];
    }),
  );
  return [...new Set(complaints.flat())].sort();
}

const OVER_ALL = '/* over all practices: ';

async function faultsIn(text: string, tables: ReadonlySet<string>): Promise<string[]> {
  const { unbound, faults, touched, locks, writesLog } = await readStatements(text, tables);
  if (touched.size === 0) return [];
  if (text.includes(OVER_ALL)) {
    return [
      ...faults,
      ...(unbound.length === 0 ? ['names its practice, and says that it goes over all'] : []),
      ...(locks ? ['locks rows of all practices'] : []),
      ...(writesLog ? ['writes a log over all practices'] : []),
    ];
  }
  const [table] = touched;
  const isLookup =
    touched.size === 1 && LOOKUPS.some((lookup) => lookup.table === table && (lookup.by === null || text.includes(`"${lookup.by}"`)));
  return isLookup ? faults : [...faults, ...unbound];
}

/** The complaints about what was sent while the tests ran. @param address of a migrated database */
export async function complaintsOfSent(sent: readonly SentStatement[], address: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const tables = await practiceTables(client).finally(() => client.end());
  return listComplaints(sent, tables);
}
