import { availableParallelism, cpus, totalmem } from 'node:os';
import pg from 'pg';

/** A description of the machine without anything that identifies it. */
export async function describeMachine(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  await client.end();
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  return [
    `${availableParallelism()} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${process.platform} ${process.arch}`,
    `Node ${process.versions.node}, PostgreSQL ${rows[0]?.version ?? '?'}`,
  ];
}
