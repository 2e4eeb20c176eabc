import fc from 'fast-check';
import { expect, it } from 'vitest';
import { reconcilePresence } from '../../src/jobs/reconcile-presence.ts';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { type Browser, connect, enter, invitee, type JoinAnswer, join, listNames, openMeeting, passTime, waitingInvitee } from './room.ts';

/** Stories that are told; VISIT_RUNS=500 looks for rare ones. */
const RUNS = Number(process.env.VISIT_RUNS ?? 6);

const unlimited = { RATE_LIMIT: '1000000', RATE_LIMIT_ANONYMOUS: '1000000' };
const test = await ownTestApp(unlimited);
const apps = [test, await ownTestApp(unlimited, { databaseUrl: test.databaseUrl })] as const;
const host = await signedInUser(test, { organizationId: await practiceWithNumber(test), type: 'provider' });

const NAMES = ['Ada', 'Bo', 'Cy', 'Di'] as const;
type Name = (typeof NAMES)[number];

interface Guest {
  name: Name;
  link: string;
  answer: JoinAnswer | null;
  browser: Browser | null;
  /** Of all joins. */
  tokens: string[];
  /** All that the guest's browsers have heard. */
  heard: Browser['heard'][];
}

const SOON = { timeout: 10_000 };
const who = fc.constantFrom(...NAMES);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('join'), who, process: fc.nat(1), resume: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('admit'), who, visit: fc.constantFrom('new', 'current', undefined) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave'), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lock'), on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('steal'), who, process: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), seconds: fc.constantFrom(10, 61, 190) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('signal'), who, to: who }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Answers after what the server does on a socket, or when the socket is closed. */
const answered = async (browser: Browser) => {
  browser.send({ type: 'ping' });
  await Promise.race([browser.next('pong'), browser.closed]);
};

/** One session with its host and four guests, of whom one comes through a waiting room. */
async function openStory() {
  const session = await openMeeting(host);
  const leader = await enter(test, session.host);
  const links = [
    session.guest,
    session.guest,
    (await invitee(test, host, session, 'Cy')).link,
    (await waitingInvitee(test, host, 'Di')).link,
  ];
  const guests = new Map<Name, Guest>(
    NAMES.map((name, place) => [name, { name, link: links[place] ?? '', answer: null, browser: null, tokens: [], heard: [] }]),
  );
  /** Who was admitted to each visit, by its number. */
  const visits = new Map<number, Set<string>>();
  return { session, leader, guests, visits };
}

type Story = Awaited<ReturnType<typeof openStory>>;

async function joinAs(guest: Guest, app: (typeof apps)[number], resume: boolean): Promise<void> {
  const body = { name: guest.name, resume: resume ? (guest.answer?.resume ?? null) : null };
  const answer = await join(app, guest.link, body).catch(() => null);
  if (!answer) return;
  guest.tokens.push(answer.token);
  const browser = await connect(app, answer.token);
  guest.heard.push(browser.heard);
  const entered = await Promise.race([browser.next('entered'), browser.closed]);
  const kept = 'resume' in entered && typeof entered.resume === 'string' ? entered.resume : answer.resume;
  Object.assign(guest, { answer: { ...answer, resume: kept }, browser });
}

async function admit({ session, leader, visits }: Story, guest: Guest, visit: 'new' | 'current' | undefined): Promise<void> {
  const { answer, browser } = guest;
  if (!answer || !browser) return;
  const read = async () => (await test.database.prisma.videoSession.findFirstOrThrow({ where: { id: session.uuid } })).visit;
  const admissions = () => browser.heard.filter(({ type }) => type === 'admitted').length;
  const [before, known] = [await read(), admissions()];
  // A page that lost its line hears of no admission.
  let isClosed = false;
  void browser.closed.then(() => {
    isClosed = true;
  });
  const address = `${answer.kind === 'session' ? 'participant' : 'visit'}:${answer.you.id}`;
  const problems = () => leader.heard.filter(({ type }) => type === 'problem').length;
  const refused = problems();
  leader.send({ type: 'admit', guest: address, visit });
  await answered(leader);
  if (problems() > refused) return;
  const now = await read();
  const there = visits.get(now) ?? new Set();
  if (now === before) expect(visit === 'current' || [...there].every((name) => name === guest.name)).toBe(true);
  visits.set(now, there.add(guest.name));
  await expect.poll(() => isClosed || admissions() > known || browser.heard.some(({ type }) => type === 'closing'), SOON).toBe(true);
  if (answer.kind === 'waiting_room') await joinAs(guest, apps[1], true);
}

async function act(story: Story, { do: what, ...more }: Step): Promise<void> {
  const { session, leader, guests } = story;
  const guest = guests.get('who' in more ? more.who : 'Ada');
  if (!guest) return;
  const { answer, browser } = guest;
  if (what === 'join' && 'resume' in more) await joinAs(guest, apps[more.process === 1 ? 1 : 0], more.resume);
  if (what === 'admit') await admit(story, guest, 'visit' in more ? more.visit : undefined);
  if (what === 'leave') browser?.send({ type: 'leave' });
  if (what === 'lose') browser?.close();
  if (what === 'leave' || what === 'lose') await browser?.closed;
  if (what === 'remove' && answer) leader.send({ type: 'remove', person: answer.you.id });
  if (what === 'lock' && 'on' in more) leader.send({ type: 'lock', on: more.on });
  if (what === 'remove' || what === 'lock') await answered(leader);
  if (what === 'wait' && 'seconds' in more) {
    await passTime(test, session.uuid, more.seconds, [leader.answer.you.id]);
    await reconcilePresence(test.services);
  }
  if (what === 'signal' && 'to' in more) {
    const to = guests.get(more.to)?.answer?.you.id;
    if (to && browser) browser.send({ type: 'signal', to, data: { candidate: { candidate: guest.name } } });
  }
  if (what === 'steal' && 'process' in more) {
    const thief = await connect(apps[more.process === 1 ? 1 : 0], guest.tokens.at(0) ?? '');
    guest.heard.push(thief.heard);
    await Promise.race([thief.next('entered'), thief.closed]);
    thief.close();
  }
}

/** Nobody has seen or heard a guest with whom they were not admitted. */
function holds({ guests, visits }: Story): void {
  for (const { name, heard } of guests.values()) {
    for (const message of heard.flat()) {
      if (message.type === 'signal') {
        const by = JSON.stringify(message.data).match(/"candidate":"(\w+)"/)?.[1] ?? '';
        expect([...visits.values()].some((together) => together.has(name) && together.has(by))).toBe(true);
      }
      if (message.type !== 'room') continue;
      const together = visits.get(Number(message.visit)) ?? new Set();
      const seen = listNames(message).filter((one) => one !== 'Una User');
      expect({ name, seen: seen.filter((one) => !together.has(one)) }).toEqual({ name, seen: [] });
      expect(together.has(name)).toBe(true);
    }
  }
}

it('two patients who were not admitted together never share a room, whatever they and the host do', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const story = await openStory();
      // Each story begins with two patients who wait.
      for (const name of ['Ada', 'Cy'] as const) await act(story, { do: 'join', who: name, process: 0, resume: false });
      for (const one of steps) await act(story, one);
      await answered(story.leader);
      holds(story);
      story.leader.send({ type: 'end' });
      await story.leader.closed;
      holds(story);
    }),
    { numRuns: RUNS, endOnFailure: RUNS < 50 },
  );
});
