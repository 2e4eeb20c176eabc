import pg from 'pg';
import { APPOINTMENT_TABLES, appointmentSteps, SEQUENCES } from './appointments.ts';
import { copySteps } from './copies.ts';
import { firstNames, lastNames } from './names.ts';
import { PATIENT_TABLES, patientSteps } from './patients.ts';
import { DRAWING, type PracticePlan, tenancySteps } from './practices.ts';

const PART = 50_000;
/** Connections that share the parts of a step: two keep two cores busy. */
const HANDS = 2;

type Tell = (line: string) => void;

/** Fills an empty, migrated database. Rows are drawn from hashes of their ids, so that every run has the same. */
export async function fill(url: string, plans: readonly PracticePlan[], tell: Tell): Promise<void> {
  const hands = Array.from({ length: HANDS }, () => new pg.Client({ connectionString: url }));
  try {
    for (const hand of hands) await prepare(hand);
    const [first] = hands;
    if (!first) throw new Error('nobody is there to fill a database');
    const indexes = await dropIndexes(first, [...PATIENT_TABLES, ...APPOINTMENT_TABLES]);
    for (const plan of plans) await fillPractice(hands, first, plan, tell);
    await share(hands, indexes, (hand, { name, text }) => timed(tell, `index ${name}`, () => hand.query(text)));
    await first.query(SEQUENCES);
    await timed(tell, 'vacuum and analyze', () => first.query('VACUUM (ANALYZE)'));
  } finally {
    await Promise.all(hands.map((hand) => hand.end()));
  }
}

/** Disables checks and triggers: the data is correct by construction, and loads ten times as fast. */
async function prepare(hand: pg.Client): Promise<void> {
  await hand.connect();
  await hand.query(
    `SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '64MB'`,
  );
  await hand.query(DRAWING);
  await keepNames(hand, 'bench_first_name', firstNames());
  await keepNames(hand, 'bench_last_name', lastNames());
}

async function keepNames(client: pg.Client, table: string, words: string[]): Promise<void> {
  await client.query(`CREATE TEMP TABLE ${table} (slot int PRIMARY KEY, word text)`);
  await client.query(`INSERT INTO ${table} SELECT place - 1, word FROM unnest($1::text[]) WITH ORDINALITY AS given (word, place)`, [words]);
  await client.query(`ANALYZE ${table}`);
}

async function fillPractice(hands: readonly pg.Client[], first: pg.Client, plan: PracticePlan, tell: Tell): Promise<void> {
  for (const step of [...tenancySteps(plan), ...patientSteps(plan), ...copySteps(plan), ...appointmentSteps(plan)]) {
    const { title, text, rows } = step;
    if (rows === 0) continue;
    await timed(tell, `practice ${plan.organizationId}: ${title}`, () =>
      rows === undefined ? first.query(text) : share(hands, parts(rows), (hand, part) => hand.query(text, part)),
    );
    await first.query('ANALYZE office, provider, patient, appointment');
  }
}

const parts = (rows: number): [from: number, to: number][] =>
  Array.from({ length: Math.ceil(rows / PART) }, (_, at) => [at * PART + 1, Math.min(rows, (at + 1) * PART)]);

/** Each worker takes the next item as soon as it has finished one. */
async function share<T>(
  hands: readonly pg.Client[],
  work: readonly T[],
  one: (hand: pg.Client, piece: T) => Promise<unknown>,
): Promise<void> {
  const left = work.values();
  await Promise.all(
    hands.map(async (hand) => {
      for (const piece of left) await one(hand, piece);
    }),
  );
}

/** Drops indexes, except those of constraints: creating them after the rows is faster. */
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
