import type { ExternalMessageContent, ExternalMessageState } from '../../domain/messaging/external-messages/external-message-access.ts';
import type { CodeStatus } from '../../domain/messaging/external-messages/external-message-codes.ts';
import { CODE_MINUTES, MAX_CODES_PER_HOUR, MAX_GUESSES_PER_CODE } from '../../domain/messaging/external-messages/one-time-codes.ts';
import { formatMoment } from '../../domain/messaging/templates/placeholder-values.ts';
import { callLink } from '../call-link.ts';
import { html, writePage } from '../html.ts';
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
    practice: practice.name,
    content: html`<p>The time in which it could be opened is over. If you still need it, please !${callLink(practice)}.</p>`,
  });
}

function messagePage({ practice, sender, subject, message, files, expiresAt }: ExternalMessageContent, address: string): string {
  const until = formatMoment(expiresAt, practice.timeZone);
  const list = files.map(
    ({ id, fileName, mediaType, byteLength }) => html`
<li><a href="${address}/files/${id}" download><bdi>${fileName}</bdi></a>
<span class="hint">${fileTypeLabel(mediaType)}, ${readableSize(byteLength)}</span></li>`,
  );
  return writePage({
    title: subject ?? `A message from ${practice.name}`,
    practice: practice.name,
    content: html`
!${sender === null ? '' : html`<p class="hint">From <bdi>${sender}</bdi></p>`}
<p class="message" dir="auto">${message}</p>
!${files.length === 0 ? '' : html`<h2>${files.length === 1 ? 'File' : 'Files'}</h2><ul class="plain files">!${list.join('')}</ul>`}
<p class="foot hint">You can open this message until ${until}. If you have a question, please !${callLink(practice)}.</p>`,
  });
}

/** The page that asks for a one-time code before a message is shown. It reveals nothing about the message. */
function codeEntryPage(desk: CodeStatus, address: string, malformed: boolean): string {
  const { practice, sentTo } = desk;
  const problem = problemOf(desk, malformed);
  const told = problem === null ? '' : html`<p class="notice alarm" id="problem" role="alert">${problem}</p>`;
  return writePage({
    title: sentTo === null ? 'You have a message' : 'Enter your code',
    practice: practice.name,
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
<form method="post" action="${address}">
<p><label class="question" for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 \\-]{6,12}" maxlength="12" title="Six digits" required aria-describedby="${hasProblem ? 'problem sent' : 'sent'}" !${hasProblem ? 'aria-invalid="true"' : ''}></p>
<button>Open the message</button>
</form>`;

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
<form method="post" action="${address}/code">
!${words}
<button class="${isFirst ? '' : 'quiet'}">${isFirst ? 'Send me the code' : 'Send me another code'}</button>
</form>`;
}
