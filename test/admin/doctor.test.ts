import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { measureSize } from '../../src/jobs/measures/measure-surroundings.ts';
import { ownTestApp } from '../support/app.ts';
import { runAsOwner, runAsSuperuser } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { eventually } from '../support/server-process.ts';
import { admin, createOperator, foundPractice, toEnvironment, withForeignKey } from './command-line.ts';

const OPERATIONS = join(import.meta.dirname, '..', '..', 'docs', 'operations.md');

const test = await ownTestApp();
const env = toEnvironment(test);
const rows = test.database.prisma;
const operator = createOperator(test);

const Findings = z.object({
  state: z.enum(['ok', 'warn', 'fail']),
  checks: z.array(
    z.object({
      check: z.string(),
      state: z.enum(['ok', 'warn', 'fail']),
      found: z.string(),
      advice: z.string().nullable(),
      figures: z.record(z.string(), z.number()),
    }),
  ),
});

/** What doctor says of some checks, or of all. */
async function doctor(only: readonly string[] = [], env_: Record<string, string> = env) {
  const said = await admin(env_, ['doctor', '--json', ...only.flatMap((check) => ['--only', check])], '', test.database);
  return { code: said.code, err: said.err, ...Findings.parse(JSON.parse(said.out)) };
}

describe('doctor', () => {
  it('makes each check on a server that is well, and exits with 0', async () => {
    await foundPractice(operator);
    await operator.say('audit seal');
    await rows.$executeRaw`UPDATE queue.queue SET monitor_on = now()`;
    const { code, state, checks } = await doctor();
    expect(checks.filter((finding) => finding.state !== 'ok')).toEqual([]);
    expect({ code, state }).toEqual({ code: 0, state: 'ok' });
    const section = (await readFile(OPERATIONS, 'utf8')).split('## Check the installation')[1]?.split('\n## ')[0] ?? '';
    expect(checks.map(({ check }) => `\`${check}\``).filter((name) => !section.includes(name))).toEqual([]);
    expect(checks.length).toBeGreaterThan(20);
  });

  it('says it in lines for a person, and takes the name of a check', async () => {
    const said = await admin(env, ['doctor', '--only', 'clock,extensions'], '', test.database);
    expect(said.out).toMatch(/^ok {4}clock +this machine's clock is \d+ ms .*\nok {4}extensions +unaccent, btree_gist\n\nAll is well\.\n$/);
    const wrong = await admin(env, ['doctor', '--only', 'heart'], '', test.database);
    expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^--only: must be one of: configuration, database/) });
  });

  it('says what is wrong with the configuration, and of what a production lacks', async () => {
    expect(await doctor([], { ...env, PORT: 'http', MAIL_FROM: 'nobody' })).toMatchObject({
      code: 2,
      state: 'fail',
      checks: [{ check: 'configuration', state: 'fail', found: expect.stringMatching(/^PORT: .*; MAIL_FROM: must be a mail address$/) }],
    });
    const production = { ...env, NODE_ENV: 'production', PUBLIC_URL: 'http://127.0.0.1:1', TRIPTYCH_MAIL: 'local' };
    const { code, checks } = await doctor(['configuration', 'carrier', 'mail', 'video', 'certificate'], production);
    expect(code).toBe(1);
    expect(checks).toMatchObject([
      { check: 'configuration', state: 'warn', found: expect.stringMatching(/AUDIT_ANCHOR.*METRICS_TOKEN/) },
      { check: 'mail', state: 'ok' },
      { check: 'carrier', state: 'warn', advice: expect.stringContaining('TRIPTYCH_CARRIER=twilio') },
      { check: 'video', state: 'warn', advice: expect.stringContaining('ICE_SERVERS') },
      { check: 'certificate', state: 'ok' },
    ]);
  });

  it('says that the database is down, without an address or a password, and looks at the rest', async () => {
    const down = { ...env, DATABASE_URL: 'postgresql://somebody:secret-word@127.0.0.1:1/nothing' };
    const said = await admin(down, ['doctor', '--json']);
    expect(said.code).toBe(2);
    expect(said.out).not.toContain('secret-word');
    const { checks } = Findings.parse(JSON.parse(said.out));
    expect(checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
      ...['configuration ok', 'database fail', 'files ok', 'video ok', 'certificate ok'],
    ]);
  });

  it('knows keys that do not open what stands', async () => {
    await test.http.get('/.well-known/jwks.json');
    await foundPractice(operator);
    // Only what is older than all open transactions is sealed, those of other tests too.
    await eventually('a chain is sealed', async () => {
      await operator.say('audit seal');
      return (await rows.auditLink.count()) > 0;
    });
    const foreign = await doctor(['keys', 'audit chains'], withForeignKey(env, 'other'));
    expect(foreign.checks).toMatchObject([
      { check: 'keys', state: 'fail', found: expect.stringContaining('missing: test') },
      { check: 'audit chains', state: 'fail' },
    ]);
    expect((await doctor(['keys'], withForeignKey(env, 'test'))).checks[0]).toMatchObject({ state: 'fail' });
  });

  it('fails for a database that refuses writes, as /readyz does', async () => {
    const own = await ownTestApp();
    const { pathname } = new URL(own.databaseUrl);
    await runAsOwner(own.databaseUrl, `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = on`);
    const said = await admin(toEnvironment(own), ['doctor', '--only', 'database']);
    expect(said).toMatchObject({ code: 2, out: expect.stringMatching(/^fail +database +database refuses writes\n +It is a standby/) });
  });

  it('knows a database that is ahead of the program, and one that lacks migrations', async () => {
    const own = await ownTestApp();
    const ask = async () => {
      const said = await admin(toEnvironment(own), ['doctor', '--json'], '', own.database);
      return Findings.parse(JSON.parse(said.out)).checks.find(({ check }) => check === 'migrations');
    };
    await runAsOwner(
      own.databaseUrl,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
       VALUES ('x', '', '29990101000000_from_the_future', now(), now(), 1)`,
    );
    expect(await ask()).toMatchObject({ state: 'fail', found: expect.stringContaining('a newer release migrated it') });
    const say = (...line: string[]) => admin(toEnvironment(own), line, '', own.database);
    expect(await say('export-practice')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^A newer release migrated the database and applied 29990101000000_from_the_future\./),
    });
    expect(await say('database', 'status')).toMatchObject({ code: 0 });
    await runAsOwner(own.databaseUrl, 'DELETE FROM _prisma_migrations');
    expect(await ask()).toMatchObject({ state: 'fail', advice: 'Run: npm run db:migrate' });
  });
});

describe('doctor, of what goes on in the database,', () => {
  it('knows jobs that nobody does, and entries that nobody seals', async () => {
    const { id: organizationId } = await createOrganization(rows);
    await rows.$executeRaw`
      INSERT INTO queue.job (name, data, start_after) VALUES ('send-mail', '{}', now() - interval '20 minutes')`;
    await runAsSuperuser(
      test.databaseUrl,
      `INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
       VALUES (${organizationId}, now() - interval '3 minutes', 'operator:x', 'read', 'patient', '{}', 'test')`,
    );
    const { code, checks } = await doctor(['queue', 'seals']);
    expect(code).toBe(2);
    expect(checks).toMatchObject([
      {
        check: 'queue',
        state: 'fail',
        found: expect.stringMatching(/^1 send-mail waiting, the oldest for 20 min$/),
        figures: { waiting: 1 },
      },
      { check: 'seals', state: 'warn', advice: expect.stringContaining('npm run worker') },
    ]);
    await rows.$executeRaw`DELETE FROM queue.job`;
    // Only what is older than all open transactions is sealed, those of other tests too.
    await eventually('all is sealed', async () => {
      await operator.say('audit seal');
      return (await doctor(['queue', 'seals'])).code === 0;
    });
  });

  it('knows who holds the log back', async () => {
    const { id: organizationId } = await createOrganization(rows);
    const holder = await test.database.pool.connect();
    await holder.query('BEGIN');
    await holder.query(`INSERT INTO local_mail (reference, from_name, to_address, subject) VALUES ('held', '', '', '')`);
    await runAsSuperuser(
      test.databaseUrl,
      `INSERT INTO event (organization_id, name, subject_type, subject_id, actor, occurred_at)
       VALUES (${organizationId}, 'patient.registered', 'patient', 1, 'operator:x', now() - interval '1 minute')`,
    );
    const { checks } = await doctor(['log horizon']);
    expect(checks).toMatchObject([
      { state: 'warn', found: expect.stringMatching(/last 60 s .*: the transaction of process \d+ \(triptych\)/) },
    ]);
    await holder.query('ROLLBACK');
    holder.release();
    await eventually('it is read', async () => (await doctor(['log horizon'])).code === 0);
  });

  it('knows a month whose partition is missing, and rows that are in none', async () => {
    const own = await ownTestApp();
    const ask = async () => {
      const said = await admin(toEnvironment(own), ['doctor', '--json', '--only', 'log partitions'], '', own.database);
      return Findings.parse(JSON.parse(said.out)).checks[0];
    };
    expect(await ask()).toMatchObject({ state: 'ok', figures: { partitions: 15, months_missing: 0, rows_without_month: 0 } });
    const { id: organizationId } = await createOrganization(own.database.prisma);
    await own.database.pool.query(
      `INSERT INTO event (organization_id, name, subject_type, subject_id, actor, occurred_at)
       VALUES ($1, 'patient.registered', 'patient', 1, 'operator:x', '2999-01-01Z')`,
      [organizationId],
    );
    expect(await ask()).toMatchObject({ state: 'warn', found: 'rows of a month without a partition: 1 of event' });
    await runAsOwner(
      own.databaseUrl,
      `DO $$ BEGIN EXECUTE format('DROP TABLE %I', 'audit_entry_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')); END $$`,
    );
    expect(await ask()).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/^there is no partition for audit_entry in \d{4}-\d\d$/),
    });
  });

  it('counts charts that break a rule, and names none', async () => {
    const { id: organizationId } = await createOrganization(rows);
    const { id } = await createPatient(rows, { organizationId, firstName: 'Zebedee' });
    await runAsSuperuser(
      test.databaseUrl,
      `UPDATE patient SET email = 'no address' WHERE organization_id = ${organizationId} AND id = ${id}`,
    );
    const audited = await rows.auditEntry.count({ where: { organizationId } });
    const said = await admin(env, ['doctor', '--only', 'charts'], '', test.database);
    expect(said).toMatchObject({ code: 1, out: expect.stringMatching(/^warn {2}charts +1 of \d+ charts? breaks a rule/) });
    expect(said.out).not.toMatch(/Zebedee|no address/);
    expect(await rows.auditEntry.count({ where: { organizationId } })).toBe(audited);
  });

  it('tells how fast it grows, once that was measured for a day', async () => {
    await measureSize(test.database);
    expect((await doctor(['disk'])).checks[0]?.figures).not.toHaveProperty('growth_bytes_per_day');
    await runAsSuperuser(test.databaseUrl, `INSERT INTO database_size (day, bytes) VALUES (current_date - 10, 1000)`);
    const [disk] = (await doctor(['disk'])).checks;
    expect(disk?.found).toMatch(/grows by .* a day; .* of the disk are free/);
    expect(disk?.figures.growth_bytes_per_day).toBeGreaterThan(0);
  });

  it('finds a folder of files that cannot be written to', async () => {
    const nowhere = { ...env, DATA_DIR: '/dev/null/nowhere' };
    expect((await doctor(['files'], nowhere)).checks).toMatchObject([{ state: 'fail', advice: expect.stringContaining('free space') }]);
    await rm(test.config.DATA_DIR, { recursive: true, force: true });
  });
});
