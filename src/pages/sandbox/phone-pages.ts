import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { recipientLanguage } from '../../domain/messaging/recipients/recipient-language.ts';
import {
  type CallableNumber,
  listCallableNumbers,
  readSandboxConversation,
  type SandboxConversation,
  type SandboxText,
  sendTextNow,
} from '../../domain/messaging/sandbox/sandbox-phones.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import type { InEachLanguage, Language } from '../../domain/values/languages.ts';
import { formatPhone } from '../../domain/values/phone-numbers.ts';
import { countCharacters } from '../../domain/values/text-form.ts';
import { readInput } from '../../http/input/input.ts';
import { LARGEST_BODY } from '../../http/requests/bodies.ts';
import { sendTexts } from '../../jobs/sending/send-texts.ts';
import { alert } from '../design/feedback/alert.ts';
import { emptyState } from '../design/feedback/empty-state.ts';
import { button } from '../design/forms/button.ts';
import { selectField, textArea } from '../design/forms/field.ts';
import { html } from '../html.ts';
import type { SandboxPageDeps } from './sandbox-deps.ts';
import {
  FRONT_PAGE,
  REFRESH_SECONDS,
  readableReason,
  readableTime,
  readSandboxKey,
  reloadButton,
  requirePractice,
  sandboxCaller,
  sendCarrierRequest,
  showPage,
  withLinks,
} from './shared-parts.ts';

const MAX_TEXTS = 60;
const LONGEST_TEXT = 1_600;

const written = z.object({
  to: z.string(),
  body: z
    .string()
    .refine((text) => countCharacters(text) <= LONGEST_TEXT, `must have at most ${LONGEST_TEXT} characters`)
    .optional(),
  quick: z.string().max(20).optional(),
  picture: z.literal('1').optional(),
});
const chosenText = z.object({ id: z.coerce.number<string>().int() });

/** The pages of a phone: received texts, replies of its owner, and texts that wait. */
export function phonePages(app: FastifyInstance, deps: SandboxPageDeps): void {
  app.get('/sandbox/phones/:key', async (request, reply) => {
    const { practice: id, at: number } = readSandboxKey(deps, request);
    const shown = await deps.unitOfWork.read(sandboxCaller(request, id), async (tx) => ({
      practice: await requirePractice(tx),
      lines: await listCallableNumbers(tx),
      screen: await readSandboxConversation(tx, { keyring: deps.keyring, number, most: MAX_TEXTS }),
    }));
    if (shown.screen.texts.some(isOnItsWay)) reply.header('refresh', REFRESH_SECONDS);
    return showPage(reply, {
      title: shown.screen.name ?? formatPhone(number),
      practice: shown.practice,
      back: FRONT_PAGE,
      content: showPhone(request.url, number, shown),
    });
  });

  app.post('/sandbox/phones/:key/texts', { bodyLimit: LARGEST_BODY.signed }, async (request, reply) => {
    const { at: from } = readSandboxKey(deps, request);
    const { to, body = '', quick, picture } = readInput(written, request.body);
    const text = quick ?? body;
    if (text.trim() === '' && picture === undefined) throw invalid('body', 'must not be empty');
    const event = { kind: 'text', id: `SM-${randomUUID()}`, from, to, body: text, at: new Date().toISOString() };
    await sendCarrierRequest(deps, request, { ...event, ...(picture && { pictures: picture }) });
    return reply.redirect(phonePath(request), 303);
  });

  app.post('/sandbox/phones/:key/texts/:id/now', async (request, reply) => {
    const { practice } = readSandboxKey(deps, request);
    const { id } = readInput(chosenText, request.params);
    await deps.unitOfWork.write(sandboxCaller(request, practice), (tx) => sendTextNow(tx, id));
    // Does the work of the queued job now; the job later finds nothing to do.
    await sendTexts({ ...deps, carrier: deps.gateways.local.carrier, statusUrl: null, ignoreQuietHours: true }).run(practice, id);
    return reply.redirect(phonePath(request), 303);
  });
}

/** Address of the phone's page, from the address of one of its forms. */
const phonePath = ({ url }: FastifyRequest): string => url.split('/').slice(0, 4).join('/');

interface Shown {
  practice: LinkPractice;
  lines: CallableNumber[];
  screen: SandboxConversation;
}

function showPhone(url: string, number: string, { practice, lines, screen }: Shown): string {
  const path = url.split('?')[0] ?? url;
  const { texts } = screen;
  const bubbles = texts.map((text) => showText(path, text, practice.timeZone)).join('');
  return html`
<p class="hint">The phone with the number <span class="no-break">${formatPhone(number)}</span></p>
!${texts.length > 0 ? html`<ol class="phone">!${bubbles}</ol>` : emptyState({ icon: 'message', title: 'No text yet' })}
<p>!${reloadButton(path)}</p>
!${replyForm(path, lines, { lastFrom: screen.lastFrom, language: recipientLanguage(screen.languageCode, practice.language).own })}`;
}

const isOnItsWay = ({ state, notBefore }: SandboxText): boolean => state === 'queued' && notBefore === null;

function showText(path: string, text: SandboxText, timeZone: string): string {
  // A text that has not arrived shows no body. A text that waits for hours is shown, so that it can be sent now.
  if (isOnItsWay(text)) return html`<li class="theirs queued"><p class="hint">A text is being sent.</p></li>`;
  const { id, direction, body, pictures, at, language, ...fate } = text;
  const inLanguage = language === null ? '' : html` lang="${language}"`;
  const isOwn = direction === 'inbound';
  const now =
    fate.state === 'queued'
      ? html`<form method="post" action="${path}/texts/${id}/now">!${button({ label: 'Send now', kind: 'plain' })}</form>`
      : '';
  return html`
<li class="${isOwn ? 'own' : 'theirs'} ${fate.state}">
!${body === '' ? '' : html`<p class="message"!${inLanguage}>!${withLinks(body)}</p>`}
!${pictures > 0 ? html`<p class="message">${pictures === 1 ? 'A picture' : `${pictures} pictures`}</p>` : ''}
<p class="hint">${isOwn ? 'From this phone' : deliveryLabel(fate, timeZone)} · ${readableTime(at, timeZone)}</p>
!${now}
</li>`;
}

function deliveryLabel({ state, reason, notBefore }: Pick<SandboxText, 'state' | 'reason' | 'notBefore'>, timeZone: string): string {
  if (state === 'suppressed') return `Not sent: ${readableReason(reason)}`;
  if (state === 'failed') return `Did not arrive: ${readableReason(reason)}`;
  if (state === 'queued' && notBefore) return `Waits until ${readableTime(notBefore, timeZone)}`;
  return state === 'delivered' ? 'Arrived' : 'Sent';
}

/** Answers of patients, in the language in which they are written to. */
const QUICK_REPLIES: InEachLanguage<readonly string[]> = {
  en: ['Y', 'N', 'STOP', 'START', 'HELP'],
  es: ['Sí', 'No', 'ALTO', 'INICIAR', 'AYUDA'],
};

interface Answering {
  /** The practice's number that wrote last; null where none did. */
  lastFrom: string | null;
  /** Of the patient. */
  language: Language;
}

function replyForm(path: string, lines: CallableNumber[], { lastFrom, language }: Answering): string {
  if (lines.length === 0) return alert({ kind: 'warning', content: html`<p>The practice has no number that accepts texts.</p>` });
  const options = lines.map(
    ({ number }) => html`<option value="${number}"!${number === lastFrom ? ' selected' : ''}>${formatPhone(number)}</option>`,
  );
  const quick = QUICK_REPLIES[language].map((word) =>
    button({ label: word, kind: 'plain', attributes: { name: 'quick', value: word, lang: language } }),
  );
  return html`
<form class="stack" method="post" action="${path}/texts">
<h2>Answer as the patient</h2>
<fieldset class="choices"><legend class="label">With one word</legend><div class="row">!${quick.join('')}</div></fieldset>
!${textArea({ name: 'body', label: 'In your own words', rows: 3, attributes: { maxlength: 2 * LONGEST_TEXT } })}
!${selectField({ name: 'to', label: 'To', options: options.join('') })}
<p class="row">!${button({ label: 'Send' })}!${button({ label: 'Send with a picture', kind: 'plain', attributes: { name: 'picture', value: '1' } })}</p>
</form>`;
}
