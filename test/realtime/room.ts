import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Actor, signedInUser } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { fillSealedMessage } from '../support/sealed-messages.ts';

const SEALED = { organizationId: true, id: true, body: true, sealed: true } as const;

/** A user who is signed in. */
type User = Awaited<ReturnType<typeof signedInUser>>;

const joined = z.looseObject({
  state: z.string(),
  kind: z.string(),
  you: z.object({ id: z.int(), role: z.string(), kind: z.string(), name: z.string() }),
  since: z.string().nullable(),
  token: z.string(),
  resume: z.string(),
  way: z.string().nullable(),
});
export type JoinAnswer = z.infer<typeof joined>;

const message = z.looseObject({ type: z.string() });
export type Message = z.infer<typeof message>;

const meeting = z.object({ guid: z.string(), uuid: z.int(), host_link: z.string(), guest_link: z.string(), expires_at: z.string() });

/** Opens a new session of a signed-in user. @returns the session with the paths of its two links */
export async function openMeeting(user: Actor) {
  const { host_link, guest_link, ...session } = meeting.parse((await user.get('/meet-session').expect(200)).body.data);
  return { ...session, host: toPath(host_link), guest: toPath(guest_link) };
}

export const toPath = (link: string): string => new URL(link).pathname;

/** The join request of the page behind a link. */
export async function join({ http }: TestApp, path: string, body: { name?: string; resume?: string | null } = {}): Promise<JoinAnswer> {
  const answer = await http.post(`${path}/join`).send(body);
  if (answer.status !== 200) throw new Error(`not joined: ${answer.status} ${answer.text}`);
  return joined.parse(answer.body);
}

/** The socket of a browser. Received messages are kept, so that none is missed. */
export interface Browser {
  heard: Message[];
  send(message: object | string): void;
  /** The next message of a type that matches and was not returned before. */
  next(type: string, fits?: (message: Message) => boolean): Promise<Message>;
  /** Resolves with the close code and reason. */
  closed: Promise<{ code: number; reason: string }>;
  close(): void;
}

/** Opens the socket, and enters unless the token is null. */
export async function connect({ address }: Pick<TestApp, 'address'>, token: string | null): Promise<Browser> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/v/signal`);
  const heard: Message[] = [];
  const taken = new Set<Message>();
  const lookers = new Set<() => void>();
  socket.addEventListener('message', ({ data }) => {
    heard.push(message.parse(JSON.parse(String(data))));
    for (const look of [...lookers]) look();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the socket does not open')));
  });
  const browser: Browser = {
    heard,
    send: (what) => socket.send(typeof what === 'string' ? what : JSON.stringify(what)),
    next: (type, fits = () => true) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          lookers.delete(look);
          reject(new Error(`no such ${type}; heard ${JSON.stringify(heard)}`));
        }, 10_000);
        function look() {
          const found = heard.find((one) => !taken.has(one) && one.type === type && fits(one));
          if (!found) return;
          clearTimeout(late);
          lookers.delete(look);
          taken.add(found);
          resolve(found);
        }
        lookers.add(look);
        look();
      }),
    closed,
    close: () => socket.close(),
  };
  if (token !== null) browser.send({ type: 'enter', token });
  return browser;
}

/** Joins and enters, and waits for `entered`. */
export async function enter(test: TestApp, path: string, body: { name?: string; resume?: string | null } = {}) {
  const answer = await join(test, path, body);
  const browser = await connect(test, answer.token);
  const { resume } = await browser.next('entered');
  // In a waiting room the socket says by which token the browser returns.
  return { ...browser, answer: { ...answer, resume: typeof resume === 'string' ? resume : answer.resume } };
}

/** A host and a guest in one room. */
export async function meet(test: TestApp, { host, guest }: { host: string; guest: string }, name = 'Gus') {
  const leader = await enter(test, host);
  const visitor = await enter(test, guest, { name });
  leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
  await visitor.next('admitted');
  return { leader, visitor };
}

/** The path of an invite's link, which is only in its message. */
export async function findLink({ database: { prisma }, keyring }: TestApp, organizationId: number, id: number): Promise<string> {
  const { text, mail } = await prisma.sessionInvite.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id } },
    select: { text: { select: SEALED }, mail: { select: SEALED } },
  });
  const words = fillSealedMessage(keyring, { text, mail }) ?? '';
  const [link] = /https?:\/\/\S+/.exec(words) ?? [];
  if (!link) throw new Error(`no link in ${words}`);
  return toPath(link);
}

/** Sets the last heartbeat of a participant or a visit to some seconds ago, and their arrival to before it. A heartbeat under way is of no connection. */
export async function silence(
  { database: { prisma } }: TestApp,
  kind: 'participant' | 'visit',
  id: number,
  seconds: number,
): Promise<Date> {
  const lastSeenAt = new Date(Date.now() - seconds * 1000);
  if (kind === 'participant')
    await prisma.$executeRaw`
      UPDATE session_participant SET connection = gen_random_uuid(), last_seen_at = ${lastSeenAt}, waiting_since = least(waiting_since, ${lastSeenAt}),
             admitted_at = least(admitted_at, ${lastSeenAt}), joined_at = least(joined_at, ${lastSeenAt})
       WHERE id = ${id}`;
  else await prisma.waitingRoomVisit.updateMany({ where: { id }, data: { connection: randomUUID(), lastSeenAt } });
  return lastSeenAt;
}

/** Lets time pass in a session, for all but the people who are connected. */
export async function passTime({ database: { prisma } }: TestApp, sessionId: number, seconds: number, connected: number[]): Promise<void> {
  await prisma.$transaction([
    prisma.$executeRaw`
      UPDATE session_participant SET waiting_since = waiting_since - make_interval(secs => ${seconds}),
             admitted_at = admitted_at - make_interval(secs => ${seconds}), joined_at = joined_at - make_interval(secs => ${seconds}),
             left_at = left_at - make_interval(secs => ${seconds}), removed_at = removed_at - make_interval(secs => ${seconds}),
             last_seen_at = CASE WHEN id = ANY (${connected}::bigint[]) THEN last_seen_at ELSE last_seen_at - make_interval(secs => ${seconds}) END
       WHERE video_session_id = ${sessionId}`,
    prisma.$executeRaw`
      UPDATE telehealth_visit SET started_at = started_at - make_interval(secs => ${seconds}), ended_at = ended_at - make_interval(secs => ${seconds})
       WHERE video_session_id = ${sessionId}`,
    prisma.$executeRaw`
      UPDATE waiting_room_visit SET entered_at = entered_at - make_interval(secs => ${seconds}), left_at = left_at - make_interval(secs => ${seconds}),
             admitted_at = admitted_at - make_interval(secs => ${seconds})
       WHERE video_session_id = ${sessionId}`,
  ]);
}

/** The names of the people in a `room` message. */
export const listNames = ({ people }: Message): string[] =>
  z
    .array(z.object({ name: z.string() }))
    .parse(people ?? [])
    .map(({ name }) => name);

/** A new patient with a link of their own to a session. */
export async function invitee(test: TestApp, host: User, { guid }: { guid: string }, firstName: string) {
  const patient = await newPatient(test, host, firstName);
  const { uuid } = (await host.post(`/video-session/${guid}/invite`).send({ patient_id: patient.id }).expect(201)).body.data;
  return { patient, link: await findLink(test, host.organizationId, uuid) };
}

/** A new patient with a link to a new waiting room of the host. */
export async function waitingInvitee(test: TestApp, host: User, firstName: string) {
  const { organizationId } = host;
  const patient = await newPatient(test, host, firstName);
  const { id } = await test.database.prisma.waitingRoom.create({ data: { organizationId, name: 'Room', userId: host.user.id } });
  const { uuid } = (await host.post(`/waiting-rooms/${id}/invite/${patient.id}`).send({}).expect(201)).body.data;
  return { patient, link: await findLink(test, organizationId, uuid) };
}

const newPatient = ({ database: { prisma } }: TestApp, { organizationId }: User, firstName: string) =>
  createPatient(prisma, { organizationId, firstName, mobilePhone: '+12125550123' });
