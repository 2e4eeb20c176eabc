/**
 * All patients of a practice in one request, beside lists of 5,000: `node bench/export.ts [--quick]`. The database is that of `npm run bench`.
 */
import { setInterval } from 'node:timers';
import { openDatabase } from '../src/database/database.ts';
import { createClient } from '../src/domain/identity/clients/clients.ts';
import { requireRequest } from './contender.ts';
import { clientToken } from './credentials.ts';
import { type BenchDatabase, openBenchDatabase, samplePatients } from './data/database.ts';
import { watchDatabase } from './database-load.ts';
import { load } from './load.ts';
import { readOptions } from './options.ts';
import type { ServerUnderTest } from './process.ts';
import { startOurs } from './triptych.ts';
import { warm } from './warm-up.ts';
import { SAMPLE, workloads } from './workloads/index.ts';

const MIB = 2 ** 20;
const LIST = 5_000;
const LISTS = 20;
const print = (line: string) => void process.stdout.write(`${line}\n`);

const options = readOptions(process.argv.slice(2));
const database = await openBenchDatabase(options, print);
const ours = await startOurs(database);
try {
  await show(database, ours.server);
} finally {
  await ours.server.stop();
  await database.stop();
}

async function show({ url, plans }: BenchDatabase, server: ServerUnderTest): Promise<void> {
  const [large] = plans;
  const [lists] = large ? workloads(large, await samplePatients(url, large, SAMPLE), '5000-records') : [];
  if (!lists) throw new Error('there is no list of full records');
  const contender = await ours.contender();
  await warm(contender, lists, 3);
  print('| | records | records a second | processor ms a record, server + database | resident, MiB: before, least, most |');
  print('| --- | --- | --- | --- | --- |');
  const token = await exportToken(url, server);
  for (const encoding of ['identity', 'gzip'])
    await timed(`export, ${encoding}`, url, server, () =>
      countRecords(`${server.address}/platform/v1/exports?kind=patients`, token, encoding),
    );
  const send = requireRequest(contender, lists);
  await timed(`lists of ${LIST}`, url, server, async () => {
    const seen = await load({ ...contender, send, first: 0, connections: 1, until: { requests: LISTS } });
    return seen.requests * LIST;
  });
}

async function exportToken(url: string, { address }: ServerUnderTest): Promise<string> {
  const { prisma, close } = openDatabase({ url, poolSize: 1 });
  const client = await createClient(prisma, { name: 'Benchmark', scopes: ['exports.read'], organizationIds: [1] }).finally(close);
  return clientToken(address, client);
}

/** Unpacks the answer, and counts its lines but for the last, which has the cursor. */
async function countRecords(address: string, token: string, encoding: string): Promise<number> {
  const { body, status } = await fetch(address, { headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding } });
  if (status !== 200 || !body) throw new Error(`the export was answered with ${status}`);
  let lines = 0;
  for await (const chunk of body) for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines - 1;
}

async function timed(title: string, url: string, server: ServerUnderTest, work: () => Promise<number>): Promise<void> {
  const watched = await watchDatabase(url);
  const used = async () => ({ server: await server.usage(), database: (await watched.cpuMs()) ?? 0, at: performance.now() });
  const before = await used();
  const resident: number[] = [];
  const timer = setInterval(() => void server.usage().then(({ rss }) => resident.push(rss / MIB)), 1_000);
  const records = await work();
  clearInterval(timer);
  const after = await used();
  await watched.close();
  const rate = records / ((after.at - before.at) / 1_000);
  const [ofServer, ofDatabase] = [after.server.cpuMs - before.server.cpuMs, after.database - before.database];
  const cost = [ofServer, ofDatabase].map((ms) => (ms / records).toFixed(4)).join(' + ');
  const seen = [before.server.rss / MIB, Math.min(...resident), Math.max(...resident)].map((mib) => mib.toFixed(0)).join(', ');
  print(`| ${title} | ${records.toLocaleString('en-US')} | ${rate.toFixed(0)} | ${cost} | ${seen} |`);
}
