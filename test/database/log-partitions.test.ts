import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '../support/app.ts';
import { asOwner } from '../support/database-roles.ts';

const LOGS = ['audit_entry', 'event'];

/** The first day of a month (UTC), counted from this one. */
const month = (later: number): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later));
};
const toName = (log: string, first: Date): string => `${log}_${first.toISOString().slice(0, 7).replace('-', '_')}`;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A database with all migrations and a practice, and connections as its owner and as the server. */
async function newDatabase() {
  const url = await createTestDatabase();
  const [owner, server] = [await connect(asOwner(url)), await connect(url)];
  // Its partitions are those of the month in which the run began; another one may have begun since.
  await server.query('SELECT make_log_partitions()');
  const { rows } = await owner.query<{ name: string }>('SELECT name FROM log_partitions() WHERE upper <= $1', [month(0)]);
  for (const { name } of rows) await owner.query(`DROP TABLE ${name}`);
  await owner.query(`INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now())`);
  return { url, owner, server };
}

const INSERT: Record<string, string> = {
  audit_entry: `INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
                VALUES (1, $1, 'test', 'read', 'patient', '{1}', 'test') RETURNING id::text`,
  event: `INSERT INTO event (organization_id, occurred_at, name, subject_type, subject_id, actor)
          VALUES (1, $1, 'patient.updated', 'patient', 1, 'test') RETURNING id::text`,
};

async function write(client: pg.Client, log: string, at: Date | string): Promise<string> {
  return (await client.query<{ id: string }>(INSERT[log] ?? '', [at])).rows[0]?.id ?? '';
}

async function partitions(owner: pg.Client, log: string): Promise<{ name: string; lower: Date | null; upper: Date | null }[]> {
  return (await owner.query('SELECT name, lower, upper FROM log_partitions() WHERE log = $1 ORDER BY upper, name', [log])).rows;
}

/** The partition that has each row, in the order of the log. */
async function places(owner: pg.Client, log: string): Promise<string[]> {
  const { rows } = await owner.query<{ place: string }>(`SELECT tableoid::regclass::text AS place FROM ${log} ORDER BY transaction_id, id`);
  return rows.map(({ place }) => place);
}

/** Columns, keys, indexes, triggers and privileges of a table, without its name. */
async function readShape(owner: pg.Client, table: string): Promise<unknown> {
  const { rows } = await owner.query<{ shape: unknown }>(
    `SELECT json_build_object(
       'columns', (SELECT json_agg(json_build_array(attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) ORDER BY attnum)
                     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = t.oid AND attnum > 0),
       'constraints', (SELECT json_agg(pg_get_constraintdef(oid) ORDER BY pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = t.oid),
       'indexes', (SELECT json_agg(substring(pg_get_indexdef(indexrelid) FROM ' USING .*') ORDER BY substring(pg_get_indexdef(indexrelid) FROM ' USING .*'))
                     FROM pg_index WHERE indrelid = t.oid AND indisvalid),
       'triggers', (SELECT json_agg(json_build_array(tgname, tgtype, tgenabled, tgfoid::regproc, tgqual IS NULL) ORDER BY tgname) FROM pg_trigger WHERE tgrelid = t.oid),
       'privileges', (SELECT json_agg(json_build_array(grantee::regrole, privilege_type) ORDER BY 1) FROM (
                        SELECT grantee, privilege_type FROM aclexplode(t.relacl) WHERE grantee <> t.relowner ORDER BY 1, 2) AS granted)) AS shape
       FROM pg_class t WHERE t.oid = to_regclass($1)`,
    [table],
  );
  return rows[0]?.shape;
}

describe.each(LOGS)('the log %s', (log) => {
  it('has a partition for this month and each of the next three, and one for all other rows', async () => {
    const { owner } = await newDatabase();
    const months = [0, 1, 2, 3].map((later) => ({ name: toName(log, month(later)), lower: month(later), upper: month(later + 1) }));
    expect(await partitions(owner, log)).toEqual([...months, { name: `${log}_default`, lower: null, upper: null }]);
    const [first, ...others] = await Promise.all([...months, { name: `${log}_default` }].map(({ name }) => readShape(owner, name)));
    for (const other of others) expect(other).toEqual(first);
    expect(first).toMatchObject({ privileges: null });
  });

  it('keeps a row in the partition of its month, to the last moment of it', async () => {
    const { owner, server } = await newDatabase();
    for (const at of [month(1), new Date(month(1).getTime() - 1), month(2), '1999-12-31T00:00:00Z', '2999-01-01T00:00:00Z'])
      await write(server, log, at);
    const rest = `${log}_default`;
    expect(await places(owner, log)).toEqual([toName(log, month(1)), toName(log, month(0)), toName(log, month(2)), rest, rest]);
  });

  it('gets no partition twice, also where several processes make them at once', async () => {
    const { url, owner, server } = await newDatabase();
    const before = await partitions(owner, log);
    expect((await server.query('SELECT make_log_partitions() AS made')).rows).toEqual([{ made: [] }]);
    await owner.query(`DROP TABLE ${toName(log, month(2))}, ${toName(log, month(3))}`);
    const others = await Promise.all([connect(url), connect(url), connect(url)]);
    const made = await Promise.all(others.map((other) => other.query<{ made: string[] }>('SELECT make_log_partitions() AS made')));
    expect(made.flatMap(({ rows }) => rows.flatMap((row) => row.made)).sort()).toEqual([toName(log, month(2)), toName(log, month(3))]);
    expect(await partitions(owner, log)).toEqual(before);
  });

  it('gets the partition of a month that it lacks, with the rows of that month as they were written', async () => {
    const { owner, server } = await newDatabase();
    await owner.query(`DROP TABLE ${toName(log, month(0))}`);
    await write(server, log, new Date());
    await write(server, log, '2001-02-03T04:05:06.789Z');
    await write(server, log, '2999-01-01T00:00:00Z');
    const rows = async () => (await owner.query(`SELECT l::text AS row FROM ${log} l ORDER BY transaction_id, id`)).rows;
    const [written, rest] = [await rows(), `${log}_default`];
    expect(await places(owner, log)).toEqual([rest, rest, rest]);
    expect((await server.query('SELECT make_log_partitions() AS made')).rows).toEqual([
      { made: [`${log}_2001_02`, toName(log, month(0))] },
    ]);
    expect(await places(owner, log)).toEqual([toName(log, month(0)), `${log}_2001_02`, rest]);
    await owner.query(`SELECT add_log_partition($1, '2999-01-01Z')`, [log]);
    expect(await places(owner, log)).toEqual([toName(log, month(0)), `${log}_2001_02`, `${log}_2999_01`]);
    expect(await rows()).toEqual(written);
    for (const made of [`${log}_2001_02`, `${log}_2999_01`, toName(log, month(0))])
      expect(await readShape(owner, made)).toEqual(await readShape(owner, toName(log, month(1))));
    // What refuses a change there is on again.
    await expect(owner.query(`UPDATE ${rest} SET actor = 'me'`)).rejects.toThrow('append-only');
  });

  it('is written and read while a partition cannot be made, because somebody reads the default one for long', async () => {
    const { url, owner, server } = await newDatabase();
    await owner.query(`DROP TABLE ${toName(log, month(3))}`);
    const reader = await connect(asOwner(url));
    await reader.query(`BEGIN; SELECT FROM ${log}_default`);
    await expect(server.query('SELECT make_log_partitions()')).rejects.toMatchObject({ code: '55P03' });
    await write(server, log, month(3));
    expect(await places(owner, log)).toEqual([`${log}_default`]);
    await reader.query('COMMIT');
    await server.query('SELECT make_log_partitions()');
    expect(await places(owner, log)).toEqual([toName(log, month(3))]);
  });

  it('is only added to, also by the owner and in each of its partitions', async () => {
    const { owner, server } = await newDatabase();
    await write(server, log, new Date());
    // Events may be deleted a week later. The default partition has no rows whose deletion could be refused.
    for (const table of [log, toName(log, month(0)), `${log}_default`])
      for (const statement of [`UPDATE ${table} SET actor = 'me'`, `TRUNCATE ${table}`, `DELETE FROM ${table}`])
        if (!(statement.startsWith('DELETE') && table.endsWith('_default')))
          await expect(owner.query(statement), statement).rejects.toThrow('append-only');
  });

  it('leaves the partitions to its owner: the server neither makes, drops, attaches, reads nor writes one by itself', async () => {
    const { server } = await newDatabase();
    const partition = toName(log, month(0));
    for (const statement of [
      `SELECT FROM ${partition}`,
      `INSERT INTO ${partition} SELECT * FROM ${log}`,
      `UPDATE ${partition} SET actor = 'me'`,
      `DELETE FROM ${partition}`,
      `TRUNCATE ${partition}`,
      `DROP TABLE ${partition}`,
      `ALTER TABLE ${partition} DISABLE TRIGGER ALL`,
      `ALTER TABLE ${log} DETACH PARTITION ${partition}`,
      `ALTER TABLE ${log} ATTACH PARTITION patient FOR VALUES FROM ('2001-01-01') TO ('2001-02-01')`,
      `CREATE TABLE ${log}_2001_01 PARTITION OF ${log} FOR VALUES FROM ('2001-01-01') TO ('2001-02-01')`,
      `SELECT add_log_partition('${log}', '2001-01-01Z')`,
      `SELECT guard_log_partition('${log}', '${partition}')`,
      `SELECT drop_log_partition('${log}', '${partition}', now())`,
    ])
      await expect(server.query(statement), statement).rejects.toThrow(/permission denied|must be owner/);
  });

  it('loses a partition only when all of it is from before the instant that is named', async () => {
    const { owner, server } = await newDatabase();
    await write(server, log, '2001-02-03T00:00:00Z');
    await server.query('SELECT make_log_partitions()');
    const drop = (name: string, before: string) =>
      owner.query<{ dropped: boolean }>('SELECT drop_log_partition($1, $2, $3) AS dropped', [log, name, before]);
    for (const [name, before] of [
      [`${log}_2001_02`, '2001-02-28T23:59:59Z'],
      [`${log}_default`, '2999-01-01Z'],
      [toName(log, month(0)), '2999-01-01Z'],
      ['patient', '2999-01-01Z'],
    ] as const)
      await expect(drop(name, before), name).rejects.toThrow(`has no partition ${name}`);
    expect((await drop(`${log}_2001_02`, '2001-03-01Z')).rows).toEqual([{ dropped: true }]);
    expect(await places(owner, log)).toEqual([]);
  });
});

it('partitions of events are dropped a week after their month when they are empty, and no sooner', async () => {
  const { owner, server } = await newDatabase();
  const event = await write(server, 'event', '2001-02-03T00:00:00Z');
  await write(server, 'event', '2001-03-03T00:00:00Z');
  await server.query('SELECT make_log_partitions()');
  const dropped = async () =>
    (await server.query<{ dropped: string[] }>('SELECT drop_empty_event_partitions() AS dropped')).rows[0]?.dropped;
  expect(await dropped()).toEqual([]);
  await owner.query('DELETE FROM event WHERE id = $1', [event]);
  expect(await dropped()).toEqual(['event_2001_02']);
  expect(await places(owner, 'event')).toEqual(['event_2001_03']);
  // A later event of that month finds its place again.
  await write(server, 'event', '2001-02-03T00:00:00Z');
  await server.query('SELECT make_log_partitions()');
  expect(await places(owner, 'event')).toEqual(['event_2001_03', 'event_2001_02']);
  await owner.query('DELETE FROM event');
  expect(await dropped()).toEqual(['event_2001_02', 'event_2001_03']);
  expect(await partitions(owner, 'event')).toHaveLength(5);
});

it('an empty partition stays while a backup is under way, whose snapshot may have rows in it', async () => {
  const { url, owner, server } = await newDatabase();
  await owner.query(`SELECT add_log_partition('event', '2001-02-01Z')`);
  const backup = await connect(url);
  await backup.query('SELECT pg_advisory_lock(7410262)');
  const drop = async () => (await server.query('SELECT drop_empty_event_partitions() AS dropped')).rows;
  expect(await drop()).toEqual([{ dropped: [] }]);
  await backup.query('SELECT pg_advisory_unlock(7410262)');
  expect(await drop()).toEqual([{ dropped: ['event_2001_02'] }]);
});
