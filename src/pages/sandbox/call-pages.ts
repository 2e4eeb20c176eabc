import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type CallableNumber, listCallableNumbers } from '../../domain/messaging/sandbox/sandbox-phones.ts';
import { findOrganization } from '../../domain/practices/organizations.ts';
import { formatPhone, readPhone as readNumber } from '../../domain/values/phone-numbers.ts';
import { readInput } from '../../http/input/input.ts';
import { alert } from '../design/feedback/alert.ts';
import { button } from '../design/forms/button.ts';
import { selectField, textArea, textField } from '../design/forms/field.ts';
import { html } from '../html.ts';
import type { SandboxPageDeps } from './sandbox-deps.ts';
import { FRONT_PAGE, readableKind, sandboxCaller, sendCarrierRequest, showPage } from './shared-parts.ts';

const LONGEST_MESSAGE = 2_000;

const callForm = z.object({ from: z.string().max(40), to: z.string(), words: z.string().max(LONGEST_MESSAGE).default('') });
type CallInput = z.infer<typeof callForm>;

const NO_NUMBER = alert({
  kind: 'danger',
  content: html`<p><a href="#from">The number that you call from</a> is not a telephone number.</p>`,
  attributes: { role: 'alert' },
});

const outcomeQuery = z.object({ became: z.enum(['message', 'call', 'rejected']).optional() });
const instruction = z.object({ kind: z.enum(['nothing', 'reject', 'take_message']) });

type CallOutcome = NonNullable<z.infer<typeof outcomeQuery>['became']>;

const OUTCOME_MESSAGES: Record<CallOutcome, string> = {
  message: 'The call was answered, and your message was left.',
  call: 'The call was answered and a voice asked for a message. You hung up.',
  rejected: 'The call was not answered, because this number is for faxes.',
};

/** Pages that simulate a call to a practice: it rings, a voice asks for a message, and the call ends with or without one. */
export function callPages(app: FastifyInstance, deps: SandboxPageDeps): void {
  const show = async (request: FastifyRequest, reply: FastifyReply, told: string, given: Partial<CallInput> = {}) => {
    const practices = await Promise.all(deps.testPracticeIds.map((id) => readLines(deps, request, id)));
    return showPage(reply, { title: 'Call a practice', content: html`!${told}!${showForm(practices, given)}`, back: FRONT_PAGE });
  };

  app.get('/sandbox/call', async (request, reply) => {
    const last = readInput(outcomeQuery, request.query).became;
    const told = last && alert({ kind: 'success', content: html`<p>${OUTCOME_MESSAGES[last]}</p>`, attributes: { role: 'status' } });
    return show(request, reply, told ?? '');
  });

  app.post('/sandbox/call', async (request, reply) => {
    const given = readInput(callForm, request.body);
    const { from, to, words } = given;
    const caller = readNumber(from);
    if (caller === null) return show(request, reply.code(400), NO_NUMBER, given);
    return reply.redirect(`/sandbox/call?became=${await placeCall(deps, request, { from: caller, to }, words.trim())}`, 303);
  });
}

/** Sends the webhooks of a carrier for one call, from ringing to its end. */
async function placeCall(
  deps: SandboxPageDeps,
  request: FastifyRequest,
  ends: { from: string; to: string },
  words: string,
): Promise<CallOutcome> {
  const startedAt = new Date().toISOString();
  const call = { kind: 'call', id: `CA-${randomUUID()}`, ...ends, startedAt };
  const answer = instruction.parse(JSON.parse(await sendCarrierRequest(deps, request, { ...call, status: 'ringing' })));
  const taken = answer.kind === 'take_message';
  const message = { kind: 'voice_message', id: `RE-${randomUUID()}`, ...ends, at: startedAt };
  if (taken && words !== '')
    await sendCarrierRequest(deps, request, { ...message, transcript: words, durationSeconds: String(speechSeconds(words)) });
  await sendCarrierRequest(deps, request, { ...call, status: taken ? 'completed' : 'busy', endedAt: new Date().toISOString() });
  return taken ? (words === '' ? 'call' : 'message') : 'rejected';
}

/** Length of a spoken message in seconds, at 2.5 words a second. */
const speechSeconds = (words: string): number => Math.max(1, Math.ceil(words.split(/\s+/).length / 2.5));

interface PracticeLines {
  name: string;
  lines: CallableNumber[];
}

function readLines({ unitOfWork }: SandboxPageDeps, request: FastifyRequest, id: number): Promise<PracticeLines> {
  return unitOfWork.read(sandboxCaller(request, id), async (tx) => {
    const { name } = await findOrganization(tx.prisma, id);
    return { name, lines: await listCallableNumbers(tx) };
  });
}

function showForm(practices: PracticeLines[], { from, to, words = '' }: Partial<CallInput>): string {
  const groups = practices.map(
    ({ name, lines }) => html`
<optgroup label="${name}">!${lines.map(({ number, kind }) => html`<option value="${number}"${number === to ? ' selected' : ''}>${formatPhone(number)} (${readableKind(kind)})</option>`).join('')}</optgroup>`,
  );
  return html`
<form class="stack" method="post" action="/sandbox/call">
!${textField({
    name: 'from',
    label: 'Which number do you call from?',
    hint: 'A patient’s number or any other, such as 910 555 0123.',
    value: from ?? '',
    error: from === undefined ? null : 'Write a telephone number.',
    attributes: { type: 'tel', autocomplete: 'off', required: true },
  })}
!${selectField({ name: 'to', label: 'Which number do you call?', options: groups.join('') })}
!${textArea({
    name: 'words',
    label: 'What do you say after the tone?',
    hint: 'Leave this empty to hang up without a message.',
    value: words,
    rows: 3,
    attributes: { maxlength: LONGEST_MESSAGE },
  })}
<p>!${button({ label: 'Call', icon: 'phone' })}</p>
</form>`;
}
