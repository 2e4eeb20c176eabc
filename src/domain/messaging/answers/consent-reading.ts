import { fold, foldWords, shorten } from '../../values/same-text.ts';
import { OBJECTING, OBJETANDO, STARTING, STOPPING, TEXTS } from './consent-phrases.ts';
import { keepOwnWords, withoutSignature } from './own-words.ts';

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

/** A wish to cancel that names no texts. */
const CANCELS_APPOINTMENT = new RegExp(`\\bcancel(?!.*\\b(?:${TEXTS}|su[bs]s?cri\\w*|consent\\w*|permi\\w*)\\b)`);

/** The word by which a program lets its texts be ended: "Reply STOP to end alerts". Whoever passes it on has said nothing. */
const INSTRUCTS = /^(?:please |or )?(?:reply|text|txt|send|responda|envie|escriba)(?: with| con)? (?:stop|parar|alto) (?:to|for|para)\b/;

/**
 * Reads a text for a revocation of consent by any reasonable means (47 CFR 64.1200(a)(10)), for consent, and for a call for help.
 * Whatever objects to being written to at all ends texts, in whatever words; a word such as "stop" about anything else does not, nor
 * does an objection to an hour, a visit or an offer. Consent takes a keyword or a clear phrase as the whole text.
 * @param asked a question about a visit is open, which whoever cancels may mean: of such words, CANCEL alone ends texts
 * @returns null for a text about anything else
 */
export function readConsent(body: string, asked = false): ConsentReading | null {
  const said = keepOwnWords(body);
  const bare = splitClauses(withoutSignature(said)).join(' ');
  const isMeant = (clause: string) => !INSTRUCTS.test(clause) && (!asked || bare === 'cancel' || !CANCELS_APPOINTMENT.test(clause));
  const clauses = splitClauses(said).filter(isMeant);
  const whole = isMeant(bare) ? bare : '';
  const keyword = keywordIn(whole);
  const bareWords = withoutLabelled(said);
  const hasOthers = bareWords !== said;
  if (keyword && !(keyword === 'stop' && hasOthers)) return { keyword, sure: true };
  if (saysStop(bareWords, hasOthers ? '' : whole, clauses)) return { keyword: 'stop', sure: false };
  return starting.test(withoutPoliteWords(whole)) ? { keyword: 'start', sure: false } : null;
}

const POLITE = /^(?:please |por favor )?(.+?)(?: please| thanks| thank you| thx| por favor| gracias)?$/;

/** A text without the polite words around it, which do not change its meaning. @param whole folded */
export const withoutPoliteWords = (whole: string): string => whole.replace(POLITE, '$1');

function keywordIn(whole: string): Keyword | null {
  const word = withoutPoliteWords(whole).toUpperCase();
  return (['stop', 'start', 'help'] as const).find((name) => KEYWORDS[name].has(word)) ?? null;
}

/** A line with a label, such as "Dexcom: STOP". Times and faces are none. */
const LABEL = /^(.*?[\p{L}\p{N})\]]) ?:(?![DPpOo3](?!\p{L}))(?= *[\p{L}\p{M}"'¿¡])/u;
/** A sentence or a part of one that asks: "Warfarin, stop?" */
const ASKED = /[^.!?;,\n]*\?(?!!)/g;

/** The lines whose bare words are the sender's own wish: without those that report or name something in front of a colon, and without what is asked. */
function withoutLabelled(said: string): string {
  const isLabelled = (line: string) => `${foldWords(LABEL.exec(line)?.[1] ?? '')} `.replace(BEFORE, '').trim() !== '';
  const lines = said.split('\n').filter((line) => !isLabelled(line));
  return lines.join('\n').replaceAll(ASKED, '');
}

/** @param said lines in which a bare word may be a wish @param whole the same as one clause, where it is the whole text */
function saysStop(said: string, whole: string, clauses: readonly string[]): boolean {
  const wishes = splitClauses(said);
  if (/^[\s🛑⛔🚫]+$/u.test(said) && said.trim() !== '') return true;
  const isAlert = DEVICE_ALERT.test(fold(said));
  if (!isAlert && (barePhrases(whole).some((phrase) => ALONE.test(phrase)) || saysLoudly(said))) return true;
  return clauses.some(
    (clause) =>
      (!isAlert && wishes.includes(clause) && barePhrases(clause).some((phrase) => SENTENCE.test(phrase))) ||
      (!MISSED.test(clause) && objecting.some((pattern) => pattern.test(clause))) ||
      stopping.some((pattern) => matchesUnlessContrary(pattern, clause)),
  );
}

/** Reports of a device, in which STOP is no word of a person. */
const DEVICE_ALERT =
  /^(?=.*\b(?:pump|sensor|cgm|monitor|device|glucose|glucometer|insulin|infusion|dexcom|libre|omnipod|medtronic|tandem|cpap|oxygen|spo2|battery|heart rate|machine|mg\/dl|bomba|bateria|glucosa|insulina|dispositivo|maquina|oxigeno)\b).*\b(?:alerts?|alarms?|warning|urgent low|low|high|error|fault|detected|alertas?|alarmas?|aviso|baja|alta)\b/s;

function matchesUnlessContrary(pattern: RegExp, clause: string): boolean {
  const found = pattern.exec(clause);
  return found !== null && !CONTRARY.test(clause.slice(0, found.index)) && !/\bwhy did(?:nt)? you\b/.test(clause);
}

/** STOP in capitals, as the first or the last word of a line in small letters that is about who writes: "who is this STOP". */
function saysLoudly(said: string): boolean {
  return said.split('\n').some((line) => {
    const [, before = ''] = /^(.*\S)\s+STOP[\s\p{P}]*$/u.exec(line) ?? [];
    const [, after = ''] = /^[\s\p{P}]*STOP\s+(.*)$/u.exec(line) ?? [];
    return (isAboutSender(before) && !LEADS_TO_STOP.test(fold(before))) || (isAboutSender(after) && !FOLLOWS_STOP.test(fold(after)));
  });
}

const isAboutSender = (rest: string): boolean => /\p{Ll}/u.test(rest) && ABOUT_SENDER.test(fold(rest)) && !ABOUT_ELSE.test(fold(rest));
const ABOUT_SENDER =
  /^i\b|^i'?m\b|\b(?:who|you|u|ur|your|yall|(?:this|these|those)(?= ?(?:$|is\b|text|txt|mess|msg|sms|number|phone|spam))|text\w*|txt\w*|messag\w*|msg\w*|sms|number|phone|wrong|spam|again|quien|ustedes|usted|este|estos|mensaj\w*|numero|conozco)\b/;
const ABOUT_ELSE =
  /\b(?:pain\w*|\w*aches?|aching|rash|hurt\w*|bleed\w*|cough\w*|vomit\w*|nause\w*|itch\w*|swell\w*|ringing|shak\w+|burning|throbbing|hiccups?|seizures?|spasms?|cramp\w*|tremors?|dizz\w+|diarrhea|breath\w*|heart|pulse|fever|med|meds|medic\w*|pills?|tablets?|doses?|drugs?|shots?|insulin|antibiotics?|treatment|therapy|diet|exercis\w*|smok\w*|drink\w*|eat\w*|pump|sensor|monitor|device|alarm|infusion|machine|cpap|bus|train|subway|traffic|dolor\w*|sangr\w*|tos|fiebre|medicina\w*|medicamento\w*|pastillas?|dosis|tratamiento|bomba|alarma|autobus)\b/;
/** Words before STOP of whoever asks whether to stop, says that something stops, or names a place; not "I told you to STOP". */
const LEADS_TO_STOP =
  /^(?:when|where|which|what time|cuando|donde|cual)\b|\b(?:(?<!\b(?:you|u|yall|guys) )to|should|shall|can|could|did|do|does|will|would|must|may|might|i|we|it|he|she|they|says?|said|reads?|shows?|cant|can't|cannot|won't|wont|not|never|dont|don't|the|an?|last|next|first|bus|full|pit|your|my)$/;
const FOLLOWS_STOP = /^(?:by|at|in|over|for|on|off|sign|the (?!text|mess)|taking|to|and|or|loss|near)\b/;

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

/** The sentences, lines and their parts, folded and without punctuation, with words brought to one spelling. */
const splitClauses = (said: string): string[] =>
  fold(said)
    .replaceAll("'", '')
    .replaceAll(/(?<![a-z0-9])(?:[a-z][. _*-]+){2,}[a-z](?![a-z0-9])/g, (letters) => letters.replaceAll(/[^a-z]/g, ''))
    .split(/[^a-z0-9 -]+/)
    .map((clause) =>
      shorten(
        clause
          .replaceAll(/[^a-z0-9]+/g, ' ')
          .trim()
          .split(' ')
          .map(correctSpelling)
          .join(' '),
      ),
    )
    .filter((clause) => clause !== '');

/** Usual misspellings of the words that matter most. */
function correctSpelling(word: string): string {
  if (/^(?:s+t+[o0]+p+|stp|sotp|stpo|stopp+e?)$/.test(word)) return 'stop';
  if (/^unsu[bs]*[sc]+[rib]*e(?:d|r)?$/.test(word)) return 'unsubscribe';
  return word === 'txting' ? 'texting' : word;
}
