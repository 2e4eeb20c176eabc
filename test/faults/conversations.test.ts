import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import supertest from 'supertest';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { textReference } from '../../src/domain/messaging/sending/outgoing-texts.ts';
import { openActs, type Story } from '../cross-cutting/conversation-acts.ts';
import { openPractices } from '../cross-cutting/conversation-practices.ts';
import { checkLeaving } from '../cross-cutting/conversation-rules.ts';
import { type Setting, type Step, setting, step } from '../cross-cutting/conversation-steps.ts';
import { isFarewell } from '../cross-cutting/conversation-words.ts';
import type { Visit, World } from '../cross-cutting/conversation-world.ts';
import { closedAfterAll, type Served } from '../support/app.ts';
import { runSql } from '../support/database-roles.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseOwnerUrl, databaseUrl, killServers, startServer } from '../support/server-process.ts';
import { endanger, type Figures, SLOW_CARRIER } from './conversation-danger.ts';

const IS_PROOF = Number(process.env.KILLS ?? 100) >= 100;
/** Conversations, and how many are held at once: 500 are the proof; with a small KILLS, 20. */
const STORIES = Number(process.env.CONVERSATIONS ?? (IS_PROOF ? 500 : 20));
const AT_ONCE = 12;
const STEPS = { minLength: 8, maxLength: IS_PROOF ? 24 : 16 };
/** Milliseconds that a conversation waits at most for a text to leave: its worker may be dead. */
const PATIENCE_MS = 1_500;

const dataDir = await mkdtemp(join(tmpdir(), 'triptych-conversations-'));
afterAll(async () => {
  await killServers();
  await removeFolder(dataDir);
});
const server = startServer(dataDir, { RUN_JOBS: 'false', RATE_LIMIT: '1000000', RATE_LIMIT_ANONYMOUS: '1000000', DATABASE_POOL: '40' });
const address = await server.ready;
await runSql(await databaseOwnerUrl(dataDir), SLOW_CARRIER);
const database = await closedAfterAll(openDatabase({ url: await databaseUrl(dataDir), poolSize: AT_ONCE }));
const { prisma } = database;
const keyring = createKeyring(readConfig({ DATA_DIR: dataDir }).MASTER_KEYS);
const test: Served = { address, database, keyring, http: supertest.agent(address) };
const practices = openPractices(test);
const { findPractice, readLeft, readConfirmation } = practices;
const { beginStory, act } = openActs(test, practices, { twice: true, look: readLeft, work: waitForWorkers });

/** The workers are at work all the time. */
async function waitForWorkers({ phones }: World): Promise<void> {
  const waiting = { toNumber: { in: phones }, direction: 'outbound', state: 'queued' } as const;
  const end = Date.now() + randomInt(PATIENCE_MS);
  while (Date.now() < end && (await prisma.smsMessage.count({ where: waiting })) > 0) await sleep(100);
}

/** What may be so of a story in a time: from the beginning of the step that led to it to the end of the step that ended it. */
interface Moment {
  from: number;
  until: number;
  visits: Visit[];
  /** Numbers that want no texts, as in the story. */
  revoked: Set<string>;
}

const toMoment = ({ world, consents }: Story, from: number): Moment => ({
  from,
  until: Number.POSITIVE_INFINITY,
  visits: structuredClone(world.visits),
  revoked: new Set([...consents].filter(([, { revoked }]) => revoked).map(([key]) => key)),
});

/** The story up to its failure, and the warnings of the server. */
const failure = (log: readonly string[], { world: { left } }: Story, cause: unknown): Error =>
  new Error(
    [...log, ...left.map(({ at, reference, body }) => `${at.toISOString()} ${reference} left: ${body}`), server.screen()].join('\n'),
    { cause },
  );

interface Told {
  story: Story;
  moments: Moment[];
  log: string[];
}

/** Tells a story while the workers die. Each of its steps waits for the one before. */
async function tell(of: Setting, steps: readonly Step[]): Promise<Told> {
  const story = await beginStory(of);
  // Any worker may be dead at any time.
  story.world.isCertain = false;
  const moments = [toMoment(story, 0)];
  const log: string[] = [];
  const asked = of.asked.map((visit): Step => ({ do: 'send', visit, kind: 'asking', leaves: true }));
  const take = async (one: Step) => {
    const from = Date.now();
    log.push(`${new Date(from).toISOString()} ${JSON.stringify(one)}`);
    await act(story, one).catch((cause: unknown) => {
      throw failure(log, story, cause);
    });
    const last = moments.at(-1);
    if (last) last.until = Date.now() + 1;
    moments.push(toMoment(story, from));
  };
  for (const one of [...asked, ...steps]) await take(one);
  while (story.underway.length > 0) await take({ do: 'arrive', again: false });
  return { story, moments, log };
}

/** Runs all, so many at once; they begin one after the other. */
async function inParallel<T, R>(all: readonly T[], run: (one: T) => Promise<R>): Promise<R[]> {
  const waiting = [...all];
  const done: R[] = [];
  const runner = async (_: unknown, index: number) => {
    await sleep(index * 200);
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) done.push(await run(one));
  };
  await Promise.all(Array.from({ length: AT_ONCE }).map(runner));
  return done;
}

/** Texts that are not in an end state, and jobs. */
async function countWaiting(): Promise<number> {
  const [found] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT ((SELECT count(*) FROM sms_message WHERE direction = 'outbound' AND state IN ('queued', 'sent'))
          + (SELECT count(*) FROM queue.job WHERE state < 'completed'))::int AS count`;
  return found?.count ?? 0;
}

/** A small count does not wait until the jobs of the killed workers are free again: half a minute passes at once. */
async function passTime(): Promise<void> {
  await prisma.$executeRaw`UPDATE queue.job SET heartbeat_on = heartbeat_on - interval '30 s' WHERE state = 'active'`;
  await prisma.$executeRaw`UPDATE queue.job SET start_after = now() WHERE state = 'retry'`;
}

type Attempts = Map<string, { began: number; made: number }[]>;

async function readAttempts(): Promise<Attempts> {
  const owner = openDatabase({ url: await databaseOwnerUrl(dataDir), poolSize: 1 });
  const rows = await owner.prisma.$queryRaw<{ organizationId: number; id: number; began: number; made: number }[]>`
    SELECT organization_id AS "organizationId", text_id::float8 AS id,
           extract(epoch FROM began_at)::float8 * 1000 AS began, extract(epoch FROM made_at)::float8 * 1000 AS made FROM proof.attempt`;
  await owner.close();
  return Map.groupBy(rows, (row) => textReference(row));
}

/** Each attempt at a text that has left was allowed by what was so when it was decided. */
function checkDepartures({ story: { world }, moments }: Told, attempts: Attempts): void {
  for (const text of world.left) {
    const made = attempts.get(text.reference) ?? [];
    expect([text.reference, made.some(({ began }) => began <= text.at.getTime() + 1)]).toEqual([text.reference, true]);
    for (const attempt of made) {
      const then = moments.filter(({ from, until }) => from <= attempt.made && attempt.began <= until);
      const objections = then.map(({ visits, revoked }) => {
        const consent = { revoked: revoked.has(`${text.practice} ${text.to}`), farewells: Number.POSITIVE_INFINITY };
        return catchError(() => checkLeaving({ ...world, visits }, text, findPractice(text.practice).name, consent));
      });
      if (!objections.includes(null)) throw objections.at(-1);
    }
  }
}

function catchError(check: () => void): unknown {
  try {
    check();
    return null;
  } catch (error) {
    return error;
  }
}

/** The carrier's record and the practice's agree: each text that was agreed to is there once, and in an end state. */
async function checkRecords({ story }: Told): Promise<void> {
  const { world, accepted, consents } = story;
  const texts = await prisma.smsMessage.findMany({ where: { direction: 'outbound', toNumber: { in: world.phones } } });
  // Each story reminds the patients of all.
  const reminders = await prisma.visitMessage.count({ where: { lead: { not: null }, text: { toNumber: { in: world.phones } } } });
  expect(texts.filter(({ isReply }) => !isReply)).toHaveLength(accepted + reminders);
  const references = world.left.map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  const left = new Set(references);
  for (const text of texts) {
    const { id, state, reason, attempts } = text;
    const isRight = left.has(textReference(text)) ? state === 'delivered' : state === 'suppressed';
    expect({ id, state, reason, attempts, left: left.has(textReference(text)), isRight }).toMatchObject({ isRight: true });
  }
  for (const [key, { farewells }] of consents) {
    const sent = world.left.filter(({ practice, to, body }) => `${practice} ${to}` === key && isFarewell(body));
    expect(sent.length).toBeLessThanOrEqual(farewells);
  }
  for (const visit of world.visits) expect(await readConfirmation(visit)).toBe(visit.cancelled ? null : visit.confirmation);
}

it(`holds ${STORIES} conversations while both workers are killed again and again`, { timeout: 60_000 + STORIES * 3_000 }, async () => {
  const calm = step.filter((one) => one.do !== 'night' && one.do !== 'give');
  const stories = fc.sample(fc.tuple(setting, fc.array(calm, STEPS)), STORIES);
  const figures: Figures = { kills: 0, pauses: 0 };
  let isOver = false;
  const workers = [1, 2].map(() => endanger(dataDir, figures, () => isOver));
  const told = await inParallel(stories, ([of, steps]) => tell(of, steps)).finally(async () => {
    isOver = true;
    // None may start after the end of the test.
    await Promise.all(workers);
  });
  const until = performance.now() + 120_000;
  while ((await countWaiting()) > 0 && performance.now() < until) {
    if (!IS_PROOF) await passTime();
    await sleep(1_000);
  }
  expect(await countWaiting()).toBe(0);

  const attempts = await readAttempts();
  for (const one of told) {
    await readLeft(one.story.world);
    try {
      checkDepartures(one, attempts);
      await checkRecords(one);
    } catch (cause) {
      throw failure(one.log, one.story, cause);
    }
  }
  const left = told.reduce((sum, { story }) => sum + story.world.left.length, 0);
  const again = [...attempts.values()].filter(({ length }) => length > 1).length;
  console.log(`  ${STORIES} conversations, ${figures.kills} kills, ${figures.pauses} pauses; ${left} texts left, ${again} attempted again`);
});
