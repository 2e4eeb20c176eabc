import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions } from '../../src/database.ts';

/** Works in a database under the settings of the server, with more time for a statement than a request has. */
export async function atLeisure<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionOptions(databaseUrl, 10 * 60_000));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Adds patients to an organization, many at once, with what the planner should know of them. First names are of forty, last
 * names of a thousand, one in ten of two words; they come from the number of the row.
 */
export async function createManyPatients(
  databaseUrl: string,
  organizationId: number,
  howMany: number,
  officeIds: number[] = [],
): Promise<void> {
  await atLeisure(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO patient (organization_id, first_name, last_name, primary_office_id, updated_at)
       SELECT $1, chr(65 + n % 26) || 'first' || n % 40, chr(65 + n % 24) || 'last' || n % 1000 || CASE WHEN n % 10 = 0 THEN ' Second' || n % 7 ELSE '' END,
              ($3::int[])[1 + n % greatest(1, cardinality($3::int[]))], now()
         FROM generate_series(1, $2::int) AS n`,
      [organizationId, howMany, officeIds],
    );
    await vacuum(client);
  });
}

/** Until an index alone tells what is visible; as long as another looks at the same tables (autovacuum, say), it does not. */
async function vacuum(client: pg.Client): Promise<void> {
  for (let attempt = 1; attempt <= 60; attempt += 1) {
    await client.query('VACUUM (ANALYZE) patient, patient_name_key');
    const { rows } = await client.query<{ done: boolean }>(
      `SELECT bool_and(relallvisible >= relpages) AS done FROM pg_class WHERE oid IN ('patient'::regclass, 'patient_name_key'::regclass)`,
    );
    if (rows[0]?.done) return;
    await sleep(500);
  }
  throw new Error('something keeps the tables from being vacuumed');
}
