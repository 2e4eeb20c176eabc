import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions } from '../../src/database/database.ts';
import { asSuperuser } from './database-roles.ts';
import { isDistributed } from './distributed.ts';

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
 * names of a thousand, one in ten of two words; they come from the number of the row. As a replica: what they refer to is not
 * looked up for each; their keys are made all the same.
 */
export async function createManyPatients(
  databaseUrl: string,
  organizationId: number,
  howMany: number,
  officeIds: number[] = [],
): Promise<void> {
  await atLeisure(asSuperuser(databaseUrl), async (client) => {
    if (!isDistributed)
      await client.query('ALTER TABLE patient ENABLE ALWAYS TRIGGER patient_name_keys_added; SET session_replication_role = replica');
    await client.query(
      `INSERT INTO patient (organization_id, first_name, last_name, primary_office_id, updated_at)
       SELECT $1, chr(65 + n % 26) || 'first' || n % 40, chr(65 + n % 24) || 'last' || n % 1000 || CASE WHEN n % 10 = 0 THEN ' Second' || n % 7 ELSE '' END,
              ($3::int[])[1 + n % greatest(1, cardinality($3::int[]))], now()
         FROM generate_series(1, $2::int) AS n`,
      [organizationId, howMany, officeIds],
    );
    if (isDistributed) return;
    await client.query('SET session_replication_role = origin; ALTER TABLE patient ENABLE TRIGGER patient_name_keys_added');
    await vacuum(client);
  });
}

/** Fills tables without their indexes, which are made afterwards, all at once: row by row they are most of the work. */
export async function withoutIndexes(client: pg.Client, tables: string[], fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_index WHERE indrelid = ANY ($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [tables],
  );
  await client.query(`DROP INDEX ${rows.map(({ name }) => name).join(', ')}`);
  await fill();
  for (const { definition } of rows) await client.query(definition);
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
