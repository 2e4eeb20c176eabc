import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Actor } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';

type Feed = 'patients' | 'appointments' | 'providers';
const IDS = { patients: 'patientid', appointments: 'appointmentid', providers: 'providerid' };

interface Page {
  totalcount: number;
  next?: string;
  [feed: string]: unknown;
}

/** One page of a feed. */
export async function readPage(
  client: Actor,
  feed: Feed,
  query = '',
): Promise<{ ids: number[]; page: Page; records: Record<string, unknown>[] }> {
  const answer = await client.get(`/${feed}/changed${query}`);
  expect(answer.status, answer.text).toBe(200);
  const records: Record<string, unknown>[] = answer.body[feed];
  return { ids: records.map((record) => Number(record[IDS[feed]])), page: answer.body, records };
}

/** The ids of one page of a feed. */
export const changedIn = async (client: Actor, feed: Feed, query = ''): Promise<number[]> => (await readPage(client, feed, query)).ids;

/** Other tests' transactions may hold changes back for a while. */
const PATIENCE = { timeout: 90_000, interval: 20 };

/** Subscribes once all that happened so far counts as past. */
export async function subscribed(client: Actor, feed: Feed, form: object = {}): Promise<void> {
  const { database } = await sharedTestApp();
  const isPast = async () => {
    const [last] = await database.prisma.$queryRaw<{ number: bigint }[]>`
      SELECT coalesce(max(transaction_id), 0) AS number FROM event WHERE organization_id = ${client.organizationId}`;
    const [row] = await database.prisma.$queryRaw<{ past: boolean }[]>`SELECT ${last?.number}::bigint < log_horizon() AS past`;
    return row?.past;
  };
  await expect.poll(isPast, PATIENCE).toBe(true);
  const answer = await client.post(`/${feed}/changed/subscription`).type('form').send(form);
  expect(answer.body, answer.text).toEqual({ success: true });
}

/** Polls until so many ids have come; other transactions of the server may hold a change back. */
export async function pollUntil(client: Actor, feed: Feed, count: number, query = ''): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const page = await changedIn(client, feed, query);
    ids.push(...page);
    if (page.length === 0) await sleep(20);
  }
  return ids;
}

/** Looks until so many records wait, and leaves them. */
export async function waitUntil(client: Actor, feed: Feed, count: number): Promise<void> {
  await expect.poll(async () => (await readPage(client, feed, '?leaveunprocessed=true&limit=1')).page.totalcount, PATIENCE).toBe(count);
}
