import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { createTestDatabase } from './app.ts';

/** So much slower than time: what takes half an hour happens within one minute. */
const SLOWER = 30;

/**
 * Sets the clock of this process and of a new database to one instant, until the end of the test file. It goes on slowly, so that
 * later is later, and the minute the same.
 * @returns the address of the database, for a server that the file starts
 */
export async function startClockAt(instant: string): Promise<string> {
  const databaseUrl = await createTestDatabase();
  const [start, begun] = [Date.parse(instant), Date.now()];
  await setDatabaseClock(databaseUrl, new Date(start), new Date(begun));
  const Actual = globalThis.Date;
  const now = () => start + Math.floor((Actual.now() - begun) / SLOWER);
  globalThis.Date = new Proxy(Actual, {
    construct: (date, given, self) => Reflect.construct(date, given.length === 0 ? [now()] : given, self),
    get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
  });
  afterAll(() => {
    globalThis.Date = Actual;
  });
  return databaseUrl;
}

/** Statements and functions find these clocks before PostgreSQL's own; defaults of columns are bound to theirs, and are told. */
async function setDatabaseClock(databaseUrl: string, start: Date, begun: Date): Promise<void> {
  const { pathname } = new URL(databaseUrl);
  const client = new pg.Client({ connectionString: Object.assign(new URL(inject('superuserUrl')), { pathname }).href });
  await client.connect();
  const clocks = ['now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp'];
  const functions = clocks.map(
    (name) => `CREATE FUNCTION fixed.${name}() RETURNS timestamptz LANGUAGE sql ${name === 'clock_timestamp' ? 'VOLATILE' : 'STABLE'}
      RETURN timestamptz '${start.toISOString()}' + (pg_catalog.${name}() - timestamptz '${begun.toISOString()}') / ${SLOWER}`,
  );
  await client.query(`CREATE SCHEMA fixed; GRANT USAGE ON SCHEMA fixed TO PUBLIC; ${functions.join(';')}`);
  await client.query(`DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT d.adrelid::regclass AS owner, a.attname FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
              WHERE pg_get_expr(d.adbin, d.adrelid) ~ '^(CURRENT_TIMESTAMP|now\\(\\))'
    LOOP EXECUTE format('ALTER TABLE %s ALTER %I SET DEFAULT fixed.now()', c.owner, c.attname); END LOOP;
    FOR c IN SELECT p.oid::regprocedure AS owner FROM pg_proc p WHERE p.proconfig::text LIKE '%search_path%' AND p.pronamespace = 'public'::regnamespace
    LOOP EXECUTE format('ALTER ROUTINE %s SET search_path = fixed, pg_catalog, public', c.owner); END LOOP;
    EXECUTE format('ALTER DATABASE %I SET search_path = fixed, pg_catalog, public', current_database());
  END $$`);
  await client.end();
}
