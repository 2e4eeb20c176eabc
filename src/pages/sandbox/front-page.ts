import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { listSandboxMailboxes, type SandboxMailbox } from '../../domain/messaging/sandbox/sandbox-mailboxes.ts';
import {
  type CallableNumber,
  listCallableNumbers,
  listSandboxPhones,
  type SandboxPhone,
} from '../../domain/messaging/sandbox/sandbox-phones.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { formatPhone, readPhone as readNumber } from '../../domain/values/phone-numbers.ts';
import { readInput } from '../../http/input/input.ts';
import { type ListItem, list } from '../design/content/list.ts';
import { badge } from '../design/feedback/badge.ts';
import { button, linkButton } from '../design/forms/button.ts';
import { textField } from '../design/forms/field.ts';
import { practiceName } from '../design/layout/header.ts';
import { html } from '../html.ts';
import type { SandboxPageDeps } from './sandbox-deps.ts';
import { readableKind, readableTime, reloadButton, requirePractice, sandboxCaller, sandboxKey, showPage } from './shared-parts.ts';

const MAX_ENTRIES = 25;
const REFRESH_SECONDS = '10';

const chosenPhone = z.object({ practice: z.coerce.number<string>().int(), number: z.string().max(40) });

/** The front page: phones and mailboxes with recent messages, and the numbers of each practice. */
export function frontPage(app: FastifyInstance, deps: SandboxPageDeps): void {
  app.get('/sandbox', async (request, reply) => {
    const practices = await Promise.all(deps.testPracticeIds.map((id) => readPractice(deps, request, id)));
    reply.header('refresh', REFRESH_SECONDS);
    const sections = practices.map((practice) => showPractice(deps, practice)).join('');
    return showPage(reply, { title: 'Sandbox', layout: 'wide', content: html`!${INTRODUCTION}<div class="grid">!${sections}</div>` });
  });

  app.post('/sandbox/phones', async (request, reply) => {
    const { practice, number } = readInput(chosenPhone, request.body);
    const at = readNumber(number);
    if (at === null || !deps.testPracticeIds.includes(practice)) throw invalid('number', 'is not a telephone number');
    return reply.redirect(`/sandbox/phones/${sandboxKey(deps.keyring, practice, at)}`, 303);
  });
}

interface PracticeShown {
  practice: LinkPractice;
  phones: SandboxPhone[];
  mailboxes: SandboxMailbox[];
  lines: CallableNumber[];
}

function readPractice({ unitOfWork }: SandboxPageDeps, request: FastifyRequest, id: number): Promise<PracticeShown> {
  return unitOfWork.read(sandboxCaller(request, id), async (tx) => {
    const [practice, phones, mailboxes, lines] = await Promise.all([
      requirePractice(tx),
      listSandboxPhones(tx, MAX_ENTRIES),
      listSandboxMailboxes(tx, MAX_ENTRIES),
      listCallableNumbers(tx),
    ]);
    return { practice, phones, mailboxes, lines };
  });
}

const INTRODUCTION = html`
<div class="stack sandbox-introduction">
<p class="lead">Here you are the patient. These are the phones and mailboxes that the demo practices send to; nothing leaves this computer.</p>
<p class="row">!${linkButton({ href: '/sandbox/call', label: 'Call a practice', icon: 'phone' })}!${reloadButton('/sandbox')}</p>
</div>`;

function showPractice({ keyring }: SandboxPageDeps, { practice, phones, mailboxes, lines }: PracticeShown): string {
  const { id, timeZone } = practice;
  const address = (kind: string, at: string) => `/sandbox/${kind}/${sandboxKey(keyring, id, at)}`;
  const phoneList = phones.map(({ number, name, lastAt, waiting }) => ({
    title: name ? `${name}, ${formatPhone(number)}` : formatPhone(number),
    href: address('phones', number),
    detail: readableTime(lastAt, timeZone),
    ...(waiting > 0 ? { end: badge(`${waiting} waiting`, 'accent') } : {}),
  }));
  const mailboxList = mailboxes.map(({ address: at, name, lastAt }) => ({
    title: name ? `${name}, ${at}` : at,
    href: address('mailboxes', at),
    detail: readableTime(lastAt, timeZone),
  }));
  const lineList = lines.map(({ number, kind, chat }) => ({
    title: formatPhone(number),
    detail: `${readableKind(kind)}${chat ? `, rings ${chat.name}` : ''}`,
  }));
  return html`
<section class="card stack" aria-labelledby="practice-${id}">
<h2 id="practice-${id}">!${practiceName(practice)}</h2>
!${listOrNone('Phones', phoneList, 'No texts yet.')}
<form class="beside" method="post" action="/sandbox/phones">
<input type="hidden" name="practice" value="${id}">
!${textField({
    name: 'number',
    label: 'Another phone',
    hint: 'Any number, such as 910 555 0123. A number that ends in 0000 is unreachable.',
    attributes: { id: `number-${id}`, type: 'tel', autocomplete: 'off', required: true },
  })}
!${button({ label: 'Open this phone', kind: 'plain' })}
</form>
!${listOrNone('Mailboxes', mailboxList, 'No mails yet.')}
!${listOrNone('Numbers of the practice', lineList, 'No numbers yet.')}
</section>`;
}

const listOrNone = (heading: string, items: readonly ListItem[], none: string): string => html`
<h3 class="list-heading">${heading}</h3>
!${items.length > 0 ? list(items) : html`<p class="hint">${none}</p>`}`;
