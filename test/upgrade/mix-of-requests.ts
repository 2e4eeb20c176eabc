import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientKind } from '../../bench/credentials.ts';
import { TIMED_FROM, type Workload } from '../../bench/workloads/workload.ts';

/** Requests at a time, and milliseconds from the start of one to that of the next. */
const HANDS = 4;
const EVERY_MS = 80;

interface Answer {
  status: number;
  text: string;
}

interface Sent {
  method: string;
  path: string;
  token: string;
  body?: string | undefined;
  type?: string | undefined;
  key?: string | undefined;
}

export interface RunningMix {
  /** Ends it. @returns the requests, those that failed, the record numbers of acknowledged charts, and the slowest in milliseconds */
  stop(): Promise<{ requests: number; failed: string[]; charts: string[]; slowestMs: number }>;
}

/** Sends the mix of reads and writes and, now and then, a chart of its own, each on a connection of its own, until it is stopped. */
export function startMix(address: string, workload: Workload, tokens: Record<ClientKind, string>): RunningMix {
  const [failed, charts]: [string[], string[]] = [[], []];
  let [n, requests, slowestMs, stopping] = [TIMED_FROM, 0, 0, false];

  async function one(sent: Sent): Promise<boolean> {
    const start = performance.now();
    const answer = await send(address, sent).catch((error: Error): Answer => ({ status: 0, text: error.message }));
    requests += 1;
    slowestMs = Math.max(slowestMs, performance.now() - start);
    const isGood = answer.status >= 200 && answer.status < 300;
    if (!isGood) failed.push(`${sent.method} ${sent.path.split('?')[0]}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return isGood;
  }

  async function hand(): Promise<void> {
    while (!stopping) {
      const next = sleep(EVERY_MS);
      n += 1;
      if (n % 5 === 0) {
        const chart = randomUUID();
        const body = JSON.stringify({ fname: 'Rolling', lname: 'Upgrade', med_rec_no: chart, dob: '1980-02-29' });
        const sent = { method: 'POST', path: '/api/patients', token: tokens.integration, body, type: 'application/json', key: chart };
        if (await one(sent)) charts.push(chart);
      } else {
        const { client, ...rest } = workload.request(n);
        await one({ ...rest, token: tokens[client] });
      }
      await next;
    }
  }

  const hands = Array.from({ length: HANDS }, hand);
  return {
    async stop() {
      stopping = true;
      await Promise.all(hands);
      return { requests, failed, charts, slowestMs };
    },
  };
}

function send(address: string, { method, path, token, body, type, key }: Sent): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  return new Promise((resolve, reject) => {
    const sending = request(`${address}${path}`, { method, headers, agent: false, timeout: 10_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sending.on('error', reject);
    sending.on('timeout', () => sending.destroy(new Error('no answer within 10 s')));
    sending.end(body);
  });
}
