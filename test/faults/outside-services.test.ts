import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { ACCOUNT, startTwilioDouble, TOKEN, type TwilioDouble } from '../gateways/twilio-double.ts';
import { postOnce, signInToApp, type UserCall } from '../support/app-user.ts';
import { askingPractice, createRecipient } from '../support/check-ins.ts';
import { type FailingNetwork, startProxy } from '../support/proxy.ts';
import { BUCKET, startS3 } from '../support/s3-server.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseUrl, eventually, killServers, startServer } from '../support/server-process.ts';

const IS_PROOF = Number(process.env.KILLS ?? 200) >= 100;
/** Milliseconds for which the networks fail, and by which they are late. */
const FAILS_MS = IS_PROOF ? 20_000 : 6_000;
const DELAY_MS = 1_500;
/** An answer takes 5 s at most, and a busy machine a moment more to hand it over. */
const LIMIT_MS = 6_000;
/** Further attempts begin after 5, 10, 20 … seconds; the carrier is asked again after 20 s at the earliest. */
const SENT_WITHIN_MS = 240_000;
/** Milliseconds from one text, mail and file to the next. */
const EVERY_MS = 500;

let folder: string;
let database: Database;
let address: string;
let bucket: Awaited<ReturnType<typeof startS3>>;
let carrier: TwilioDouble;
let mails: Mails;
let networks: Record<'carrier' | 'mail' | 'bucket', FailingNetwork>;

interface Mails {
  url: string;
  /** The Message-ID of each that came. */
  ids: string[];
  close(): Promise<void>;
}

async function startMailServer(): Promise<Mails> {
  const ids: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) =>
      void text(stream).then((mail) => {
        ids.push(/^Message-ID: (.+)$/im.exec(mail)?.[1]?.trim() ?? 'none');
        done();
      }, done),
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const bound = server.server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  return { url: `smtp://127.0.0.1:${port}`, ids, close: () => new Promise((resolve) => void server.close(resolve)) };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-services-'));
  [bucket, carrier, mails] = await Promise.all([startS3(), startTwilioDouble(), startMailServer()]);
  const [toCarrier, toMail, toBucket] = await Promise.all([carrier.url, mails.url, bucket.endpoint].map(startProxy));
  if (!toCarrier || !toMail || !toBucket) throw new Error('there are three services');
  networks = { carrier: toCarrier, mail: toMail, bucket: toBucket };
  const server = startServer(folder, {
    RATE_LIMIT: '1000000',
    TRIPTYCH_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: ACCOUNT,
    TWILIO_AUTH_TOKEN: TOKEN,
    TWILIO_BASE_URL: new URL(networks.carrier.url).origin,
    SMTP_URL: networks.mail.url,
    MAIL_FROM: 'desk@practice.example',
    TRIPTYCH_FILES: 's3',
    FILES_S3_BUCKET: BUCKET,
    FILES_S3_ENDPOINT: new URL(networks.bucket.url).origin,
    FILES_S3_ACCESS_KEY_ID: 'S3RVER',
    FILES_S3_SECRET_ACCESS_KEY: 'S3RVER',
  });
  address = await server.ready;
  database = openDatabase({ url: await databaseUrl(folder), poolSize: 3 });
});
afterEach(async () => {
  await database?.close();
  await killServers();
  await Promise.all(Object.values(networks).map((network) => network.close()));
  await Promise.all([bucket.close(), carrier.close(), mails.close()]);
  await removeFolder(folder);
});

/** Somebody of a practice who writes to patients, and keeps files. */
async function foundDesk() {
  const { organizationId, survey } = await askingPractice({ database });
  const patient = await createRecipient({ database }, organizationId);
  carrier.services.set('MG1', { numbers: ['PN1'], campaign: 'VERIFIED', defersAnswers: false });
  await database.prisma.phoneNumber.updateMany({ where: { organizationId }, data: { carrier: 'twilio', carrierId: 'PN1' } });
  const user = await signInToApp(address, database.prisma, organizationId);
  const calls = { statuses: new Map<string, number>(), slowestMs: 0 };
  const timed =
    (what: string): UserCall =>
    async (...words) => {
      const start = performance.now();
      const answer = await user(...words);
      calls.slowestMs = Math.max(calls.slowestMs, performance.now() - start);
      const name = `${what} ${answer.status}`;
      calls.statuses.set(name, (calls.statuses.get(name) ?? 0) + 1);
      return answer;
    };
  const call = async (what: string, ...words: Parameters<UserCall>) => (await timed(what)(...words)).status;
  const written = { sms: 0, email: 0 };
  return {
    calls,
    written,
    write(way: 'sms' | 'email') {
      written[way] += 1;
      const body = { message: `Message ${written[way]}`, sms_email: way, recipient_id: patient.id, survey_type_id: survey.id };
      return postOnce(timed(way), '/checkin/send', body);
    },
    keep() {
      const form = new FormData();
      form.set('file', new Blob([`Seen on ${performance.now()}\n`]), 'note.txt');
      return call('upload', 'POST', '/attachment', form);
    },
    look: () => call('look', 'GET', '/patients?limit=20'),
    ready: () => call('ready', 'GET', '/readyz'),
  };
}

/** The ways in which a network fails. */
const FAULTS: [string, (network: FailingNetwork) => unknown][] = [
  ['carry nothing', (network) => network.swallow()],
  ['are cut', (network) => network.cut()],
  ['reset what is sent', (network) => network.forget()],
  ['carry everything late', (network) => network.delay(DELAY_MS)],
];

it.each(IS_PROOF ? FAULTS : FAULTS.slice(0, 1))(
  'callers wait for nothing, and each text and mail leaves once, when the networks to mail, bucket and carrier %s',
  { timeout: 600_000 },
  async (what, fail) => {
    const desk = await foundDesk();
    const stopping = new AbortController();
    const loop = async (act: () => Promise<unknown>) => {
      while (!stopping.signal.aborted) await Promise.all([act(), sleep(EVERY_MS)]);
    };
    const loops = [() => desk.write('sms'), () => desk.write('email'), desk.keep, desk.look].map(loop);
    const all = Promise.all(loops);
    all.catch(() => {});
    await sleep(2_000);
    await Promise.all(Object.values(networks).map(fail));
    await sleep(FAILS_MS);
    const failedBy = performance.now();
    await Promise.all(Object.values(networks).map((network) => network.restore()));
    stopping.abort();
    await all;

    await eventually('a file can be kept again', async () => (await desk.keep()) === 201, 10_000);
    const { prisma } = database;
    const waiting = async () =>
      (await prisma.smsMessage.count({ where: { state: 'queued' } })) + (await prisma.mailMessage.count({ where: { state: 'queued' } }));
    await eventually('all is sent', async () => (await waiting()) === 0, SENT_WITHIN_MS);
    const seconds = ((performance.now() - failedBy) / 1_000).toFixed(0);
    for (let round = 0; round < 2; round += 1)
      expect(await Promise.all(Array.from({ length: 20 }, desk.ready))).toEqual(new Array(20).fill(200));

    const counts = [...desk.calls.statuses].map(([name, count]) => `${name}: ${count}`).join(', ');
    const { sms, email } = desk.written;
    console.log(
      `  networks that ${what}: ${counts}; the slowest answer took ${Math.round(desk.calls.slowestMs)} ms; all was sent ${seconds} s after them`,
    );
    console.log(`  ${carrier.messages.length} of ${sms} texts, ${mails.ids.length} deliveries of ${email} mails`);
    expect(desk.calls.slowestMs).toBeLessThan(LIMIT_MS);
    expect([...desk.calls.statuses.keys()].filter((name) => !/ (200|201|503|409)$/.test(name))).toEqual([]);
    expect(new Set(carrier.messages.map(({ body }) => body)).size).toBe(sms);
    expect(carrier.messages).toHaveLength(sms);
    // Of a mail whose acceptance got lost, the mailbox sees by its Message-ID that it has it.
    expect(new Set(mails.ids).size).toBe(email);
  },
);
