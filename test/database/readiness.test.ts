import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { readiness } from '../../src/database/readiness.ts';
import { closedAfterAll, createTestDatabase } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';

const url = await createTestDatabase();
const READY = { status: 'ready' };
const open = () => closedAfterAll(openDatabase({ url, poolSize: 2 }));

describe('whether a process can serve', () => {
  it('needs a write, which leaves nothing behind', async () => {
    const { pool } = await open();
    const { rows: before } = await pool.query('SELECT pg_current_wal_insert_lsn() AS place');
    expect(await readiness(pool)).toEqual(READY);
    const { rows: after } = await pool.query('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::int AS bytes', [before[0].place]);
    expect(after[0].bytes).toBeGreaterThan(0);
    expect((await pool.query('SHOW work_mem')).rows).not.toEqual([{ work_mem: '64kB' }]);
  });

  it('makes a temporary file, for which a full disk has no room', async () => {
    const [watching, asking] = [await open(), openDatabase({ url, poolSize: 1 })];
    const temporaryBytes = async () => {
      const { rows } = await watching.pool.query(
        'SELECT temp_bytes::int AS bytes FROM pg_stat_database WHERE datname = current_database()',
      );
      return rows[0].bytes;
    };
    const before = await temporaryBytes();
    await readiness(asking.pool);
    // A connection reports what it did when it ends.
    await asking.close();
    await expect.poll(temporaryBytes, { timeout: 20_000 }).toBeGreaterThan(before + 500_000);
  });

  it('is asked of the database once for all who ask at the same time', async () => {
    const { pool } = await open();
    const asked = [readiness(pool), readiness(pool), readiness(pool)];
    expect(new Set(asked).size).toBe(1);
    expect(await Promise.all(asked)).toEqual([READY, READY, READY]);
  });

  it('is no where the database takes no changes, and yes again when it does', async () => {
    const { pathname } = new URL(url);
    const setting = (value: string) =>
      runAsOwner(url, `SET TRANSACTION READ WRITE; ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = ${value}`);
    await setting('on');
    const { pool } = await open();
    expect(await readiness(pool)).toEqual({ status: 'database refuses writes' });
    await setting('off');
    const { pool: later } = await open();
    expect(await readiness(later)).toEqual(READY);
  });
});
