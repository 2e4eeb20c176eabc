import { countSegments, type SegmentCount } from './sms-segments.ts';

/** What a template may name in double braces, whatever the case and the spaces. */
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

export type PlaceholderName = (typeof PLACEHOLDERS)[number];
export type PlaceholderValues = Partial<Record<PlaceholderName, string>>;

export interface RenderedText extends SegmentCount {
  text: string;
  /** What has no value, in the order of the template: left out of the text. */
  missing: string[];
}

const PLACEHOLDER_PATTERN = /\{\{([^{}]*)\}\}/g;
const KNOWN: ReadonlySet<string> = new Set(PLACEHOLDERS);

const isKnown = (name: string): name is PlaceholderName => KNOWN.has(name);

/** `{{ First_Name }}` is first name. */
const nameOf = (written: string): string =>
  written
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase();

/** What a template names, each once. */
export function placeholdersIn(body: string): { known: PlaceholderName[]; unknown: string[] } {
  const names = [...new Set([...body.matchAll(PLACEHOLDER_PATTERN)].map(([, written = '']) => nameOf(written)))];
  return { known: names.filter(isKnown), unknown: names.filter((name) => !isKnown(name)) };
}

/** Whether braces are left that belong to no placeholder: one that was not closed, say. */
export const hasUnbalancedBraces = (body: string): boolean => /\{\{|\}\}/.test(body.replaceAll(PLACEHOLDER_PATTERN, ''));

/** Stands where something is left out. No text that can be stored holds it. */
const GAP = '\0';

/** How to answer is said already: yes by itself, in English or Spanish. */
const REPLY_INSTRUCTION_PATTERN = /(?<!\p{L})(?:Y|YES|Yes|yes|S[IÍ]|[Ss]í)(?!\p{L})/u;
const REPLY_INSTRUCTION = 'Reply Y to confirm or N to decline.';

/**
 * Puts values in the place of their names. In one pass, so that braces in a value stay what they are. What has no value
 * is left out with the space around it.
 * @param asks the text waits for an answer: how to give one is added where the template does not say
 */
export function renderTemplate(body: string, values: PlaceholderValues, { asks = false }: { asks?: boolean } = {}): RenderedText {
  const missing = new Set<string>();
  const filled = body.replaceAll(GAP, '').replaceAll(PLACEHOLDER_PATTERN, (_, written: string) => {
    const name = nameOf(written);
    const value = isKnown(name) ? onOneLine(values[name] ?? '') : '';
    if (value !== '') return value;
    missing.add(name);
    return GAP;
  });
  const said = closeGaps(filled).trim();
  const text = asks && !REPLY_INSTRUCTION_PATTERN.test(body) ? `${said} ${REPLY_INSTRUCTION}`.trim() : said;
  return { text, missing: [...missing], ...countSegments(text) };
}

const onOneLine = (value: string): string => value.replaceAll(GAP, '').replaceAll(/\s+/g, ' ').trim();

/** Closes the gaps: at the beginning of a line with what follows of punctuation, before punctuation without a space. */
const closeGaps = (text: string): string =>
  text
    .replaceAll(/(^|\n)[ \t]*\0[ \t\0,;:.!?]*/g, '$1')
    .replaceAll(/[ \t]*\0[ \t\0]*(?=[,;:.!?)\n]|$)/g, '')
    .replaceAll(/[ \t]*\0[ \t\0]*/g, (gap) => (/[ \t]/.test(gap) ? ' ' : ''));
