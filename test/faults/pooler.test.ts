import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import supertest from 'supertest';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { jobCaller } from '../../src/domain/caller.ts';
import { queueText } from '../../src/domain/messaging/queue/queued-texts.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { createOutbox } from '../../src/jobs/queue/queue.ts';
import { connect, toPath } from '../realtime/room.ts';
import { createTestDatabase } from '../support/app.ts';
import { foundClinic } from '../support/clinic.ts';
import { asOwner, createEmptyDatabase } from '../support/database-roles.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { type Create, createUntil, insist, proveExactlyOnce } from '../support/keyed-creates.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { removeFolder } from '../support/scratch.ts';
import { eventually, killServers, startServer } from '../support/server-process.ts';

/** Sessions, of which there are fewer than a server has connections. */
const SESSIONS = 4;
const WRITERS = 8;

let dataDir: string;
let pooler: PgBouncer;
let stopPooler = async () => {};

const begin = async (settings: Record<string, string | number> = {}) => {
  pooler = await startPgBouncer([inject('templateUrl'), inject('ownerUrl')], { default_pool_size: SESSIONS, ...settings });
  stopPooler = pooler.stop;
};
/** The environment of a server behind the pooler. */
const behind = (url: string) => ({
  DATABASE_URL: pooler.through(url),
  DATABASE_DIRECT_URL: url,
  DATABASE_OWNER_URL: asOwner(url),
  RATE_LIMIT: '1000000',
});

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-pooler-'));
});
afterEach(async () => {
  await killServers();
  await stopPooler();
  await removeFolder(dataDir);
});

/** Somebody else behind the same pooler, with settings of their own. */
async function settle(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: pooler.through(url) });
  client.on('error', () => {});
  await client.connect();
  await client.query("SET TIME ZONE 'Asia/Tokyo'");
  let stays = true;
  const staying = (async () => {
    while (stays) await client.query('SELECT now()').catch(() => sleep(50));
  })();
  return async () => {
    stays = false;
    await staying;
    await client.end();
  };
}

describe('servers behind PgBouncer in transaction mode', () => {
  it('migrate an empty database, write under load beside others in another time zone, and go on when it is started anew', async () => {
    await begin();
    const url = await createEmptyDatabase();
    const server = startServer(dataDir, behind(url));
    const clinic = await foundClinic(await server.ready, url);
    const leave = await settle(url);
    const creates: Create[] = [];
    const stopping = new AbortController();
    const load = Array.from({ length: WRITERS }, () => createUntil(stopping.signal, clinic, creates));
    const acknowledged = () => creates.filter((create) => create.acknowledged).length;
    await eventually('there is load', async () => acknowledged() > 200);
    await pooler.restart();
    const before = acknowledged();
    await eventually('it goes on', async () => acknowledged() > before + 200);
    stopping.abort();
    await Promise.all(load);
    await leave();
    for (const create of creates) await insist(clinic, create);
    await proveExactlyOnce(url, dataDir, clinic.organizationId, creates);

    const { prisma, close } = openDatabase({ url, poolSize: 1 });
    const newest = await prisma.event.findFirstOrThrow({ where: { organizationId: clinic.organizationId }, orderBy: { id: 'desc' } });
    await close();
    expect(Math.abs(Date.now() - newest.occurredAt.getTime())).toBeLessThan(3_600_000);
    server.kill('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
  });

  it('carry signals of video rooms from one to the other, and send what is queued', async () => {
    await begin();
    const url = await createTestDatabase();
    const worker = startServer(dataDir, { ...behind(url), LOG_LEVEL: 'info' }, { command: [process.execPath, 'scripts/worker.mjs'] });
    const servers = [0, 1].map(() => startServer(dataDir, { ...behind(url), RUN_JOBS: 'false' }));
    const [one = '', two = ''] = await Promise.all(servers.map(({ ready }) => ready));
    const database = openDatabase({ url, poolSize: 2 });
    const { prisma } = database;
    const { id: organizationId } = await createOrganization(prisma, { quietHoursStart: '00:00', quietHoursEnd: '00:00' });

    const { email, password } = await createUser(prisma, { organizationId, type: 'provider' });
    const signedIn = await supertest(one).post('/login').send({ email, password }).expect(200);
    const bearer = `Bearer ${signedIn.body.data.access_token}`;
    const { host_link, guest_link } = (await supertest(one).get('/meet-session').set('authorization', bearer).expect(200)).body.data;
    const enter = async (address: string, link: string, name?: string) => {
      const { body } = await supertest(address)
        .post(`${toPath(link)}/join`)
        .send({ name })
        .expect(200);
      const browser = await connect({ address }, body.token);
      await browser.next('entered');
      return { ...browser, id: Number(body.you.id) };
    };
    const host = await enter(one, host_link);
    const guest = await enter(two, guest_link, 'Gus');
    host.send({ type: 'admit', guest: `participant:${guest.id}` });
    await guest.next('admitted');
    guest.send({ type: 'signal', to: host.id, data: { candidate: { candidate: 'one', sdpMid: '0' } } });
    expect(await host.next('signal')).toMatchObject({ from: guest.id });
    await Promise.all([host.close(), guest.close()]);

    await prisma.phoneNumber.create({
      data: { organizationId, number: '+19105550100', kind: 'plain', carrier: 'local', carrierId: 'PN-1' },
    });
    const pooled = openDatabase({ url: pooler.through(url), directUrl: url, poolSize: 2 });
    const outbox = createOutbox(pooled, createLogger({ LOG_LEVEL: 'silent' }));
    await createUnitOfWork(pooled, outbox.enqueue).write(jobCaller(organizationId, 'test'), (tx) =>
      queueText(tx, { to: '+19195550123', body: 'Through the pooler' }),
    );
    await eventually('it is sent', async () => (await prisma.smsMessage.count({ where: { state: 'delivered' } })) === 1);
    await outbox.close();
    await Promise.all([pooled.close(), database.close()]);
    expect(worker.screen()).not.toContain('"level":"error"');
  });

  it('are started on settings that the role keeps, and end no session at the next start', async () => {
    await begin();
    const url = await createTestDatabase();
    for (const round of [1, 2]) {
      const server = startServer(dataDir, behind(url));
      await server.ready;
      const client = new pg.Client({ connectionString: pooler.through(url) });
      await client.connect();
      const { rows } = await client.query("SELECT current_setting('statement_timeout') AS limit, current_setting('jit') AS jit");
      expect({ round, ...rows[0] }).toEqual({ round, limit: '4s', jit: 'off' });
      await client.end();
      server.kill('SIGTERM');
      expect(await server.exited).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('a start is refused in one sentence', () => {
  it.each([
    [
      'where the pooler does not keep named statements, as those before 1.21',
      { max_prepared_statements: 0 },
      {},
      /^DATABASE_URL: the pooler does not support prepared statements\. PgBouncer 1\.21 or later does, with max_prepared_statements = 500\.\n$/,
    ],
    [
      'where it gives each statement another session',
      { pool_mode: 'statement' },
      {},
      /^DATABASE_URL: the pooler does not support transactions \(.*\)\. Set its pool_mode to transaction\.\n$/,
    ],
    [
      'where it has a single session',
      { default_pool_size: 1 },
      {},
      /^DATABASE_URL: the pooler has no second session \(.*\)\. Raise its default_pool_size\.\n$/,
    ],
    [
      'without an address past it',
      {},
      { DATABASE_DIRECT_URL: '', DATABASE_OWNER_URL: '' },
      /^DATABASE_URL: it points to a connection pooler\. Set DATABASE_DIRECT_URL to an address that bypasses it\.\n$/,
    ],
    [
      'without an address past it, also where it ignores the settings of sessions',
      { ignore_startup_parameters: 'options,statement_timeout,idle_in_transaction_session_timeout' },
      { DATABASE_DIRECT_URL: '', DATABASE_OWNER_URL: '' },
      /^DATABASE_URL: it points to a connection pooler\./,
    ],
  ])('%s', async (_when, settings, env, sentence) => {
    await begin(settings);
    const { code, stderr } = await startServer(dataDir, { ...behind(await createTestDatabase()), ...env }).exited;
    expect(stderr).toMatch(sentence);
    expect(code).toBe(1);
  });

  it('where the address past it does not lead past it, or to another database', async () => {
    await begin();
    const [url, other] = [await createTestDatabase(), await createTestDatabase()];
    const again = await startServer(dataDir, { ...behind(url), DATABASE_DIRECT_URL: pooler.through(url) }).exited;
    expect(again.stderr).toBe('DATABASE_DIRECT_URL: it points to a connection pooler. This address must point to PostgreSQL itself.\n');
    const elsewhere = await startServer(dataDir, { ...behind(other), DATABASE_URL: pooler.through(url) }).exited;
    expect(elsewhere.stderr).toBe('DATABASE_DIRECT_URL: it points to a different database than DATABASE_URL.\n');
  });
});
