import { readDatabasePlace } from '../../config/database-address.ts';
import { StartError } from '../../config/start-errors.ts';
import { CLOCK_MS, describeClock, measureClock } from '../../database/clock.ts';
import { isOwner, readRole } from '../../database/connections/runtime-role.ts';
import { requireServerVersion } from '../../database/connections/server-version.ts';
import { clusterNodes, unplacedTables } from '../../database/distribution/cluster.ts';
import { areLogsBehind } from '../../database/logs/log-order.ts';
import { writeQuantity } from '../../database/measures/quantities.ts';
import { migrationNames, pendingMigrations, unknownMigrations } from '../../database/migrations/migrations.ts';
import { type Readiness, readiness } from '../../database/readiness.ts';
import { byLimit, type DatabaseCheck, fail, ok, warn } from './finding.ts';

const MIGRATE = 'Run: npm run db:migrate';
/** The first migration creates these. */
const EXTENSIONS = ['unaccent', 'btree_gist'];
/** The states of /readyz without a check of their own, and what to do. */
const UNUSABLE: Partial<Record<Readiness['status'], string>> = {
  'database refuses writes':
    'It is a standby, or default_transaction_read_only is on: point DATABASE_URL to the primary, or set it to off and reconnect.',
  'disk full': 'Free up space on the disk of the database: every write fails.',
  'database unreachable': 'It did not answer within 2 s: look at its load and its log.',
};

export const SCHEMA_CHECKS: readonly DatabaseCheck[] = [
  {
    name: 'database',
    async look({ config, databaseServer, database: { pool } }) {
      const { rows } = await pool.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
      const tooOld = await requireServerVersion(pool, 'DATABASE_URL').catch((error: unknown) => error);
      if (tooOld instanceof StartError) return fail(tooOld.message, 'docs/environment.md says which version.');
      const { status } = await readiness(pool);
      const advice = UNUSABLE[status];
      if (advice !== undefined) return fail(status, advice);
      const place = databaseServer.embedded ? `embedded, in ${config.DATA_DIR}` : `at ${readDatabasePlace(databaseServer.url).servers}`;
      return ok(`PostgreSQL ${rows[0]?.version}, ${place}`);
    },
  },
  {
    name: 'nodes',
    async look({ database: { pool } }) {
      const nodes = await clusterNodes(pool);
      if (nodes.length === 0) return ok('all rows are on one machine');
      const unplaced = await unplacedTables(pool);
      if (unplaced.length > 0)
        return fail(
          `${writeQuantity(unplaced.length, 'table has', 'tables have')} no place yet, such as ${unplaced[0]}`,
          'Run: npm run db:distribute',
        );
      const down = nodes.filter(({ answers }) => !answers).map(({ host, port }) => `${host}:${port}`);
      const figures = { nodes: nodes.length, down: down.length };
      if (down.length === 0)
        return ok(`${writeQuantity(nodes.length, 'machine of the cluster answers', 'machines of the cluster answer')}`, figures);
      const advice =
        'Start it, or promote its standby (docs/scaling.md, "A node\'s standby, and a dead node"). Its practices are answered with 503.';
      return fail(`${down.join(', ')} ${down.length === 1 ? 'does' : 'do'} not answer`, advice, figures);
    },
  },
  {
    name: 'clock',
    async look({ database: { pool } }) {
      const difference = await measureClock(pool);
      const advice = 'Synchronize both machines with the same time server (chrony or systemd-timesyncd).';
      return byLimit(Math.abs(difference), CLOCK_MS, { found: describeClock(difference), advice, figures: { difference_ms: difference } });
    },
  },
  {
    name: 'migrations',
    async look({ database: { pool } }) {
      const [all, pending] = [await migrationNames(), await pendingMigrations(pool)];
      if (pending.length > 0)
        return fail(
          `${pending.length} of ${writeQuantity(all.length, 'migration')} ${pending.length === 1 ? 'is' : 'are'} missing`,
          MIGRATE,
          {
            pending: pending.length,
          },
        );
      const unknown = await unknownMigrations(pool);
      if (unknown.length > 0)
        return fail(
          `the database has ${writeQuantity(unknown.length, 'migration')} that this release does not know: a newer release migrated it`,
          'Run that release, or restore an earlier backup.',
          { unknown: unknown.length },
        );
      if (await areLogsBehind(pool)) return fail('the database was restored, and its logs must be repaired', MIGRATE);
      return ok(`${writeQuantity(all.length, 'migration is', 'migrations are')} applied, and none is missing`, { pending: 0 });
    },
  },
  {
    name: 'roles',
    async look({ databaseServer, database: { pool } }) {
      const { rows } = await pool.query<{ mighty: boolean; refused: string[] }>(ROLE);
      const refused = rows[0]?.refused ?? [];
      if (refused.length > 0)
        return fail(
          `the role of the server may not read or write ${writeQuantity(refused.length, 'table')}, such as ${refused[0]}`,
          MIGRATE,
        );
      if (rows[0]?.mighty) return warn('the role of the server is a superuser, or bypasses row security', ONE_ROLE);
      if (await isOwner(pool)) return warn('the role of the server owns the tables, and could change the audit', ONE_ROLE);
      return ok(`${readRole(databaseServer.url)} can only read and write rows`);
    },
  },
  {
    name: 'database log',
    async look({ database: { pool } }) {
      const { rows } = await pool.query<{ name: string; setting: string }>('SELECT name, setting FROM pg_settings WHERE name = ANY ($1)', [
        Object.keys(QUIET),
      ]);
      const loud = rows.filter(({ name, setting }) => QUIET[name]?.includes(setting) === false).map(({ name }) => name);
      if (loud.length === 0) return ok('the PostgreSQL log contains no statements or keys');
      const found = `the PostgreSQL log may contain statements and keys with patient data: ${loud.sort().join(', ')}`;
      return warn(found, `In postgresql.conf: ${loud.map((name) => `${name} = ${QUIET[name]?.[0]}`).join(', ')}; then reload.`);
    },
  },
  {
    name: 'extensions',
    async look({ database: { pool } }) {
      const { rows } = await pool.query<{ name: string }>('SELECT extname AS name FROM pg_extension');
      const missing = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
      if (missing.length === 0) return ok(EXTENSIONS.join(', '));
      return fail(
        `${missing.join(', ')} is missing`,
        `As the owner of the database: ${missing.map((name) => `CREATE EXTENSION ${name};`).join(' ')}`,
      );
    },
  },
];

/** Settings by which the PostgreSQL log contains no statements or keys, which may hold patient data. */
const QUIET: Readonly<Record<string, readonly string[]>> = {
  log_error_verbosity: ['terse'],
  log_min_error_statement: ['panic', 'fatal'],
  log_statement: ['none', 'ddl'],
  log_min_duration_statement: ['-1'],
  log_min_duration_sample: ['-1'],
  log_transaction_sample_rate: ['0'],
  debug_print_parse: ['off'],
  debug_print_rewritten: ['off'],
  debug_print_plan: ['off'],
};

const ONE_ROLE = 'Give the server a role of its own: docs/operations.md, "The database’s roles".';

/** Of the tables that migrations made; `log_epoch` and Prisma's own are only read. */
const ROLE = `
  SELECT (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS mighty,
         ARRAY(SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                  AND NOT (has_table_privilege(c.oid, 'SELECT')
                           AND (c.relname IN ('_prisma_migrations', 'log_epoch') OR has_table_privilege(c.oid, 'INSERT')))
                ORDER BY 1) AS refused`;
