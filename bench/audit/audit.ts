import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../src/database/database.ts';
import { startCluster } from '../../src/database/embedded/cluster.ts';
import { migrate } from '../../src/database/migrations/migrations.ts';
import { createClient } from '../../src/domain/identity/clients/clients.ts';
import { clientToken } from '../credentials.ts';
import type { Options } from '../options.ts';
import { startOurServer } from '../triptych.ts';

const READS = 10_000;
/** As many as a small practice has at work. */
const CONNECTIONS = 8;

/** What the audit takes, in bytes, by the name of each of its tables and indexes; and the position in the write-ahead log. */
interface Sizes {
  bytes: Record<string, number>;
  wal: number;
}

/**
 * Reads one chart ten thousand times from this server on a new database, and shows by how much its audit and the write-ahead log
 * have grown when all of it is sealed.
 */
export async function showAuditGrowth({ folder }: Pick<Options, 'folder'>, print: (line: string) => void): Promise<void> {
  const own = join(folder, 'audit');
  await rm(own, { recursive: true, force: true });
  const cluster = await startCluster({ folder: own, settings: { autovacuum: 'off', checkpoint_timeout: '30min' } });
  try {
    await migrate(cluster);
    const { path, client } = await fill(cluster.url);
    const server = await startOurServer({ url: cluster.url, folder: own }, 'server');
    try {
      const token = await clientToken(server.address, client);
      const read = async () => {
        const answer = await fetch(`${server.address}${path}`, { headers: { authorization: `Bearer ${token}` } });
        if (!answer.ok) throw new Error(`a read was answered with ${answer.status}`);
        await answer.arrayBuffer();
      };
      for (let n = 0; n < 100; n += 1) await read();
      await measure(cluster.superuserUrl, read, print);
    } finally {
      await server.stop();
    }
  } finally {
    await cluster.stop();
  }
}

async function fill(url: string) {
  const { prisma, close } = openDatabase({ url, poolSize: 1 });
  try {
    const { id: organizationId } = await prisma.organization.create({ data: { name: 'Practice', timeZone: 'America/New_York' } });
    const { id } = await prisma.patient.create({ data: { organizationId, firstName: 'Pat', lastName: 'Example' } });
    const client = await createClient(prisma, { name: 'Benchmark', scopes: ['practice.read'], organizationIds: [organizationId] });
    return { path: `/v1/${organizationId}/patients/${id}`, client };
  } finally {
    await close();
  }
}

async function measure(url: string, read: () => Promise<void>, print: (line: string) => void): Promise<void> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    await untilSealed(db);
    await db.query('CHECKPOINT');
    const before = await sizes(db);
    let left = READS;
    const one = async () => {
      for (; left > 0; ) {
        left -= 1;
        await read();
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
    await untilSealed(db);
    // The pending entries of the indexes on charts go to their places, as they do under autovacuum.
    await db.query('VACUUM audit_entry');
    const after = await sizes(db);
    const grown = Object.entries(after.bytes).map(([name, bytes]) => ({ name, bytes: bytes - (before.bytes[name] ?? 0) }));
    const total = grown.reduce((sum, { bytes }) => sum + bytes, 0);
    print(`${READS} reads of one chart, ${CONNECTIONS} at a time, sealed: bytes for each`);
    for (const { name, bytes } of grown) if (bytes > 0) print(`  ${name}: ${Math.round(bytes / READS)}`);
    print(`  together: ${Math.round(total / READS)}, that is ${(total / 1e6).toFixed(2)} MB`);
    print(`  write-ahead log: ${Math.round((after.wal - before.wal) / READS)}`);
  } finally {
    await db.end();
  }
}

/** Sealed is what the head of the chain reaches. */
async function untilSealed(db: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ left: number }>(`
      SELECT count(*)::int AS left FROM audit_entry e
        LEFT JOIN audit_head h ON h.organization_id = e.organization_id AND (e.transaction_id, e.id) <= (h.transaction_id, h.audit_entry_id)
       WHERE h.organization_id IS NULL`);
    if (rows[0]?.left === 0) return;
    await sleep(200);
  }
}

async function sizes(db: pg.Client): Promise<Sizes> {
  const { rows } = await db.query<{ name: string; bytes: number }>(`
    SELECT relname AS name, pg_relation_size(oid)::float8 AS bytes FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relname LIKE 'audit%' AND relkind IN ('r', 'i') ORDER BY relname`);
  const { rows: log } = await db.query<{ wal: number }>("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal");
  return { bytes: Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes])), wal: log[0]?.wal ?? 0 };
}
