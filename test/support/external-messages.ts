import { setTimeout as sleep } from 'node:timers/promises';
import type supertest from 'supertest';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { signedInUser } from './actors.ts';
import type { TestApp } from './app.ts';
import { addPhoneNumber } from './phone-numbers.ts';

/** Somebody of a practice that has a number and never sleeps. */
export async function sender(test: TestApp, options: Parameters<typeof signedInUser>[1] = {}) {
  const awake = { quietHoursStart: '00:00', quietHoursEnd: '00:00', phone: '+19195550100', name: 'Elm Street Clinic' };
  const who = await signedInUser(test, { ...options, organization: { ...awake, ...options.organization } });
  const { organizationId } = who;
  const number = { organizationId, number: `+1984555${String(organizationId).padStart(4, '0')}`, kind: 'plain' as const };
  await addPhoneNumber(test.database.prisma, { ...number, carrier: 'local', carrierId: 'PN-1' });
  return who;
}

export type Sender = Awaited<ReturnType<typeof sender>>;

/** At three in the afternoon of UTC, some days from now; and the day, as the practice of these tests reads it. */
export const END = new Date(`${new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)}T15:00:00Z`);
export const END_DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'America/New_York' }).format(END);

export const NUMBER = '9195550123';

/** Sends a message as somebody of the practice; refused, it says why. */
export async function send(who: Sender, body: object = {}): Promise<supertest.Response> {
  const answer = await who.post('/external-messages').send({ message: 'All is well.', sent_to: NUMBER, ...body });
  if (answer.status !== 201) throw new Error(`not sent: ${answer.status} ${answer.text}`);
  return answer;
}

interface Words {
  to: string;
  subject: string | null;
  words: string;
}

/** Texts and mails to people outside, as they leave, the oldest first. */
export async function written(
  { database: { prisma }, keyring }: TestApp,
  { organizationId }: Pick<Sender, 'organizationId'>,
): Promise<Words[]> {
  const [texts, mails] = await Promise.all([
    prisma.smsMessage.findMany({ where: { organizationId, direction: 'outbound' }, orderBy: { id: 'asc' } }),
    prisma.mailMessage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } }),
  ]);
  const all = [
    ...texts.map((text) => ({ at: text.queuedAt, to: text.toNumber, subject: null, words: fillSealedPlaceholders(keyring, 'text', text) })),
    ...mails.map((mail) => ({
      at: mail.queuedAt,
      to: mail.toAddress,
      subject: mail.subject,
      words: fillSealedPlaceholders(keyring, 'mail', mail),
    })),
  ];
  return all.sort((one, other) => one.at.getTime() - other.at.getTime()).map(({ at: _, ...words }) => words);
}

/** The path of the page that the newest notice leads to. */
export async function newestLink(test: TestApp, who: Sender): Promise<string> {
  const links = (await written(test, who)).flatMap(({ words }) => /https?:\/\/[^/]+(\/m\/[\w-]{32})/.exec(words)?.[1] ?? []);
  return links.at(-1) ?? 'no link';
}

/** The newest code that was sent. */
export async function newestCode(test: TestApp, who: Sender): Promise<string> {
  return (await written(test, who)).flatMap(({ words }) => /^(\d{6}) is your code/.exec(words)?.[1] ?? []).at(-1) ?? 'no code';
}

/** Sends a message, and answers its path and its id. */
export async function sendLink(test: TestApp, who: Sender, body: object = {}): Promise<{ path: string; uuid: number }> {
  // Notices that were queued in one millisecond are in no order.
  await sleep(2);
  const { uuid } = (await send(who, body)).body.data;
  return { path: await newestLink(test, who), uuid };
}

/** Opens an address as a browser does, and follows it nowhere. */
export async function getPage({ address }: TestApp, path: string, cookie = '') {
  const answer = await fetch(`${address}${path}`, { redirect: 'manual', headers: { cookie } });
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
}

/** Sends a form as a browser does. */
export async function postForm({ address }: TestApp, path: string, form: Record<string, string> = {}) {
  const answer = await fetch(`${address}${path}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) });
  const { status, headers } = answer;
  return { status, location: headers.get('location'), cookie: headers.get('set-cookie'), text: await answer.text() };
}

/** Sends a message that asks for a code. */
export const sendLocked = (test: TestApp, who: Sender, body: object = {}) =>
  sendLink(test, who, { message: 'Private words', extra_auth: 1, ...body });

/** Sends such a message, and asks for its code. */
export async function askForCode(test: TestApp, who: Sender, body: object = {}) {
  const link = await sendLocked(test, who, body);
  await postForm(test, `${link.path}/code`);
  return { ...link, code: await newestCode(test, who) };
}

/** The pages of messages as a browser opens them, and the records behind them. */
export function messagePages(test: TestApp, sentBy: Sender) {
  const open = (path: string, init: RequestInit = {}) => fetch(`${test.address}${path}`, { redirect: 'manual', ...init });
  return {
    open,
    async page(path: string, init: RequestInit = {}) {
      const answer = await open(path, init);
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
    record: async (uuid: number, of = sentBy) => (await of.get(`/external-messages/${uuid}`).expect(200)).body.data,
    /** Makes a message expire a second ago. */
    expire: (id: number, of = sentBy) =>
      test.database.prisma.externalMessage.update({
        where: { organizationId_id: { organizationId: of.organizationId, id } },
        data: { expiresAt: new Date(Date.now() - 1_000) },
      }),
  };
}
