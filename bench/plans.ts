import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';

const DOMAIN = join(import.meta.dirname, '..', 'src', 'domain');
const oneStatement = z.object({ name: z.string(), text: z.string() });

/** The plan of each statement of the hot reads, as PostgreSQL makes it once for all values. */
export async function showPlans(url: string, only: string | null, print: (line: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const { name, text } of await statements()) {
      if (only !== null && !name.includes(only)) continue;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN, COSTS) ${text}`);
      print(`${name}\n${rows.map((row) => `    ${row['QUERY PLAN']}`).join('\n')}\n`);
    }
  } finally {
    await client.end();
  }
}

/** Each statement that a `*.sql.ts` file of the domain exports, also inside of objects and lists. */
async function statements(): Promise<z.infer<typeof oneStatement>[]> {
  const found = new Map<string, z.infer<typeof oneStatement>>();
  for await (const file of glob('**/*.sql.ts', { cwd: DOMAIN })) {
    const exported: Record<string, unknown> = await import(join(DOMAIN, file));
    for (const value of Object.values(exported)) collect(value, found);
  }
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

function collect(value: unknown, found: Map<string, z.infer<typeof oneStatement>>): void {
  const one = oneStatement.safeParse(value).data;
  if (one) found.set(one.name, one);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, found);
}
