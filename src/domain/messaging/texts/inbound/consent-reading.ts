import { OBJECTING, OBJETANDO, STARTING, STOPPING } from './consent-phrases.ts';

export type Keyword = 'stop' | 'start' | 'help';

/** A text read for what it says about texts themselves. */
export interface ConsentReading {
  keyword: Keyword;
  /** The text is one of the keywords of carriers and law. Else rules have understood it, and a person should look. */
  sure: boolean;
}

/** The keywords of carriers and law, in capitals, without accents. */
const KEYWORDS: Record<Keyword, ReadonlySet<string>> = {
  stop: new Set([
    'STOP',
    'STOPALL',
    'STOP ALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'OPT OUT',
    'ARRET',
    'ALTO',
    'PARAR',
  ]),
  start: new Set(['START', 'UNSTOP', 'OPTIN', 'OPT IN', 'INICIAR', 'COMENZAR', 'EMPEZAR', 'REANUDAR']),
  help: new Set(['HELP', 'INFO', 'AYUDA', 'INFORMACION']),
};

/** Further words that end texts where they are a whole text, but not within one: they have other meanings there. */
const ALONE =
  /^(?:cancelar|cancelen|para|fin|salir|terminar|baja|revocar|stop2end|stop to end|no mas|no more|enough|enough already|thats enough|suficiente)$/;
/** Words that end texts also as one sentence of several. */
const SENTENCE =
  /^(?:stop|stopall|stop all|unsubscribe|unsubscribe me|unsub|opt out|optout|opt me out|quit|quit it|alto|paren?|parar|basta|arret|arrete|detener|detengan?se|detente|remove me|stop stop)$/;

const BEFORE =
  /^(?:please|pls|plz|just|now|ok|okay|hey|hi|hello|sorry|no(?! more| mas)|nope|yes|and|so|well|thanks|thank you|thx|i said|i repeat|omg|god|guys|again|dear|sir|madam|maam|por favor|porfavor|porfa|favor de|gracias|ya|hola|oye|oigan|reply|text|wrong number|numero equivocado|who is this|not me)\s+/;
const AFTER =
  /\s+(?:please|pls|plz|now|ok|okay|it|this|that|all this|all of it|already|immediately|asap|right now|right away|at once|today|forever|everything|thanks|thank you|thx|guys|yall|people|sir|maam|again|damn it|dammit|me|por favor|porfavor|porfa|gracias|ya|ahora|ahora mismo|eso|esto|todo|inmediatamente|ahorita|hoy|amen)$/;

/** A person who says that he cannot stop, or asks whether to, does not end texts: unless it is the practice that cannot. */
const CONTRARY =
  /(?<!\b(?:you|u|they|yall|ustedes) )\b(?:cant|couldnt|dont(?! you)|didnt|doesnt|wont|wouldnt|never|not|no puedo|no podia|no|nunca)(?: (?:ever|want|wanted|to|you|yall|please|need|let|them|me|us|guys|quiero|que|por|favor)){0,5} $|\b(?:did|have|had) you(?: guys)? (?:ever |just )?$/;

const stopping = STOPPING.map((pattern) => new RegExp(`(?<![a-z0-9])(?:${pattern})`));
const objecting = [...OBJECTING, ...OBJETANDO].map((pattern) => new RegExp(`(?<![a-z0-9])(?:${pattern})`));
const starting = new RegExp(`^(?:${STARTING.join('|')})$`);
/** Somebody complains that a text did not come. */
const MISSED = /\b(?:why|how come|por que) (?:did|do|dont|didnt|no)\b(?! you (?:stop|quit))/;

/**
 * Reads a text for a revocation of consent by any reasonable means (47 CFR 64.1200(a)(10)), for consent, and for a call for help.
 * Whatever objects to being written to at all ends texts, in whatever words; a word such as "stop" about anything else does not, nor
 * does an objection to an hour, a visit or an offer. Consent takes a keyword or a clear phrase as the whole text. Words that the
 * sender quotes from a text of the practice are not the sender's.
 * @returns null for a text about anything else
 */
export function readConsent(body: string): ConsentReading | null {
  const said = withoutQuotes(body);
  const clauses = clausesOf(said);
  const whole = clauses.join(' ');
  const keyword = keywordIn(whole);
  if (keyword) return { keyword, sure: true };
  if (saysStop(said, whole, clauses)) return { keyword: 'stop', sure: false };
  return starting.test(whole.replace(POLITE, '$1')) ? { keyword: 'start', sure: false } : null;
}

/** Polite words around a keyword that do not change its meaning. */
const POLITE = /^(?:please |por favor )?(.+?)(?: please| thanks| thank you| thx| por favor| gracias)?$/;

function keywordIn(whole: string): Keyword | null {
  const word = whole.replace(POLITE, '$1').toUpperCase();
  return (['stop', 'start', 'help'] as const).find((name) => KEYWORDS[name].has(word)) ?? null;
}

function saysStop(said: string, whole: string, clauses: readonly string[]): boolean {
  if (/^(?:\s|[🛑⛔🚫]|\u{fe0f})+$/u.test(said) && said.trim() !== '') return true;
  if (barePhrases(whole).some((phrase) => ALONE.test(phrase)) || saysLoudly(said)) return true;
  return clauses.some(
    (clause) =>
      barePhrases(clause).some((phrase) => SENTENCE.test(phrase)) ||
      (!MISSED.test(clause) && objecting.some((pattern) => pattern.test(clause))) ||
      stopping.some((pattern) => matchesUnlessContrary(pattern, clause)),
  );
}

function matchesUnlessContrary(pattern: RegExp, clause: string): boolean {
  const found = pattern.exec(clause);
  return found !== null && !CONTRARY.test(clause.slice(0, found.index)) && !/\bwhy did(?:nt)? you\b/.test(clause);
}

/** STOP in capitals as the first or the last word of a text that is not in capitals: "who is this STOP". */
function saysLoudly(said: string): boolean {
  if (!/\p{Ll}/u.test(said)) return false;
  return (
    /^\W*STOP\b(?!['’-]|\s+(?:by|at|in|over|for|on|off|sign|the (?!text|mess)|taking|to|and|or|loss|near))/.test(said) ||
    /(?<!\b(?:bus|the|a|full|pit)\s)\bSTOP\W*$/.test(said)
  );
}

/** A clause, and what is left of it as words around it go that do not change its meaning; a word said again and again is said once. */
function barePhrases(clause: string): string[] {
  const phrases = [clause.slice(0, MAX_BARE).replaceAll(/\b(\w+)(?: \1\b)+/g, '$1')];
  for (;;) {
    const last = phrases.at(-1) ?? '';
    const next = BEFORE.test(last) ? last.replace(BEFORE, '') : last.replace(AFTER, '');
    if (next === last) return phrases;
    phrases.push(next);
  }
}
/** Letters; a longer clause says more than a word. */
const MAX_BARE = 200;

/** The length of a text at carriers; more is not read. */
const MAX_READ = 1_600;

/** Without what is quoted at length, such as the text to which a telephone reports a reaction. */
const withoutQuotes = (body: string): string => body.slice(0, MAX_READ).replaceAll(/[“"«][^”"»]{20,}(?:[”"»]|$)/gu, ' ');

/** The sentences and their parts in lower case, without accents and punctuation, with words brought to one spelling. */
function clausesOf(said: string): string[] {
  return said
    .normalize('NFKD')
    .replaceAll(/\p{M}|['’‘`´]/gu, '')
    .toLowerCase()
    .replaceAll(/(?<![a-z0-9])(?:[a-z][.\s_*-]+){2,}[a-z](?![a-z0-9])/g, (letters) => letters.replaceAll(/[^a-z]/g, ''))
    .split(/[^a-z0-9\s'-]+/)
    .map((clause) =>
      clause
        .replaceAll(/[^a-z0-9]+/g, ' ')
        .trim()
        .split(' ')
        .map(spelled)
        .join(' '),
    )
    .map((clause) => SHORT_FORMS.reduce((text, [long, short]) => text.replaceAll(long, short), clause))
    .filter((clause) => clause !== '');
}

const SHORT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:do not|donot|don t|dnt|do nt)\b/g, 'dont'],
  [/\b(?:can not|cannot|can t)\b/g, 'cant'],
  [/\bwill not\b/g, 'wont'],
  [/\bdid not\b/g, 'didnt'],
];

/** Usual misspellings of the words that matter most. */
function spelled(word: string): string {
  if (/^(?:s+t+[o0]+p+|stp|sotp|stpo|stopp+e?)$/.test(word)) return 'stop';
  if (/^unsu[bs]*[sc]+[rib]*e(?:d|r)?$/.test(word)) return 'unsubscribe';
  return word === 'txting' ? 'texting' : word;
}
