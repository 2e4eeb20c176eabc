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
import { findOrganization, type Organization } from '../../domain/practices/organizations.ts';
import { readPhone as readNumber } from '../../domain/values/phone-numbers.ts';
import { readInput } from '../../http/input.ts';
import { html } from '../html.ts';
import type { SandboxPageDeps } from './sandbox-deps.ts';
import { readableKind, readableNumber, readableTime, sandboxCaller, sandboxKey, showPage } from './shared-parts.ts';

/** Entries of each list. */
const MAX_ENTRIES = 25;
const REFRESH_SECONDS = '10';

const chosenPhone = z.object({ practice: z.coerce.number<string>().int(), number: z.string().max(40) });

/** The front page: phones and mailboxes with recent messages, and the numbers of each practice. */
export function frontPage(app: FastifyInstance, deps: SandboxPageDeps): void {
  app.get('/sandbox', { schema: { hide: true } }, async (request, reply) => {
    const practices = await Promise.all(deps.demoPracticeIds.map((id) => readPractice(deps, request, id)));
    reply.header('refresh', REFRESH_SECONDS);
    const sections = practices.map((practice) => showPractice(deps, practice)).join('');
    return showPage(reply, { title: 'Sandbox', content: html`!${INTRODUCTION}<div class="practices">!${sections}</div>` });
  });

  app.post('/sandbox/phones', { schema: { hide: true } }, async (request, reply) => {
    const { practice, number } = readInput(chosenPhone, request.body);
    const at = readNumber(number);
    if (at === null || !deps.demoPracticeIds.includes(practice)) throw invalid('number', 'is no telephone number');
    return reply.redirect(`/sandbox/phones/${sandboxKey(deps.keyring, practice, at)}`, 303);
  });
}

interface PracticeShown {
  practice: Organization;
  phones: SandboxPhone[];
  mailboxes: SandboxMailbox[];
  lines: CallableNumber[];
}

function readPractice({ unitOfWork }: SandboxPageDeps, request: FastifyRequest, id: number): Promise<PracticeShown> {
  return unitOfWork.read(sandboxCaller(request, id), async (db, caller) => {
    const [practice, phones, mailboxes, lines] = await Promise.all([
      findOrganization(db, id),
      listSandboxPhones(db, caller, MAX_ENTRIES),
      listSandboxMailboxes(db, caller, MAX_ENTRIES),
      listCallableNumbers(db, caller),
    ]);
    return { practice, phones, mailboxes, lines };
  });
}

const INTRODUCTION = html`
<p>Here you are the patient. These are the phones and mailboxes that the demo practices write to; nothing leaves this computer.</p>
<p class="row"><a class="button" href="/sandbox/call">Call a practice</a> <a class="button quiet" href="/sandbox">Look again</a></p>`;

function showPractice({ keyring }: SandboxPageDeps, { practice, phones, mailboxes, lines }: PracticeShown): string {
  const { id, name, timeZone } = practice;
  const entry = (
    kind: string,
    at: string,
    label: string,
    { name: owner, lastAt }: { name: string | null; lastAt: Date },
    more = '',
  ) => html`
<li><a href="/sandbox/${kind}/${sandboxKey(keyring, id, at)}">${owner ? `${owner}, ${label}` : label}</a>
<span class="hint">${readableTime(lastAt, timeZone)}${more}</span></li>`;
  const none = (what: string) => html`<p class="hint">No ${what} yet.</p>`;
  const phoneList = phones.map((phone) =>
    entry('phones', phone.number, readableNumber(phone.number), phone, phone.waiting > 0 ? `, ${phone.waiting} waiting` : ''),
  );
  const mailboxList = mailboxes.map((mailbox) => entry('mailboxes', mailbox.address, mailbox.address, mailbox));
  return html`
<section aria-labelledby="practice-${id}">
<h2 id="practice-${id}">${name}</h2>
<h3>Phones</h3>
!${phoneList.length > 0 ? html`<ul class="plain entries">!${phoneList.join('')}</ul>` : none('texts')}
<form method="post" action="/sandbox/phones">
<input type="hidden" name="practice" value="${id}">
<label class="question" for="number-${id}">Another phone</label>
<p class="hint" id="number-hint-${id}">Any number, such as 910 555 0123. One that ends in 0000 is out of reach.</p>
<input id="number-${id}" name="number" type="tel" autocomplete="off" required aria-describedby="number-hint-${id}">
<p><button class="quiet">Open this phone</button></p>
</form>
<h3>Mailboxes</h3>
!${mailboxList.length > 0 ? html`<ul class="plain entries">!${mailboxList.join('')}</ul>` : none('mails')}
<h3>Numbers of the practice</h3>
!${lines.length > 0 ? html`<ul class="plain entries">!${lines.map(showLine).join('')}</ul>` : none('numbers')}
</section>`;
}

const showLine = ({ number, kind, chat }: CallableNumber): string => html`
<li>${readableNumber(number)} <span class="hint">${readableKind(kind)}${chat ? `, rings ${chat.name}` : ''}</span></li>`;
