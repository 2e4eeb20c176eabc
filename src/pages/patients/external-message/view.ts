import type { ExternalMessageContent, ExternalMessageState } from '../../../domain/messaging/external-messages/external-message-access.ts';
import type { CodeStatus } from '../../../domain/messaging/external-messages/external-message-codes.ts';
import { CODE_MINUTES, MAX_CODES_PER_HOUR, MAX_GUESSES_PER_CODE } from '../../../domain/messaging/external-messages/one-time-codes.ts';
import { longMoment } from '../../../domain/messaging/templates/appointment-times.ts';
import { type InEachLanguage, type Language, toLocale } from '../../../domain/values/languages.ts';
import { inLanguage } from '../../../http/pages/page-language.ts';
import { list } from '../../design/content/list.ts';
import { alert } from '../../design/feedback/alert.ts';
import { button } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { practiceContact } from '../../design/layout/practice-contact.ts';
import { html } from '../../html.ts';
import { callLink } from '../../links/call-link.ts';
import { MESSAGE_WORDS, type MessageWords } from './message-words.ts';

const PDF: InEachLanguage = { en: 'PDF document', es: 'Documento PDF' };
const WORD: InEachLanguage = { en: 'Word document', es: 'Documento de Word' };
const EXCEL: InEachLanguage = { en: 'Excel table', es: 'Hoja de Excel' };
const TEXT: InEachLanguage = { en: 'Text', es: 'Texto' };
const FILE: InEachLanguage = { en: 'File', es: 'Archivo' };

const KINDS: Record<string, InEachLanguage> = {
  'application/pdf': PDF,
  'application/zip': { en: 'Archive', es: 'Archivo comprimido' },
  'application/msword': WORD,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': WORD,
  'application/vnd.ms-excel': EXCEL,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': EXCEL,
  'text/csv': { en: 'Table', es: 'Tabla' },
  'text/plain': TEXT,
};

const FAMILIES: Record<string, InEachLanguage> = {
  image: { en: 'Picture', es: 'Imagen' },
  video: { en: 'Video', es: 'Video' },
  audio: { en: 'Sound recording', es: 'Grabación de sonido' },
  text: TEXT,
};

/** Name of a file type for patients. @param mediaType such as `application/pdf` */
const fileTypeLabel = (mediaType: string, language: Language): string =>
  (KINDS[mediaType] ?? FAMILIES[mediaType.split('/', 1)[0] ?? ''] ?? FILE)[language];

/** `820 bytes`, `64 kB`, `1.2 MB`. */
function readableSize(bytes: number, language: Language): string {
  const inUnit = (unit: 'byte' | 'kilobyte' | 'megabyte', value: number): string =>
    new Intl.NumberFormat(toLocale(language), {
      style: 'unit',
      unit,
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: value < 10 ? 1 : 0,
    }).format(value);
  if (bytes < 1_000) return inUnit('byte', bytes);
  return bytes < 999_500 ? inUnit('kilobyte', bytes / 1_000) : inUnit('megabyte', bytes / 1_000_000);
}

interface MessageView {
  /** Of the page; the addresses of its forms and files begin with it. */
  address: string;
  language: Language;
  /** Where the code opens something else than a message. */
  words?: Partial<MessageWords>;
}

const chooseWords = ({ language, words }: MessageView): MessageWords => ({ ...MESSAGE_WORDS[language], ...words });

/**
 * The page behind a link of an external message, in its present state.
 * @param malformed whether the code that was just submitted does not have six digits
 */
export function messageView(opening: ExternalMessageState, view: MessageView, malformed: boolean): string {
  if (opening.state === 'open') return messagePage(opening.message, view);
  if (opening.state === 'locked') return codeEntryPage(opening.codeStatus, view, malformed);
  const { practice } = opening;
  const words = chooseWords(view);
  return writePage({
    ...view,
    title: words.expired,
    mark: { icon: 'clock' },
    practice,
    content: html`<p>!${words.timeIsOver(callLink(practice, view.language))}</p>`,
  });
}

function messagePage({ practice, sender, subject, message, files, expiresAt }: ExternalMessageContent, view: MessageView): string {
  const { address, language } = view;
  const words = MESSAGE_WORDS[language];
  // A message that was sent without a subject is stored with this one.
  const isOwn = subject === null || subject === MESSAGE_WORDS.en.message(practice.name);
  const shown = files.map(({ id, fileName, mediaType, byteLength }) => ({
    title: fileName,
    href: `${address}/files/${id}`,
    download: true,
    detail: `${fileTypeLabel(mediaType, language)}, ${readableSize(byteLength, language)}`,
    icon: 'file' as const,
  }));
  return writePage({
    ...view,
    title: isOwn ? words.message(practice.name) : subject,
    practice,
    content: html`
!${sender === null ? '' : html`<p class="hint">!${words.from(sender)}</p>`}
<p class="message" dir="auto">${message}</p>
!${files.length === 0 ? '' : html`<h2>${words.files(files.length)}</h2>!${list(shown)}`}`,
    foot: html`<p>${words.until(longMoment(expiresAt, practice.timeZone, language))}</p>!${practiceContact(practice, language)}`,
  });
}

/** The page that asks for a one-time code before a message is shown. It reveals nothing about the message. */
function codeEntryPage(desk: CodeStatus, view: MessageView, malformed: boolean): string {
  const { practice, sentTo } = desk;
  const words = chooseWords(view);
  const problem = describeProblem(desk, malformed, words);
  const told =
    problem === null ? '' : alert({ kind: 'danger', content: html`<p id="problem">${problem}</p>`, attributes: { role: 'alert' } });
  return writePage({
    ...view,
    title: sentTo === null ? words.locked : words.enterCode,
    mark: { icon: 'lock' },
    practice,
    content: html`
!${told}
!${sentTo === null ? html`<p>${words.keptPrivate}</p>` : codeForm(sentTo, view, problem !== null)}
!${sendCodeForm(desk, view)}`,
  });
}

function describeProblem(
  { sentTo, wrongGuesses, guessesLeft, expired, nextTo }: CodeStatus,
  malformed: boolean,
  words: MessageWords,
): string | null {
  if (sentTo !== null && malformed) return words.sixDigits;
  if (sentTo !== null && wrongGuesses > 0) return words.wrongCode(guessesLeft);
  const more = nextTo === null ? '' : ` ${words.askForAnother}`;
  if (sentTo === null && wrongGuesses >= MAX_GUESSES_PER_CODE) return `${words.tooManyWrong}${more}`;
  return expired ? `${words.tooOld}${more}` : null;
}

function codeForm(sentTo: string, view: MessageView, hasProblem: boolean): string {
  const { address, language } = view;
  const words = chooseWords(view);
  const attributes = {
    ...CODE_INPUT,
    title: words.expected,
    'aria-describedby': hasProblem ? 'problem sent' : 'sent',
    'aria-invalid': hasProblem ? 'true' : undefined,
  };
  return html`
<p id="sent">!${words.sent(sentTo, CODE_MINUTES)}</p>
<form class="stack" method="post" action="${inLanguage(address, language)}">
!${textField({ name: 'code', label: words.code, inputClass: 'code-input', attributes })}
<p>!${button({ label: words.open, wide: true })}</p>
</form>`;
}

const CODE_INPUT = {
  inputmode: 'numeric',
  autocomplete: 'one-time-code',
  pattern: '[0-9 \\-]{6,12}',
  maxlength: 12,
  required: true,
};

/** The form that sends a code, or advice where no code can be sent. */
function sendCodeForm({ practice, sentTo, nextTo, nextCodeAt }: CodeStatus, view: MessageView): string {
  const { address, language } = view;
  const words = chooseWords(view);
  const call = callLink(practice, language);
  const isFirst = sentTo === null;
  if (nextTo === null) return isFirst ? html`<p>!${words.cannotSend(call)}</p>` : '';
  if (nextCodeAt !== null) {
    const when = longMoment(nextCodeAt, practice.timeZone, language);
    return html`<p class="hint">${words.atMost(MAX_CODES_PER_HOUR, when)}</p>`;
  }
  const advice = isFirst ? html`<p>!${words.willSend(nextTo)}</p>` : html`<h2>${words.noCode}</h2><p>!${words.noneCame(call)}</p>`;
  return html`
<form class="stack" method="post" action="${inLanguage(`${address}/code`, language)}">
!${advice}
<p>!${isFirst ? button({ label: words.sendCode, wide: true }) : button({ label: words.sendAnother, kind: 'plain' })}</p>
</form>`;
}
