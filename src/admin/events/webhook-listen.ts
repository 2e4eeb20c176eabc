import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { z } from 'zod';
import { namesMatching } from '../../domain/events/event-filter.ts';
import { publicEvent } from '../../domain/events/public-event.ts';
import { type LoggedEvent, newestCursor, readEvents } from '../../domain/logs/event-log.ts';
import { isDelivered } from '../../domain/webhooks/attempts.ts';
import { type SigningSecret, webhookHeaders } from '../../domain/webhooks/signatures.ts';
import { isPublicAddress } from '../../gateways/requests/guarded-requests.ts';
import { createWebhookSender, type WebhookAnswer, type WebhookSender } from '../../gateways/requests/webhook-sender.ts';
import { pause } from '../../jobs/queue/pause.ts';
import { chooseOrDemo, demoPractice } from '../installation/demo-practice.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { untilInterrupted } from '../terminal/interruption.ts';
import type { Io } from '../terminal/io.ts';
import { type CommandResult, record } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

const NOT_A_TYPE = 'must be kinds of events, by name or as appointment.*';

const eventTypes = () =>
  z
    .array(z.string().refine((name) => namesMatching(name).length > 0, NOT_A_TYPE))
    .meta({ placeholder: 'type', several: true })
    .describe('kinds of events, such as patient.updated or appointment.*; may be repeated');

/** Milliseconds between two looks at the log. */
const POLL_MS = 300;
/** Events a look. */
const PAGE = 100;

const NOT_AN_ADDRESS = 'must be an address, such as http://localhost:4000/hook';

const listenOptions = z.object({
  practice: demoPractice(),
  forwardTo: z
    .url({ protocol: /^https?$/, error: NOT_AN_ADDRESS })
    .refine((address) => isPublicAddress(address, { allowPrivate: true }), 'must contain no user or password')
    .exactOptional()
    .meta({ placeholder: 'address' })
    .describe('address to post each event to, signed like a delivery; without it, events are only shown'),
  types: eventTypes().default([]),
});

/** Follows the log of a practice for a developer whose machine has no public address. */
export function listenCommand(webhooks: Command, { command }: CommandDeclarer, io: Io): void {
  command(webhooks, 'listen', {
    summary: 'Show the events of a practice as they happen, and forward them to a receiver that you develop',
    details:
      'Needs neither a public address nor a webhook endpoint. Each event is posted once, signed with a secret that is shown at the start. With --json each event is a line of JSON. Stop with Ctrl-C.',
    options: listenOptions,
    run: (session, options) => listen(session, { ...io, asJson: webhooks.optsWithGlobals().json === true }, options),
  });
}

interface Listening {
  secret: SigningSecret;
  forwardTo: string | undefined;
  sender: WebhookSender;
  stopping: AbortSignal;
  show: (event: PublicEvent, answer: WebhookAnswer | null) => void;
}

type PublicEvent = ReturnType<typeof publicEvent>;

async function listen(
  session: Session,
  { asJson, ...io }: Io & { asJson: boolean },
  { practice, forwardTo, types }: z.output<typeof listenOptions>,
): Promise<CommandResult> {
  const organizationId = await chooseOrDemo(session, practice);
  const names = types.length === 0 ? undefined : types.flatMap(namesMatching);
  const hmacKey = randomBytes(32);
  const stopping = io.stopping ?? untilInterrupted();
  const sender = createWebhookSender({ allowPrivate: true });
  const show: Listening['show'] = (event, answer) => io.stdout(`${asJson ? writeJson(event, answer) : writeLine(event, answer)}\n`);
  const listening = { secret: { hmacKey, signingKey: null }, forwardTo, sender, stopping, show };
  const counts = { events: 0, delivered: 0 };
  let after = await session.read(organizationId, (tx) => newestCursor(tx.prisma));
  io.stderr(`Listening to practice ${organizationId}. Stop with Ctrl-C.\n`);
  if (forwardTo !== undefined) io.stderr(`Forwarding to ${forwardTo}\nSecret: whsec_${hmacKey.toString('base64')}\n`);
  while (!stopping.aborted) {
    const { events, cursor, hasMore } = await session.read(organizationId, (tx) => readEvents(tx, { after, limit: PAGE, names }));
    after = cursor;
    for (const event of events) {
      if (stopping.aborted) break;
      counts.events += 1;
      if (await forward(listening, event, counts.events)) counts.delivered += 1;
    }
    if (!hasMore) await pause(POLL_MS, stopping);
  }
  sender.close();
  return record({ practice_id: organizationId, ...counts });
}

/** Shows an event, and posts it where that was asked for. @returns whether it was taken */
async function forward({ secret, forwardTo, sender, stopping, show }: Listening, event: LoggedEvent, sequence: number): Promise<boolean> {
  const shown = publicEvent(event);
  if (forwardTo === undefined) {
    show(shown, null);
    return false;
  }
  const message = { id: shown.id, timestamp: Math.floor(Date.now() / 1000), body: JSON.stringify(shown) };
  const headers = webhookHeaders([secret], message, sequence);
  const answer = await sender.post({ url: forwardTo, headers, body: message.body }, stopping);
  if (!stopping.aborted || answer.failure === null) show(shown, answer);
  return isDelivered(answer);
}

const writeJson = (event: PublicEvent, answer: WebhookAnswer | null): string =>
  JSON.stringify({ ...event, ...(answer && { response_status: answer.status, failure: answer.failure }) });

function writeLine({ occurred_at, id, type, subject, changed }: PublicEvent, answer: WebhookAnswer | null): string {
  const about = `${occurred_at}  ${id}  ${type}  ${subject.type}:${subject.id}`;
  return [about, ...(changed.length > 0 ? [changed.join(', ')] : []), ...(answer ? [`-> ${outcome(answer)}`] : [])].join('  ');
}

/** @returns a few words */
function outcome({ status, failure }: WebhookAnswer): string {
  if (failure === 'bad_certificate') return 'its certificate is not trusted; forward to http://localhost instead';
  if (failure === 'no_http') return 'the receiver does not speak HTTP';
  if (failure === 'unreachable') return 'no answer; check that the receiver is running';
  if (failure === 'timeout') return 'no answer within 15 seconds';
  return status === null ? 'not sent' : String(status);
}
