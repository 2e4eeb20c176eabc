import type pg from 'pg';
import { PLACEMENTS } from './placements.ts';

type Queryable = { query: pg.Client['query'] };

export async function isCluster(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS found");
  return rows[0]?.found === true;
}

/** Tables that have no place on the nodes though others have one: `db:distribute` was interrupted. Empty on one machine. */
export async function unplacedTables(client: Queryable): Promise<string[]> {
  if (!(await isCluster(client))) return [];
  const wanted = [...PLACEMENTS].flatMap(([table, placement]) => (placement === 'local' ? [] : [table]));
  const { rows } = await client.query<{ name: string; placed: boolean }>(
    `SELECT c.relname AS name, EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) AS placed
       FROM pg_class c
      WHERE c.relname = ANY ($1::text[]) AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname`,
    [wanted],
  );
  const unplaced = rows.filter(({ placed }) => !placed);
  return unplaced.length === rows.length ? [] : unplaced.map(({ name }) => name);
}

export interface ClusterNode {
  host: string;
  port: number;
  answers: boolean;
}

/** The nodes of a cluster, the coordinator among them, and whether each answers it. None on one machine. */
export async function clusterNodes(client: Queryable): Promise<ClusterNode[]> {
  if (!(await isCluster(client))) return [];
  const { rows } = await client.query<ClusterNode>(
    `SELECT nodename AS host, nodeport AS port, citus_check_connection_to_node(nodename, nodeport) AS answers
       FROM pg_dist_node WHERE noderole = 'primary' AND isactive ORDER BY groupid`,
  );
  return rows;
}
