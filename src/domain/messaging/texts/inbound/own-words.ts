import { asSeen, fold, foldWords } from '../../../values/same-text.ts';

/** The length of a text at carriers; more is not read. */
const MAX_READ = 1_600;

/** The reactions of telephones that mean yes and no, folded. Of others nothing is left but their own words. */
const REACTIONS = [
  ['👎', 'disliked|no (?:le |me )?gusto|na pas aime|(?:reacted |reacciono con )?👎 (?:to|a|en|auf|zu)'],
  [
    '👍',
    'liked|loved|(?:le )?(?:gusto|encanto)|a (?:aime|adore)|gefiel|gostou de|adorou|(?:reacted |reacciono con )?[👍❤] ?(?:to|a|en|auf|zu)',
  ],
] as const;
/** A quote up to the end of the text, where it may be cut. */
const QUOTED = REACTIONS.map(
  ([sign, words]) => [sign, new RegExp(`^(?:[^"]{1,30} )?(?:${words}) ?"(?:.*"|.*\\.\\.\\.|[^"]*)[\\s.]*$`, 'su')] as const,
);
/** A question of ours: it names the letters of both answers. */
const ASKS = /(?<!\p{L})(?:Y|YES|Yes|S|SI|SÍ|Sí)(?!\p{L}).*(?<!\p{L})(?:N|NO|No)(?!\p{L})/su;

/**
 * The words of a text that are the sender's own, as they are seen: without what is quoted, at length or below a line that says whose it is.
 * Of a reaction
 * that likes or dislikes a question with both answers, the thumb is left.
 */
export function ownWords(body: string): string {
  const text = pairQuotes(body.slice(0, MAX_READ));
  return readReaction(text) ?? asSeen(withoutQuotes(withoutReplied(text))).trim();
}

function readReaction(text: string): string | null {
  const folded = fold(text).replaceAll("'", '').trim();
  const [sign] = QUOTED.find(([, pattern]) => pattern.test(folded)) ?? [];
  return sign === undefined ? null : ASKS.test(text) ? sign : '';
}

/** The lines by which programs begin what they quote below. */
const REPLIED =
  /(?:^\s*(?:On|El|Le|Am|Em|Il)\b|\s(?:On|El|Le|Am|Em|Il)\b[^\n]*\d)[^\n]*(?:\n[^\n]*)?(?:wrote|escribi[óo]|a [ée]crit|schrieb[^\n:]*|escreveu|ha scritto) ?:|^[-_*\s]*(?:Original Message|Mensaje original|Forwarded message|Mensaje reenviado|Message d'origine|Ursprüngliche Nachricht|Mensagem original)\b|^_{8,}|^(?:From|De|Von): .*\n(?:Sent|Date|To|Enviado|Fecha|Para|Gesendet)/imu;

function withoutReplied(text: string): string {
  const lines = text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/^[\s\u200b]*(?:>|&gt;|＞).*$/gmu, '');
  const at = lines.search(REPLIED);
  return at === -1 ? lines : lines.slice(0, at);
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
  /\b(?:i|im|ill|ive|id|we|were|well|you|he|she|they|it|its|this|that|there|my|our|your|the|a|an|and|or|but|not|no|none|never|dont|cant|wont|if|when|what|who|whose|where|why|how|which|maybe|perhaps|unless|until|after|before|at|in|on|by|to|for|from|with|without|about|call|text|ask|tell|send|need|want|can|could|will|would|should|may|might|must|is|are|was|am|be|been|do|does|did|has|have|had|please|late|later|soon|today|tonight|tomorrow|yesterday|morning|afternoon|evening|night|noon|monday|tuesday|wednesday|thursday|friday|saturday|sunday|running|arriving|coming|bringing|going|waiting|only|also|just|still|already|both|all|same|another|other|new|change|move|reschedule|cancel|help|stop|start|pain|chest|fever|sick|covid|wait|actually|sorry|yes|ok|okay|pero|y|o|si|no|ni|que|quien|cuando|donde|como|cual|por|para|porque|quiza|quizas|tal|talvez|hoy|manana|ayer|tarde|temprano|lunes|martes|miercoles|jueves|viernes|sabado|domingo|llame|llamen|llamar|quiero|necesito|puedo|puede|voy|tengo|estoy|soy|es|esta|mi|su|un|una|el|los|las|en|con|sin|a|ya|solo|tambien|cambiar|mover|cancelar|ayuda|parar|alto|dolor|fiebre|enfermo|enferma|espere|perdon)\b/;
/** Lines that telephones and programs add below a text. */
const DEVICE =
  /^(?:sent (?:from|via|using|by) |enviado (?:desde|con|por) |envoye (?:de|depuis) |gesendet von |get outlook for |obtener outlook |obtenga outlook |inviato da |mandado desde )/;
const NAMES = /^[-–—~•*\s]*(?:(?:\p{Lu}[\p{L}\p{M}'.-]*|de|del|la|las|los|van|von|da|dos|bin|al)[\s,]*){1,5}$/u;

/** Own words without the name of the sender or of the telephone below them: lines of capitalized words that say nothing. */
export function withoutSignature(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const kept = lines.filter((line, at) => line !== '' && !(at > 0 && isSignature(line)));
  return kept.join('\n');
}

function isSignature(line: string): boolean {
  const words = foldWords(line);
  return words === '' ? /^[-_~*\s]+$/.test(line) : DEVICE.test(words) || (NAMES.test(line) && !SAYS.test(words));
}
