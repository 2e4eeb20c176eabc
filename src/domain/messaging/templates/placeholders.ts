import { type InEachLanguage, isLanguage } from '../../values/languages.ts';
import { countSegments, type SegmentCount } from './sms-segments.ts';

/** Placeholders of templates, written in double braces, in any case and spacing. */
export const PLACEHOLDERS = [
  'url',
  'first name',
  'last name',
  'org name',
  'org phone number',
  'appointment date',
  'appointment time',
  'appointment day',
  'appointment time zone',
  'appointment type',
  'provider name',
  'office name',
  'office address',
  'office phone number',
  'location name',
  'location address',
  'review url',
] as const;

/** Placeholders of some categories alone (categories.ts). */
export const SPECIAL_PLACEHOLDERS = ['minutes', 'code', 'expires', 'visit', 'former visit'] as const;

export type PlaceholderName = (typeof PLACEHOLDERS)[number] | (typeof SPECIAL_PLACEHOLDERS)[number];
export type PlaceholderValues = Partial<Record<PlaceholderName, string>>;

export interface RenderedText extends SegmentCount {
  text: string;
  /** Placeholders without a value, in the order of the template; they are left out of the text. */
  missing: string[];
}

const PLACEHOLDER_PATTERN = /\{\{([^{}]*)\}\}/g;
const KNOWN: ReadonlySet<string> = new Set([...PLACEHOLDERS, ...SPECIAL_PLACEHOLDERS]);

const isKnown = (name: string): name is PlaceholderName => KNOWN.has(name);

/** `{{ First_Name }}` is read as first name. */
const foldName = (written: string): string =>
  written
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase();

/** Placeholders in a body, without duplicates. */
export function placeholdersIn(body: string): { known: PlaceholderName[]; unknown: string[] } {
  const names = [...new Set([...body.matchAll(PLACEHOLDER_PATTERN)].map(([, written = '']) => foldName(written)))];
  return { known: names.filter(isKnown), unknown: names.filter((name) => !isKnown(name)) };
}

/** Whether double braces are left that belong to no placeholder. */
export const hasUnbalancedBraces = (body: string): boolean => /\{\{|\}\}/.test(body.replaceAll(PLACEHOLDER_PATTERN, ''));

/** The first placeholder that is written in single braces; null for none. */
export const placeholderInSingleBraces = (body: string): PlaceholderName | null =>
  [...body.replaceAll(PLACEHOLDER_PATTERN, '').matchAll(/\{([^{}]*)\}/g)].map(([, written = '']) => foldName(written)).find(isKnown) ??
  null;

/** Marks a left-out placeholder. No text that can be stored contains NUL. */
const GAP = '\0';

/** A body that already asks for yes, in English or Spanish, needs no reply instruction. A lone S is an answer in Spanish alone. */
const REPLY_INSTRUCTION_PATTERN = /(?<!\p{L})(?:Y|YES|Yes|yes|S[IÍ]|[Ss]í)(?!\p{L})/u;
const SPANISH_INSTRUCTION_PATTERN = /(?<!\p{L})(?:YES|S[IÍ]?|[Ss]í)(?!\p{L})/u;
const REPLY_INSTRUCTION: InEachLanguage = {
  en: 'Reply Y to confirm or N to decline.',
  es: 'Responda S para confirmar o N si no puede venir.',
};

/** The instruction that a body lacks; null where it has one. */
function missingInstruction(body: string, tag: string): string | null {
  const pattern = tag === 'es' ? SPANISH_INSTRUCTION_PATTERN : REPLY_INSTRUCTION_PATTERN;
  return pattern.test(body) ? null : REPLY_INSTRUCTION[isLanguage(tag) ? tag : 'en'];
}

interface Rendering {
  /** The text expects a reply: an instruction is added where the template has none. */
  asks?: boolean;
  /** The language of the body, in which an instruction is added. */
  tag?: string;
}

/**
 * Fills in placeholders in one pass, so that braces in a value stay as they are. Placeholders without a value are left
 * out with the space around them.
 */
export function renderTemplate(body: string, values: PlaceholderValues, { asks = false, tag = 'en' }: Rendering = {}): RenderedText {
  const missing = new Set<string>();
  const { lacking, filling } = namesIn(body, values);
  const words = lacking === null ? body : body.replaceAll(COMMA_BETWEEN_NAMES, '$1 $2');
  const filled = words.replaceAll(GAP, '').replaceAll(PLACEHOLDER_PATTERN, (placeholder, written: string, at: number, whole: string) => {
    const name = foldName(written);
    const value = isKnown(name) ? onOneLine(filling[name] ?? '') : '';
    // A time in Spanish ends with a period, which ends a sentence too.
    if (value.endsWith('.') && SENTENCE_END.test(whole.slice(at + placeholder.length))) return value.slice(0, -1);
    if (value !== '') return value;
    if (name !== lacking) missing.add(name);
    return GAP;
  });
  const rendered = closeGaps(filled).trim();
  const instruction = asks ? missingInstruction(body, tag) : null;
  const text = instruction === null ? rendered : `${closeSentence(rendered)} ${instruction}`.trim();
  return { text, missing: [...missing], ...countSegments(text) };
}

/** A text to which a sentence is added: with a full stop, unless it ends with a sign or with a link. */
const closeSentence = (text: string): string => (/[\p{L}\p{M}\p{N}"'”’»)\]]$/u.test(text) && !/:\/\/\S*$/.test(text) ? `${text}.` : text);

const SENTENCE_END = /^\.(?!\.)/;
const COMMA_BETWEEN_NAMES = /(\{\{[\s_]*last[\s_]+name[\s_]*\}\})\s*,\s*(\{\{[\s_]*first[\s_]+name[\s_]*\}\})/gi;

/**
 * A patient with one name is called by it, whichever of the two a body has; where it has both, the one that the patient lacks is left
 * out and does not count as missing.
 */
function namesIn(body: string, values: PlaceholderValues): { lacking: PlaceholderName | null; filling: PlaceholderValues } {
  const { 'first name': first = '', 'last name': last = '' } = values;
  if ((first === '') === (last === '')) return { lacking: null, filling: values };
  const { known } = placeholdersIn(body);
  if (known.includes('first name') && known.includes('last name'))
    return { lacking: first === '' ? 'first name' : 'last name', filling: values };
  return { lacking: null, filling: { ...values, 'first name': first || last, 'last name': last || first } };
}

const onOneLine = (value: string): string => value.replaceAll(GAP, '').replaceAll(/\s+/g, ' ').trim();

/**
 * Removes gaps: at the start of a line together with the punctuation after them, before punctuation together with the space. A text
 * that loses its beginning begins with a capital.
 */
const closeGaps = (text: string): string =>
  text
    .replace(/^[ \t]*\0[ \t\0,;:.!?]*(?!https?:)(\p{Ll})/u, (_, letter: string) => letter.toUpperCase())
    .replaceAll(/(^|\n)[ \t]*\0[ \t\0,;:.!?]*/g, '$1')
    .replaceAll(/[ \t]*\0[ \t\0]*(?=[,;:.!?)\n]|$)/g, '')
    .replaceAll(/[ \t]*\0[ \t\0]*/g, (gap) => (/[ \t]/.test(gap) ? ' ' : ''));
