import type pg from 'pg';

type Queryable = { query: pg.Client['query'] };

/** Whether this database has the extension of Citus. */
export async function isCluster(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS found");
  return rows[0]?.found === true;
}
