import { glob } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { statementsOfLists } from '../../../src/database/statements/list.ts';
import { allStatements } from '../../../src/database/statements/statement.ts';
import { createTestDatabase } from '../../support/app.ts';
import { listComplaints, practiceTables } from './complaints.ts';

let client: pg.Client;
let tables: ReadonlySet<string>;
beforeAll(async () => {
  client = new pg.Client({ connectionString: await createTestDatabase() });
  await client.connect();
  tables = await practiceTables(client);
});
afterAll(() => client.end());

const listFaults = async (text: string) =>
  (await listComplaints([{ name: 'x', text }], tables)).map((complaint) => complaint.split('\n')[0]?.slice(3) ?? '');

it('each prepared statement names its practice as a parameter, or says why it goes over all', async () => {
  for await (const file of glob('src/**/*.ts', { cwd: new URL('../../..', import.meta.url) }))
    if (file.endsWith('.sql.ts')) await import(new URL(`../../../${file}`, import.meta.url).href);
  expect(allStatements.size).toBeGreaterThan(240);
  const ofLists = statementsOfLists.flatMap((write) => write()).map((one, index) => ({ ...one, name: `list ${index}` }));
  expect(await listComplaints([...allStatements.values(), ...ofLists], tables)).toEqual([]);
});

it('the rules hold for statements of every form', async () => {
  const good = [
    'SELECT FROM patient WHERE organization_id = $1 AND id = $2',
    'SELECT FROM organization o LEFT JOIN patient p ON p.organization_id = $1::int WHERE o.id = $1::int',
    'SELECT FROM patient p JOIN office o ON (o.organization_id, o.id) = (p.organization_id, p.primary_office_id) WHERE p.organization_id = $1',
    'SELECT FROM patient WHERE (organization_id, id) IN (($1, $2), ($3, $4))',
    'SELECT FROM patient WHERE (organization_id = $1 AND id = 5) OR (organization_id = $1 AND id = 7)',
    'SELECT FROM patient p WHERE p.organization_id = $1 AND EXISTS (SELECT FROM office o WHERE o.organization_id = $1 AND o.id = p.primary_office_id)',
    'WITH patient AS (SELECT * FROM public.patient WHERE organization_id = $1) SELECT FROM patient',
    'INSERT INTO office (organization_id, name) VALUES ($1, $2), ($1, $3)',
    'INSERT INTO office (name, organization_id) SELECT n.name, $1::int FROM unnest($2::text[]) n (name)',
    'UPDATE patient p SET status = o.name FROM office o WHERE p.organization_id = $1 AND o.organization_id = p.organization_id RETURNING old.id, new.id',
    "UPDATE webhook_replay SET finished_at = (finished_at AT TIME ZONE 'UTC' + make_interval(secs => queued)) AT TIME ZONE 'UTC' WHERE organization_id = $1",
    'INSERT INTO office (organization_id, name) VALUES ($1, $2) ON CONFLICT (organization_id, id) DO UPDATE SET updated_at = excluded.updated_at',
    'WITH n AS (SELECT $2::text AS name), o AS (INSERT INTO office (organization_id, name) SELECT $1::int, name FROM n) SELECT 1',
    'WITH d AS (UPDATE patient SET status = $2 WHERE organization_id = $1 RETURNING id) SELECT id FROM d',
    'WITH s AS (SELECT user_id FROM sign_in WHERE organization_id = $1) SELECT FROM "user" u JOIN s ON s.user_id = u.id WHERE u.organization_id = $1',
    "SELECT date_trunc('month', p.created_at, 'UTC') FROM patient p WHERE p.organization_id = $1",
    'SELECT nextval($1), clock_timestamp(), log_horizon()',
    'SELECT FROM appointment_type WHERE id = $1',
    'SELECT organization_id FROM patient p WHERE EXISTS (SELECT FROM office o WHERE o.organization_id = p.organization_id) /* over all practices: x */',
    'SELECT FROM "public"."mail_domain" WHERE "public"."mail_domain"."domain" = $1',
  ];
  for (const text of good) expect(await listFaults(text), text).toEqual([]);
});

const unbound = (table: string) => `${table} is not bound to the practice by a parameter`;

it.each([
  ['no practice', 'SELECT FROM patient WHERE id = $1', unbound('patient')],
  [
    'a practice of an outer query',
    'SELECT FROM patient p WHERE p.organization_id = $1 AND EXISTS (SELECT FROM office o WHERE o.organization_id = p.organization_id)',
    unbound('office o'),
  ],
  [
    'one in LATERAL',
    'SELECT FROM patient p, LATERAL (SELECT FROM office o WHERE o.organization_id = p.organization_id) x WHERE p.organization_id = $1',
    unbound('office o'),
  ],
  [
    'one of a common table expression',
    'WITH p AS (SELECT organization_id FROM patient WHERE organization_id = $1) SELECT FROM p JOIN office o ON o.organization_id = p.organization_id',
    unbound('office o'),
  ],
  ['one on one side of OR', 'SELECT FROM patient WHERE organization_id = $1 OR id = $2', unbound('patient')],
  ['one in a negation', 'SELECT FROM patient WHERE NOT (organization_id = $1)', unbound('patient')],
  ['one that is not equal', 'SELECT FROM patient WHERE organization_id >= $1', unbound('patient')],
  [
    'that of the practice’s own row',
    'SELECT FROM organization o LEFT JOIN patient p ON p.organization_id = o.id WHERE o.id = $1::int',
    unbound('patient p'),
  ],
  ['one that a function returns', 'SELECT FROM patient WHERE organization_id = abs($1)', unbound('patient')],
  ['the real table behind its own name', 'WITH patient AS (SELECT * FROM public.patient) SELECT FROM patient', unbound('patient')],
  ['an update of all', 'UPDATE patient SET status = $1', unbound('patient')],
  ['a deletion by another table', 'DELETE FROM patient p USING office o WHERE o.organization_id = $1', unbound('patient p')],
  [
    'a row with another row’s practice',
    'INSERT INTO office (organization_id) SELECT organization_id FROM patient WHERE organization_id = $1',
    'a row of office takes its practice from no parameter',
  ],
  ['a row without one', 'INSERT INTO office (name) VALUES ($1)', 'a row of office takes its practice from no parameter'],
  ['a clock', 'UPDATE patient SET updated_at = clock_timestamp() WHERE organization_id = $1', 'draws clock_timestamp() inside'],
  [
    'now() and a column in a change',
    'UPDATE webhook_replay SET finished_at = now() - lasted WHERE organization_id = $1',
    'reckons with now() and a column in a change',
  ],
  [
    'a time that is added to an instant in a change',
    "UPDATE webhook_replay SET finished_at = finished_at - interval '1 hour' WHERE organization_id = $1",
    'adds a time to an instant in a change',
  ],
  [
    'a function of what a change returns',
    'UPDATE patient p SET status = $2 WHERE p.organization_id = $1 RETURNING json_build_object($3, new.status)',
    'returns what json_build_object() makes of a row',
  ],
  [
    'now() over a row that exists',
    'INSERT INTO office (organization_id) VALUES ($1) ON CONFLICT (organization_id, id) DO UPDATE SET updated_at = now()',
    'stores what now() makes over a row that exists',
  ],
  [
    'a function that reads rows',
    'SELECT number_stopped_texts($1, p.mobile_phone) FROM patient p WHERE p.organization_id = $1',
    'calls number_stopped_texts(), which reads rows',
  ],
  [
    'a function’s rows that a subquery leaves out',
    'INSERT INTO office (organization_id, name) SELECT $1::int, n FROM unnest($2::text[]) AS n WHERE NOT EXISTS (SELECT FROM office o WHERE o.organization_id = $1 AND o.name = n)',
    'adds rows of a function that a subquery compares with others',
  ],
  [
    'a table of the coordinator beside rows',
    'SELECT FROM "user" u WHERE u.organization_id = $1 AND EXISTS (SELECT FROM sign_in s WHERE s.user_id = u.id AND s.organization_id = $1)',
    'joins rows of practices with a table of the coordinator',
  ],
  [
    'a column as an enum in a change',
    'UPDATE patient p SET status = n.status::patient_status FROM unnest($2::text[]) AS n (status) WHERE p.organization_id = $1',
    'makes another type of a column in a change',
  ],
  [
    'now() in a choice of a change',
    'UPDATE patient SET updated_at = CASE WHEN $2::boolean THEN now() END WHERE organization_id = $1',
    'chooses in a change whether it draws now()',
  ],
  [
    'a zone of PostgreSQL',
    'SELECT (now() AT TIME ZONE p.time_zone)::date FROM patient p WHERE p.organization_id = $1',
    'reads a zone of PostgreSQL, which may differ from that of Node',
  ],
  [
    'days that begin in a zone of PostgreSQL',
    "SELECT date_trunc('day', r.measured_at, $2::text) FROM reading r WHERE r.organization_id = $1",
    'reads a zone of PostgreSQL, which may differ from that of Node',
  ],
  ['the horizon', 'SELECT FROM event WHERE organization_id = $1 AND transaction_id < (SELECT log_horizon())', 'draws log_horizon() inside'],
  ['a number', "INSERT INTO office (organization_id, id) VALUES ($1, nextval('office_id_seq'))", 'draws nextval() inside'],
  [
    'a needless word about all practices',
    'SELECT FROM patient WHERE organization_id = $1 /* over all practices: x */',
    'names its practice, and says that it goes over all',
  ],
  ['locks on rows of all', 'SELECT FROM patient FOR UPDATE SKIP LOCKED /* over all practices: x */', 'locks rows of all practices'],
  [
    'a log of all',
    'INSERT INTO event (organization_id) SELECT organization_id FROM patient /* over all practices: x */',
    'writes a log over all practices',
  ],
])('finds %s', async (_, text, fault) => {
  expect(await listFaults(text)).toEqual([fault]);
});
