import type pg from 'pg';
import { TRIGGERS_FOR_EACH_ROW, TRIGGERS_OF_ONE_MACHINE } from './one-machine.ts';
import { PLACEMENTS } from './placements.ts';
import type { Step } from './step.ts';

/** Triggers on rows that are added, of tables without a place, and those that are off. Partitions follow their tables. */
const TRIGGERS = `
  SELECT c.relname::text AS table, t.tgname::text AS trigger, t.tgenabled = 'D' AS off
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
   WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace AND NOT c.relispartition
     AND (t.tgenabled = 'D' OR t.tgtype & 5 = 5 AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid))
   ORDER BY 1, 2`;

interface Trigger {
  table: string;
  trigger: string;
  off: boolean;
}

const switchTrigger = (how: 'DISABLE' | 'ENABLE', { table, trigger }: Trigger): string =>
  `ALTER TABLE "${table}" ${how} TRIGGER ${trigger}`;

/**
 * A row that is copied to its node is one that is added there: triggers would count, compute and write again what it has already, from
 * rows that have not arrived. They are off while tables get their places. Those that an interrupted run left off are put on by the next.
 */
export async function triggersOfCopies(client: pg.Client): Promise<{ off: Step[]; on: Step[] }> {
  const dropped = new Set([
    ...TRIGGERS_OF_ONE_MACHINE.map(({ table, trigger }) => `${table}.${trigger}`),
    ...TRIGGERS_FOR_EACH_ROW.map(({ table, instead }) => `${table}.${instead}`),
  ]);
  const { rows } = await client.query<Trigger>(TRIGGERS);
  const triggers = rows.filter(({ table, trigger }) => isPlaced(table) && !dropped.has(`${table}.${trigger}`));
  const step = (how: 'DISABLE' | 'ENABLE', word: string) => (each: Trigger) => ({
    title: `a trigger of ${each.table} ${word}`,
    sql: switchTrigger(how, each),
    rows: null,
  });
  return {
    off: triggers.filter(({ off }) => !off).map(step('DISABLE', 'off, while rows are copied')),
    on: triggers.map(step('ENABLE', 'on again')),
  };
}

function isPlaced(table: string): boolean {
  const placement = PLACEMENTS.get(table);
  return placement === 'distributed' || placement === 'reference';
}
