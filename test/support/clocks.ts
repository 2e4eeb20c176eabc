import { glob, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseAccount } from '../../src/database/embedded/account.ts';
import { findBinaries } from '../../src/database/embedded/binaries.ts';
import { startCluster } from '../../src/database/embedded/cluster.ts';
import { startSupervised } from '../../src/database/embedded/supervised.ts';
import { singleConnection } from '../../src/database/single-connection.ts';
import { eventually } from './server-process.ts';

/** A wall clock that can be set while the processes that live by it run. Their monotonic clocks go on as ever. */
export interface Clock {
  /** The environment of a process that lives by this clock. */
  env: Record<string, string>;
  /** @param ahead seconds by which it is ahead of the machine's clock from now on */
  set(ahead: number): Promise<void>;
  remove(): Promise<void>;
}

/** @throws Error with what to install where there is no libfaketime */
export async function makeClock(): Promise<Clock> {
  const library = await findLibrary();
  const folder = await mkdtemp(join(tmpdir(), 'triptych-clock-'));
  const file = join(folder, 'ahead');
  const set = async (ahead: number) => {
    // Renamed into place: a reader of half a line would have no time at all.
    await writeFile(`${file}.new`, `${ahead < 0 ? '' : '+'}${ahead}\n`, { mode: 0o644 });
    await rename(`${file}.new`, file);
  };
  await set(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
    // The times of files are left alone.
    NO_FAKE_STAT: '1',
  };
  return { env, set, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function findLibrary(): Promise<string> {
  if (process.env.LIBFAKETIME) return process.env.LIBFAKETIME;
  for await (const found of glob('/usr/lib/*/faketime/libfaketimeMT.so.1')) return found;
  throw new Error(
    'The proof of clocks needs libfaketime: apt-get install libfaketime, or set LIBFAKETIME to the path of libfaketimeMT.so.1.',
  );
}

/** A PostgreSQL that lives by a clock of its own. */
export interface ClockedDatabase {
  url: string;
  ownerUrl: string;
  stop(): Promise<void>;
}

/** Makes a database in a folder and starts it by this clock: the embedded one takes nothing from the environment. */
export async function startClockedDatabase(folder: string, clock: Clock): Promise<ClockedDatabase> {
  const made = await startCluster({ folder });
  await made.stop();
  const [data, port] = [join(folder, 'database'), await freePort()];
  const { postgres } = await findBinaries();
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', timezone: 'UTC', shared_buffers: '64MB' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const environment = Object.entries(clock.env).map(([name, value]) => `${name}=${value}`);
  const log = await open(join(folder, 'clocked.log'), 'w', 0o600);
  const account = await databaseAccount(data);
  const running = await startSupervised(
    account,
    [postgres, data],
    ['/usr/bin/env', ...environment, postgres, '-D', data, ...flags],
    log.fd,
  );
  await log.close();
  const at = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
  await eventually('the database takes connections', () => takesConnections(at(made.url)));
  return { url: at(made.url), ownerUrl: at(made.ownerUrl), stop: running.stop };
}

async function takesConnections(connectionString: string): Promise<boolean> {
  const client = singleConnection({ connectionString });
  const isOpen = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => {});
  return isOpen;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}
