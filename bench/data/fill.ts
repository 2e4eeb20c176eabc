import pg from 'pg';
import { APPOINTMENT_TABLES, appointmentSteps, SEQUENCES } from './appointments.ts';
import { firstNames, lastNames } from './names.ts';
import { PATIENT_TABLES, patientSteps } from './patients.ts';
import { DRAWING, type PracticePlan, type Step, tenancySteps } from './practices.ts';

const PART = 50_000;

type Tell = (line: string) => void;

/** Fills an empty, migrated database. Rows are drawn from hashes of their ids, so that every run has the same. */
export async function fill(url: string, plans: readonly PracticePlan[], tell: Tell): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // What is filled in here needs no checks and no triggers: it is right by construction, and would take ten times as long.
    await client.query(
      `SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '64MB'`,
    );
    await client.query(DRAWING);
    await keepNames(client, 'bench_first_name', firstNames());
    await keepNames(client, 'bench_last_name', lastNames());
    const indexes = await dropIndexes(client, [...PATIENT_TABLES, ...APPOINTMENT_TABLES]);
    for (const plan of plans) await fillPractice(client, plan, tell);
    for (const { name, text } of indexes) await timed(tell, `index ${name}`, () => client.query(text));
    await client.query(SEQUENCES);
    await timed(tell, 'vacuum and analyze', () => client.query('VACUUM (ANALYZE)'));
  } finally {
    await client.end();
  }
}

async function keepNames(client: pg.Client, table: string, words: string[]): Promise<void> {
  await client.query(`CREATE TEMP TABLE ${table} (slot int PRIMARY KEY, word text)`);
  await client.query(`INSERT INTO ${table} SELECT place - 1, word FROM unnest($1::text[]) WITH ORDINALITY AS given (word, place)`, [words]);
  await client.query(`ANALYZE ${table}`);
}

async function fillPractice(client: pg.Client, plan: PracticePlan, tell: Tell): Promise<void> {
  for (const step of [...tenancySteps(plan), ...patientSteps(plan), ...appointmentSteps(plan)]) {
    await timed(tell, `practice ${plan.organizationId}: ${step.title}`, () => runStep(client, step));
    if (step.rows !== undefined) await client.query('ANALYZE patient, appointment');
  }
}

async function runStep(client: pg.Client, { text, rows }: Step): Promise<void> {
  if (rows === undefined) await client.query(text);
  else for (let from = 1; from <= rows; from += PART) await client.query(text, [from, Math.min(rows, from + PART - 1)]);
}

/** Indexes are quicker made at the end, over all rows at once. Those that hold a constraint stay. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<{ name: string; text: string }[]> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS text
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
      WHERE t.relname = ANY($1) AND t.relnamespace = current_schema()::regnamespace AND NOT i.indisprimary
        AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${client.escapeIdentifier(name)}`);
  return rows;
}

async function timed(tell: Tell, what: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  tell(`${what}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
