import { asSeen, fold, foldWords } from '../../../values/same-text.ts';

/** The length of a text at carriers; more is not read. */
const MAX_READ = 1_600;

/** The reactions of telephones that mean yes and no, folded: the words before the quote, and those behind it. Of others nothing is left but their own words. */
const REACTIONS = [
  [
    '👎',
    'disliked|no (?:le |me )?(?:ha )?gust(?:o|a|ado)|na pas aime|gefiel nicht|nao gostou de|(?:reacted |reacciono con )?👎 (?:to|a|en|auf|zu)',
    'によくないね',
  ],
  [
    '👍',
    'liked|loved|(?:le |me )?(?:ha )?(?:gust|encant)(?:o|a|ado)|a (?:aime|adore)|gefiel|gostou de|adorou|(?:reacted |reacciono con )?[👍❤] ?(?:to|a|en|auf|zu)',
    'にいいね',
  ],
] as const;
/** Words before a reaction, such as a name. A negation among them turns it around. */
const REACTS = '(?:(?!(?:ya|no|nao|not|non|nicht) )[^" ]{1,30} ){0,4}';
/** A quote up to the end of the text, where it may be cut. */
const QUOTED = REACTIONS.map(
  ([sign, before, behind]) =>
    [sign, new RegExp(`^(?:${REACTS}(?:${before}) ?"(?:.*"|.*\\.\\.\\.|[^"]*)[\\s.]*|".*"${behind}しました.?)$`, 'su')] as const,
);
/** A question of ours: it names the letters of both answers. */
const ASKS = /(?<!\p{L})(?:Y|YES|Yes|S|SI|SÍ|Sí)(?!\p{L}).*(?<!\p{L})(?:N|NO|No)(?!\p{L})/su;

/**
 * The words of a text that are the sender's own, as they are seen: without what is quoted, at length or below a line that says whose it is.
 * Of a reaction
 * that likes or dislikes a question with both answers, the thumb is left.
 */
export function keepOwnWords(body: string): string {
  const text = pairQuotes(body.slice(0, MAX_READ));
  // A ligature is up to 18 letters, so what is seen is cut again.
  return (
    readReaction(text) ??
    asSeen(withoutQuotes(withoutReplied(text)))
      .slice(0, MAX_READ)
      .trim()
  );
}

function readReaction(text: string): string | null {
  const folded = fold(text).replaceAll("'", '').trim();
  const [sign] = QUOTED.find(([, pattern]) => pattern.test(folded)) ?? [];
  return sign === undefined ? null : ASKS.test(text) ? sign : '';
}

/** A line by which a program begins what it quotes below. */
const REPLIED =
  /^[-_*\s]{0,40}(?:Original Message|Mensaje original|Forwarded message|Mensaje reenviado|Message d'origine|Ursprüngliche Nachricht|Mensagem original)\b|^_{8}/iu;
const FROM = /^(?:From|De|Von): /iu;
const SENT = /^(?:Sent|Date|To|Enviado|Fecha|Para|Gesendet)/iu;
/** "On Monday the 3rd, Dr. Lee wrote:" and its like: how it begins, and how it ends on this line or the next. */
const ON = /(?<!\S)(?:On|El|Le|Am|Em|Il)\b/giu;
const WROTE = /(?:wrote|escribi[óo]|a [ée]crit|schrieb[^\n:]{0,80}|escreveu|ha scritto) ?:/iu;
/** Characters of a line that are looked at: a longer one is a person's. */
const LONGEST_LEAD = 300;

/** The start of what is quoted within a line, or null. Line by line, so that no text takes long. */
function repliedAt(line: string, next: string): number | null {
  if (REPLIED.test(line) || (FROM.test(line) && SENT.test(next))) return 0;
  const lead = line.slice(0, LONGEST_LEAD);
  if (!WROTE.test(`${lead}\n${next.slice(0, LONGEST_LEAD)}`)) return null;
  const starts = [...lead.matchAll(ON)].map(({ index }) => index);
  return (
    starts.find(
      (at) =>
        (lead.slice(0, at).trim() === '' || /\d/.test(lead.slice(at))) && WROTE.test(`${lead.slice(at)}\n${next.slice(0, LONGEST_LEAD)}`),
    ) ?? null
  );
}

function withoutReplied(text: string): string {
  const lines = text
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .split('\n')
    .map((line) => (/^[\s\u200b]*(?:>|&gt;|＞)/u.test(line) ? '' : line));
  const own: string[] = [];
  for (const [index, line] of lines.entries()) {
    const at = repliedAt(line, lines[index + 1] ?? '');
    if (at !== null) return [...own, line.slice(0, at)].join('\n');
    own.push(line);
  }
  return own.join('\n');
}

/** Straight quotes as the pair that they are: one after a blank opens, another closes. */
const pairQuotes = (text: string): string => text.replaceAll(/(?<![^\s([{“])["＂](?=\S)/g, '“').replaceAll(/["＂]/g, '”');

/** Pairs of quotes, each without others inside. */
const PAIRS = [/“([^“”„]*)”/gu, /„([^“”„]*)[“”]/gu, /[«‹]([^«»‹›]*)[»›]/gu, /[「『〝]([^「『」』〝-〟]*)[」』〞〟]/gu];
/** One word in quotes is the sender's. */
const ONE_WORD = /^\s*\S{1,12}\s*$/u;

/** A quote that is the whole text is the sender's; others are not, but for a single word. */
function withoutQuotes(text: string): string {
  let left = text;
  for (;;) {
    const next = PAIRS.reduce(
      (now, pair) =>
        now.replaceAll(pair, (whole, inner: string) => (whole === left.trim() ? inner : ONE_WORD.test(inner) ? ` ${inner} ` : ' ')),
      left,
    );
    if (next === left) return next.replaceAll(/(?<!\p{L})[“„«「『][^”»」』]{20,}$/gu, ' ');
    left = next;
  }
}

/** Words that begin a line which says something, where a name would be. */
const SAYS =
  /\b(?:i|im|ill|ive|id|we|were|well|you|he|she|they|it|its|this|that|there|my|our|your|the|a|an|and|or|but|not|no|none|never|dont|cant|wont|if|when|what|who|whose|where|why|how|which|maybe|perhaps|unless|until|after|before|at|in|on|by|to|for|from|with|without|about|call|text|ask|tell|send|need|want|can|could|will|would|should|may|might|must|is|are|was|am|be|been|do|does|did|has|have|had|please|late|later|soon|today|tonight|tomorrow|yesterday|morning|afternoon|evening|night|noon|monday|tuesday|wednesday|thursday|friday|saturday|sunday|running|arriving|coming|bringing|going|waiting|only|also|just|still|already|both|all|same|another|other|new|change|move|reschedule|cancel|help|stop|start|pain|chest|fever|sick|covid|wait|actually|sorry|yes|ok|okay|pero|y|o|si|no|ni|que|quien|cuando|donde|como|cual|por|para|porque|quiza|quizas|tal|talvez|hoy|manana|ayer|tarde|temprano|lunes|martes|miercoles|jueves|viernes|sabado|domingo|llame|llamen|llamar|quiero|necesito|puedo|puede|voy|tengo|estoy|soy|es|esta|mi|su|un|una|el|los|las|en|con|sin|a|ya|solo|tambien|cambiar|mover|cancelar|ayuda|parar|alto|dolor|fiebre|enfermo|enferma|espere|perdon|nop|nope|nah|negativ[eo]|declined?|imposible)\b|^n$/;
/** Lines that telephones and programs add below a text. */
const DEVICE =
  /^(?:sent (?:from|via|using|by) |enviado (?:desde|con|por) |envoye (?:de|depuis) |gesendet von |get outlook for |obtener outlook |obtenga outlook |inviato da |mandado desde )/;
const NAME = /^(?:\p{Lu}[\p{L}\p{M}'.-]*|de|del|la|las|los|van|von|da|dos|bin|al)$/u;
/** The longest line that may be a name, in characters and in words. */
const LONGEST_NAME = 60;
const MOST_WORDS = 5;

/** Own words without the name of the sender or of the telephone below them: lines of capitalized words that say nothing. */
export function withoutSignature(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const kept = lines.filter((line, at) => line !== '' && !(at > 0 && isSignature(line)));
  return kept.join('\n');
}

function isSignature(line: string): boolean {
  const words = foldWords(line);
  return words === '' ? /^[-_~*\s]+$/.test(line) : DEVICE.test(words) || (isName(line) && !SAYS.test(words));
}

function isName(line: string): boolean {
  if (line.length > LONGEST_NAME) return false;
  const words = line
    .replace(/^[-–—~•*\s]+/, '')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  return words.length > 0 && words.length <= MOST_WORDS && words.every((word) => NAME.test(word));
}
