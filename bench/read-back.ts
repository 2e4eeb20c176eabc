import pg from 'pg';
import type { Written } from './workloads/workload.ts';

/** Reads back written rows. */
export async function openReadBack(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async readRows({ rows: statement }: Written, id: number): Promise<Record<string, unknown>> {
      const { rows } = await client.query<Record<string, unknown>>(statement, [id]);
      const [found] = rows;
      if (!found || rows.length > 1) throw new Error(`there are ${rows.length} records ${id}`);
      return found;
    },
    async setAside({ setAside }: Written, id: number): Promise<void> {
      if (setAside !== undefined) await client.query(setAside, [id]);
    },
    /** The highest id of the table in which records are made: ids come from one sequence for all organizations. */
    async lastId({ creates }: Written): Promise<number> {
      if (creates === undefined) return 0;
      const { rows } = await client.query<{ id: string }>(`SELECT max(id) AS id FROM ${creates}`);
      return Number(rows[0]?.id ?? 0);
    },
    close: () => client.end(),
  };
}

export type ReadBack = Awaited<ReturnType<typeof openReadBack>>;
