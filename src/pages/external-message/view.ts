import type { ExternalMessageContent, ExternalMessageState } from '../../domain/messaging/external-messages/external-message-access.ts';
import type { CodeStatus } from '../../domain/messaging/external-messages/external-message-codes.ts';
import { CODE_MINUTES, MAX_CODES_PER_HOUR, MAX_GUESSES_PER_CODE } from '../../domain/messaging/external-messages/one-time-codes.ts';
import { formatMoment } from '../../domain/messaging/templates/placeholder-values.ts';
import { callLink } from '../call-link.ts';
import { alert } from '../design/alert.ts';
import { button } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { list } from '../design/list.ts';
import { writePage } from '../design/page.ts';
import { practiceContact } from '../design/practice-contact.ts';
import { html } from '../html.ts';
import { fileTypeLabel, readableSize } from './file-labels.ts';

/**
 * The page behind a link of an external message, in its present state.
 * @param address of the page; the addresses of its forms and files begin with it
 * @param malformed whether the code that was just submitted does not have six digits
 */
export function messageView(opening: ExternalMessageState, address: string, malformed: boolean): string {
  if (opening.state === 'open') return messagePage(opening.message, address);
  if (opening.state === 'locked') return codeEntryPage(opening.codeStatus, address, malformed);
  const { practice } = opening;
  return writePage({
    title: 'This message has expired',
    mark: { icon: 'clock' },
    practice,
    content: html`<p>The time in which it could be opened is over. If you still need it, please !${callLink(practice)}.</p>`,
  });
}

function messagePage({ practice, sender, subject, message, files, expiresAt }: ExternalMessageContent, address: string): string {
  const until = formatMoment(expiresAt, practice.timeZone);
  const shown = files.map(({ id, fileName, mediaType, byteLength }) => ({
    title: fileName,
    href: `${address}/files/${id}`,
    download: true,
    detail: `${fileTypeLabel(mediaType)}, ${readableSize(byteLength)}`,
    icon: 'file' as const,
  }));
  return writePage({
    title: subject ?? `A message from ${practice.name}`,
    practice,
    content: html`
!${sender === null ? '' : html`<p class="hint">From <bdi>${sender}</bdi></p>`}
<p class="message" dir="auto">${message}</p>
!${files.length === 0 ? '' : html`<h2>${files.length === 1 ? 'File' : 'Files'}</h2>!${list(shown)}`}`,
    foot: html`<p>You can open this message until ${until}.</p>!${practiceContact(practice)}`,
  });
}

/** The page that asks for a one-time code before a message is shown. It reveals nothing about the message. */
function codeEntryPage(desk: CodeStatus, address: string, malformed: boolean): string {
  const { practice, sentTo } = desk;
  const problem = problemOf(desk, malformed);
  const told =
    problem === null ? '' : alert({ kind: 'danger', content: html`<p id="problem">${problem}</p>`, attributes: { role: 'alert' } });
  return writePage({
    title: sentTo === null ? 'You have a message' : 'Enter your code',
    mark: { icon: 'lock' },
    practice,
    content: html`
!${told}
!${sentTo === null ? html`<p>To keep it private, it opens with a code that we send you.</p>` : codeForm(sentTo, address, problem !== null)}
!${sendCodeForm(desk, address)}`,
  });
}

function problemOf({ sentTo, wrongGuesses, guessesLeft, expired, nextTo }: CodeStatus, malformed: boolean): string | null {
  if (sentTo !== null && malformed) return 'The code has six digits. Please type it again.';
  if (sentTo !== null && wrongGuesses > 0)
    return `That was not the right code. You can try ${guessesLeft === 1 ? 'once more' : `${guessesLeft} more times`}.`;
  const more = nextTo === null ? '' : ' Please ask for another one.';
  if (sentTo === null && wrongGuesses >= MAX_GUESSES_PER_CODE)
    return `Too many wrong codes were typed: the one that we sent does not work any more.${more}`;
  return expired ? `The code that we sent is too old.${more}` : null;
}

const codeForm = (sentTo: string, address: string, hasProblem: boolean): string => html`
<p id="sent">We sent a code of six digits to <strong>${sentTo}</strong>. It works for ${CODE_MINUTES} minutes.</p>
<form class="stack" method="post" action="${address}">
!${textField({ name: 'code', label: 'Code', inputClass: 'code-input', attributes: { ...CODE_INPUT, 'aria-describedby': hasProblem ? 'problem sent' : 'sent', 'aria-invalid': hasProblem ? 'true' : undefined } })}
<p>!${button({ label: 'Open the message', wide: true })}</p>
</form>`;

const CODE_INPUT = {
  inputmode: 'numeric',
  autocomplete: 'one-time-code',
  pattern: '[0-9 \\-]{6,12}',
  maxlength: 12,
  title: 'Six digits',
  required: true,
};

/** The form that sends a code, or advice where no code can be sent. */
function sendCodeForm({ practice, sentTo, nextTo, nextCodeAt }: CodeStatus, address: string): string {
  const isFirst = sentTo === null;
  if (nextTo === null) {
    return isFirst ? html`<p>We cannot send you a code. Please !${callLink(practice)}, who will help you.</p>` : '';
  }
  if (nextCodeAt !== null) {
    const when = formatMoment(nextCodeAt, practice.timeZone);
    return html`<p class="hint">We send at most ${MAX_CODES_PER_HOUR} codes within an hour. You can ask for another one from ${when} on.</p>`;
  }
  const words = isFirst
    ? html`<p>We will send it to <strong>${nextTo}</strong>.</p>`
    : html`<h2>No code?</h2><p>It may take a minute. If none comes, please !${callLink(practice)}.</p>`;
  return html`
<form class="stack" method="post" action="${address}/code">
!${words}
<p>!${isFirst ? button({ label: 'Send me the code', wide: true }) : button({ label: 'Send me another code', kind: 'plain' })}</p>
</form>`;
}
