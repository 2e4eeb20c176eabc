import { asSeen, fold, foldWords } from '../../values/same-text.ts';

/** The length of a text at carriers; more is not read. */
const MAX_READ = 1_600;

/** The reactions of telephones that mean yes and no, folded: the words before the quote, and those behind it. Others are words beside a quote. */
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
const REACTION = REACTIONS.map(
  ([sign, before, behind]) =>
    [sign, new RegExp(`^(?:${REACTS}(?:${before}) ?"(.*"|.*\\.\\.\\.|[^"]*)[\\s.]*|"(.*)"${behind}しました.?)$`, 'su')] as const,
);

export interface Quoting {
  /** The thumb of a reaction, or the words above the quote. */
  said: string;
  quote: string;
  /** The quote may be the beginning of a text alone. */
  isCut: boolean;
}

/** The words of a text that are the sender's own, as they are seen: without what is quoted, at length or below a line that says whose it is. */
export function keepOwnWords(body: string, { keepWords = false } = {}): string {
  const text = pairQuotes(body.slice(0, MAX_READ));
  if (readReaction(text)) return '';
  // A ligature is up to 18 letters, so what is seen is cut again.
  return asSeen(withoutQuotes(withoutReplied(text.replaceAll(/[–—―]/g, ' - ')), keepWords))
    .slice(0, MAX_READ)
    .trim();
}

/** A reaction of a telephone, or a text above lines that quote another. Null for all others. */
export function readQuoting(body: string): Quoting | null {
  const text = pairQuotes(body.slice(0, MAX_READ));
  const quoted = toLines(text).filter((line) => QUOTED_LINE.test(line));
  const quote = quoted.map((line) => line.replace(QUOTED_LINE, '')).join('\n');
  return readReaction(text) ?? (quoted.length === 0 ? null : { said: keepOwnWords(body), quote, isCut: true });
}

function readReaction(text: string): Quoting | null {
  const folded = fold(text).replaceAll("'", '').trim();
  for (const [said, pattern] of REACTION) {
    const [whole, before, behind] = pattern.exec(folded) ?? [];
    const quote = behind ?? before ?? '';
    if (whole !== undefined) return { said, quote, isCut: behind === undefined && !/(?<!\.\.\.)"$/.test(quote) };
  }
  return null;
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

const QUOTED_LINE = /^[\s\u200b]*(?:(?:>|&gt;|＞)[\s\u200b]*)+/u;
const toLines = (text: string): string[] => text.split(/\r\n?|[\n\u0085\u2028\u2029]/);

function withoutReplied(text: string): string {
  const lines = toLines(text).map((line) => (QUOTED_LINE.test(line) ? '' : line));
  const own: string[] = [];
  for (const [index, line] of lines.entries()) {
    const at = repliedAt(line, lines[index + 1] ?? '');
    if (at !== null) return [...own, line.slice(0, at)].join('\n');
    own.push(line);
  }
  return own.join('\n');
}

/** Straight quotes, and closing ones that open in Swedish, as the pair that they are: one after a blank opens, another closes. */
const pairQuotes = (text: string): string =>
  text.replaceAll(/(?<![^\s([{“])(?:["＂](?=\S)|[”‟](?=[\p{L}\p{N}¿¡]))/gu, '“').replaceAll(/["＂‟]/g, '”');

/** Pairs of quotes, each without others inside. */
const PAIRS = [
  /“([^“”„]*)”/gu,
  /„([^“”„]*)[“”]/gu,
  /[«‹]([^«»‹›]*)[»›]/gu,
  /[»›]([^«»‹›]*)[«‹»›]/gu,
  /[「『〝]([^「『」』〝-〟]*)[」』〞〟]/gu,
];
/** Quotes that no other pair is found for: those behind a letter, such as 赞了"STOP". */
const CLOSING_PAIR = /”([^“”„]*)”/gu;
const ONE_WORD = /^\s*\S{1,12}\s*$/u;

/** A quote that is the whole text is the sender's; others are not. @param keepWords single words in quotes stay */
function withoutQuotes(text: string, keepWords: boolean): string {
  let left = text;
  const strip = (now: string, pair: RegExp) =>
    now.replaceAll(pair, (whole, inner: string) => {
      if (!/[\p{L}\p{N}\p{So}]/u.test(now.replace(whole, ''))) return inner;
      return keepWords && ONE_WORD.test(inner) ? ` ${inner} ` : ' ';
    });
  for (;;) {
    const inner = PAIRS.reduce(strip, left);
    const next = inner === left ? strip(left, CLOSING_PAIR) : inner;
    if (next === left) return next.replaceAll(/(?<!\p{sc=Latin})[“„«「『][^”»」』]{20,}$/gu, ' ');
    left = next;
  }
}

/** Words that begin a line which says something, where a name would be. */
const SAYS =
  /\b(?:i|im|ill|ive|id|we|were|well|you|he|she|they|it|its|this|that|there|my|our|your|the|a|an|and|or|but|not|no|none|never|dont|cant|wont|if|when|what|who|whose|where|why|how|which|maybe|perhaps|unless|until|after|before|at|in|on|by|to|for|from|with|without|about|call|text|ask|tell|send|need|want|can|could|will|would|should|may|might|must|is|are|was|am|be|been|do|does|did|has|have|had|please|late|later|soon|today|tonight|tomorrow|yesterday|morning|afternoon|evening|night|noon|monday|tuesday|wednesday|thursday|friday|saturday|sunday|running|arriving|coming|bringing|going|waiting|only|also|just|still|already|both|all|same|another|other|new|change|move|reschedule|cancel|help|stop|start|pain|chest|fever|sick|covid|wait|actually|sorry|yes|ok|okay|pero|y|o|si|no|ni|que|quien|cuando|donde|como|cual|por|para|porque|quiza|quizas|tal|talvez|hoy|manana|ayer|tarde|temprano|lunes|martes|miercoles|jueves|viernes|sabado|domingo|llame|llamen|llamar|quiero|necesito|puedo|puede|voy|tengo|estoy|soy|es|esta|mi|su|un|una|el|los|las|en|con|sin|a|ya|solo|tambien|cambiar|mover|cancelar|ayuda|parar|alto|dolor|fiebre|enfermo|enferma|espere|perdon|nop|nope|nah|negativ[eo]|declined?|imposible)\b|^n$/;
/** Lines that telephones and programs add below a text. */
const DEVICE =
  /^(?:sent (?:from|via|using|by) |enviad[oa] (?:desde|con|por|do|da|pelo|pela|de|a partir do) |envoye (?:de|depuis|a partir) |(?:gesendet|verzonden) (?:von|vanaf|met) |von mein.{1,30} gesendet|get outlook for |obtener outlook |obtenga outlook |obter o outlook |inviato da |mandado desde |отправлено (?:с|из) |skickat fran |(?:duoc )?gui tu |voye (?:soti|depi|nan) |ipinadala mula |发自|寄自|從我的|从我的|나의 .{1,20}에서 보냄|내 .{1,20}에서 보냄|ارسلت من|تم الارسال من|मेरे .{1,20}से भेजा)/u;
const NAME = /^(?:\p{Lu}[\p{L}\p{M}'.-]*|de|del|la|las|los|van|von|da|dos|bin|al)$/u;
/** The longest line that may be a name, in characters and in words. */
const LONGEST_NAME = 60;
const MOST_WORDS = 5;

/** Own words without the name of the sender or of the telephone below them: lines of capitalized words that say nothing. */
export function withoutSignature(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const kept = lines.filter((line, at) => line !== '' && !(at > 0 && isSignature(line)));
  return kept.map((line) => line.replace(/ --? (.+)$/, (dashed, name: string) => (isSignature(name) ? '' : dashed))).join('\n');
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
