/** A server without HTTP: its signal bus under the orders of the benchmark. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openDatabase } from '../../src/database/database.ts';
import { createSignalBus, type SignalBus } from '../../src/realtime/bus/signal-bus.ts';
import { type Order, order, type Pair, type Report } from './messages.ts';

const TICK_MS = 10;
/** Signals under way from which on no more are offered: the rate is no longer followed. */
const MOST_UNDER_WAY = 20_000;
/** Of sixteen signals of a browser, one describes its session and the others name a way to it. */
const SDP = 'a=candidate and codec\r\n'.repeat(200);
const CANDIDATE = 'candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx raddr 10.0.0.7 rport 46154 generation 0';
const sent = z.object({ data: z.object({ at: z.number() }) });

const clock = () => performance.timeOrigin + performance.now();
const logger = { warn: (...words: unknown[]) => console.error(...words) };

async function start({ databaseUrl, organizationId, pairs, listens }: Extract<Order, { type: 'start' }>) {
  const database = openDatabase({ url: databaseUrl, poolSize: 10 });
  const bus = createSignalBus(database, logger);
  await bus.ready();
  const delays: number[] = [];
  if (listens)
    for (const { to } of pairs)
      bus.subscribe(organizationId, `participant:${to}`, (payload) => void delays.push(clock() - sent.parse(payload).data.at));
  const counts = { offered: 0, answered: 0 };
  let cpu = process.cpuUsage();
  return {
    send: (rate: number, seconds: number) => send(bus, { organizationId, pairs, counts }, { rate, seconds }),
    report(): Report {
      const { user, system } = process.cpuUsage(cpu);
      cpu = process.cpuUsage();
      const answer = { cpuMs: (user + system) / 1000, delays: delays.splice(0) };
      return answer;
    },
    async stop() {
      await bus.close();
      await database.close();
    },
  };
}

interface Room {
  organizationId: number;
  pairs: readonly Pair[];
  counts: { offered: number; answered: number };
}

/** Offers signals at a rate, evenly over the pairs, and does not wait for the answers. */
async function send(bus: SignalBus, { organizationId, pairs, counts }: Room, { rate, seconds }: { rate: number; seconds: number }) {
  const begun = performance.now();
  for (let count = 0; performance.now() < begun + seconds * 1000; await sleep(TICK_MS)) {
    for (const due = Math.floor(((performance.now() - begun) / 1000) * rate); count < due; count += 1) {
      const pair = pairs[count % pairs.length];
      if (!pair || counts.offered - counts.answered > MOST_UNDER_WAY) continue;
      counts.offered += 1;
      const words = count % 16 === 0 ? { description: { type: 'offer', sdp: SDP } } : { candidate: { candidate: CANDIDATE, sdpMid: '0' } };
      void bus.send({ organizationId, ...pair, data: { ...words, at: clock() } }).then(
        () => {
          counts.answered += 1;
        },
        // It does not arrive, and is seen by that.
        () => {
          counts.answered += 1;
        },
      );
    }
  }
}

let running: ReturnType<typeof start> | undefined;
process.on('message', async (message) => {
  const given = order.parse(message);
  if (given.type === 'start') running = start(given);
  const bus = await running;
  if (given.type === 'send') await bus?.send(given.rate, given.seconds);
  if (given.type === 'stop') await bus?.stop();
  process.send?.(given.type === 'report' ? bus?.report() : { cpuMs: 0, delays: [] });
});
// Ends with the benchmark, also when that is killed.
process.on('disconnect', () => process.exit(0));
