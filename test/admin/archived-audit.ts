import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { z } from 'zod';
import { run } from '../../src/admin/program.ts';
import { ownTestApp } from '../support/app.ts';
import { runAsOwner, runWithoutTriggers } from '../support/database-roles.ts';
import { createOffice, createOrganization } from '../support/factories.ts';
import { createOperator } from './command-line.ts';

export const Report = z.object({
  practice_id: z.int(),
  holds: z.boolean(),
  links: z.int(),
  unsealed: z.int(),
  archived: z.int(),
  head: z.string().nullable(),
});

/** A server with an audit of the year 2019, of which months can be archived. */
export async function archivingApp() {
  const test = await ownTestApp();
  const operator = createOperator(test);
  const reports = (...rest: string[]) => operator.ask(z.array(Report), 'audit verify', ...rest);
  const tamper = (sql: string): Promise<void> => runWithoutTriggers(test.databaseUrl, sql);
  async function seal(): Promise<void> {
    do await operator.say('audit seal');
    while ((await reports()).some(({ unsealed }) => unsealed > 0));
  }
  /** Writes entries about charts 1, 2, 3 … at an instant, in a transaction of their own. */
  const write = (organizationId: number, at: string, count = 1): Promise<void> =>
    runAsOwner(
      test.databaseUrl,
      `INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
       SELECT ${organizationId}, '${at}', 'user:1', 'read', 'patient', ARRAY[n], 'GET /chart' FROM generate_series(1, ${count}) n`,
    );
  return {
    ...test,
    test,
    ...operator,
    reports,
    tamper,
    seal,
    write,
    count: async (table: string, condition = 'true') => {
      const { rows } = await test.database.pool.query(`SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`);
      return Number(rows[0].count);
    },
    /** A practice with entries of three months; two of them came in another order than their instants. */
    async practice(entries = 200): Promise<number> {
      const { id } = await createOrganization(test.database.prisma);
      // The nodes of a cluster know a practice by its users and offices.
      await createOffice(test.database.prisma, { organizationId: id });
      await write(id, '2019-03-10T08:00:00Z', entries);
      await write(id, '2019-04-01T00:00:00Z');
      await write(id, '2019-03-31T23:59:59.9Z');
      await seal();
      await write(id, '2019-04-20T08:00:00Z', entries);
      await seal();
      await write(id, '2019-05-02T08:00:00Z', 10);
      await runAsOwner(test.databaseUrl, 'SELECT make_log_partitions()');
      await seal();
      return id;
    },
    /** A folder that is gone after all tests of a file. */
    async keptFolder(): Promise<string> {
      const made = await mkdtemp(join(tmpdir(), 'archive-'));
      afterAll(() => rm(made, { recursive: true }));
      return made;
    },
    /** A folder that is gone after the test. */
    async folder(): Promise<string> {
      const made = await mkdtemp(join(tmpdir(), 'archive-'));
      onTestFinished(() => rm(made, { recursive: true }));
      return made;
    },
    /** A command that dies when it reports a step. @returns whether it died */
    async diesAt(step: number, argv: string[]): Promise<boolean> {
      let said = 0;
      let died = false;
      const code = await run(argv, {
        env: operator.env,
        stdin: (async function* () {})(),
        stdout: () => {},
        stderr: () => {
          said += 1;
          if (said !== step) return;
          died = true;
          throw new Error('killed');
        },
        database: test.database,
      });
      if (!died && code !== 0) throw new Error(`exited with ${code}`);
      return died;
    },
  };
}

export type ArchivingApp = Awaited<ReturnType<typeof archivingApp>>;
