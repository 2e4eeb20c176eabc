import pg from 'pg';
import { EVENTS } from '../../src/domain/events/catalogue.ts';
import type { EventKind } from '../../src/domain/events/event-kind.ts';

/** The projects that run before a change lands. */
export const LANDING = ['suite', 'walks', 'operation'];

interface Emitted {
  name: string;
  subject: string;
  fields: string[];
}

/** Every kind of event that the tests have caused, from all databases of a server. */
async function findEmitted(superuserUrl: string): Promise<Emitted[]> {
  const found: Emitted[] = [];
  for (const database of await listDatabases(superuserUrl)) {
    const client = new pg.Client({ connectionString: Object.assign(new URL(superuserUrl), { pathname: `/${database}` }).href });
    await client.connect();
    const { rows } = await client.query<Emitted>(`
      SELECT name, subject_type AS subject, array_agg(DISTINCT field) FILTER (WHERE field IS NOT NULL) AS fields
        FROM event LEFT JOIN LATERAL unnest(changed) AS field ON true GROUP BY name, subject_type`);
    await client.end();
    found.push(...rows.map((row) => ({ ...row, fields: row.fields ?? [] })));
  }
  return found;
}

async function listDatabases(superuserUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  // Those whose tables are all there: some tests make older or empty ones.
  const { rows } = await client.query<{ name: string }>(`SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'`);
  await client.end();
  return rows.map(({ name }) => name);
}

/** The kinds of events that each project caused, of those projects that ran whole. */
const causedBy = new Map<string, ReadonlySet<string>>();

/**
 * Complaints about events that the catalogue does not have as they were written; and, after a run of all three projects of a landing,
 * about kinds that none of them caused.
 * @param wholeProject the project, if all of its files ran
 */
export async function complaintsOfEvents(superuserUrl: string, wholeProject: string | undefined): Promise<string[]> {
  const emitted = await findEmitted(superuserUrl);
  if (wholeProject !== undefined) causedBy.set(wholeProject, new Set(emitted.map(({ name }) => name)));
  const isWholeRun = LANDING.every((project) => causedBy.has(project));
  const caused = new Set([...causedBy.values()].flatMap((names) => [...names]));
  const missing = isWholeRun ? Object.keys(EVENTS).filter((name) => !caused.has(name)) : [];
  return [...new Set(emitted.flatMap(listComplaints)), ...missing.map((name) => `no test causes the event ${name}`)];
}

function listComplaints({ name, subject, fields }: Emitted): string[] {
  const known: Readonly<Record<string, EventKind>> = EVENTS;
  const kind = known[name];
  if (!kind) return [`the event ${name} is in no catalogue`];
  return [
    ...(kind.subject === subject ? [] : [`the event ${name} is about a ${subject}, and the catalogue says ${kind.subject}`]),
    ...fields
      .filter((field) => !kind.fields.includes(field))
      .map((field) => `the event ${name} names the field ${field}, and the catalogue does not`),
  ];
}
