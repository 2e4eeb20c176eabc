import { asSeen, foldWords } from '../../values/same-text.ts';
import { keepOwnWords, withoutSignature } from './own-words.ts';

export type YesOrNo = 'Yes' | 'No';

/** The answer that a text is, in its usual spellings. */
export interface ReadAnswer {
  /** Null where the text only chooses. */
  answer: YesOrNo | null;
  /** The numbers of a list, or all of its entries; null where the text chooses none. */
  choice: readonly number[] | 'all' | null;
}

/** Spellings; case, accents and apostrophes make no difference. */
const YES = `Y, YES, YEP, YEAH, YUP, YEA, YES SIR, YES MAAM, OK, OKAY, OKEY, OKIE, K, KK, SURE, OF COURSE, ABSOLUTELY, DEFINITELY, PERFECT, GREAT,
  SOUNDS GOOD, THAT WORKS, WORKS FOR ME, C, CONFIRM, CONFIRMED, CONFIRMING, I CONFIRM, WE CONFIRM, I WILL BE THERE, ILL BE THERE, WILL BE THERE,
  WELL BE THERE, WE WILL BE THERE, BE THERE, SEE YOU THEN, SEE YOU THERE, SEE YOU, I CAN COME, I CAN MAKE IT, I WILL COME, ILL COME, IM COMING,
  I AM COMING, I WILL, I CAN, S`;
const YES_IN_SPANISH = `SI, SIP, SIPI, SI SENOR, SI SENORA, CLARO, CLARO QUE SI, POR SUPUESTO, DE ACUERDO, DESDE LUEGO, ESTA BIEN, MUY BIEN, VALE, PERFECTO, CORRECTO,
  CONFIRMO, CONFIRMAMOS, CONFIRMADO, CONFIRMADA, CONFIRMAR, LO CONFIRMO, LA CONFIRMO, CONFIRMO LA CITA, CONFIRMO MI CITA, CONFIRMO MI ASISTENCIA, AHI ESTARE, ALLI ESTARE, AHI ESTAREMOS, ALLI ESTAREMOS,
  AHI NOS VEMOS, NOS VEMOS, ESTARE AHI, ESTARE ALLI, PUEDO IR, PUEDO VENIR, SI PUEDO, VOY, IRE, VOY A IR, ASISTIRE, VOY A ASISTIR,
  DALE, CUENTE CONMIGO, CUENTEN CONMIGO, SERA UN PLACER, CON MUCHO GUSTO`;
const NO = `N, NO, NOP, NOPE, NAH, NEGATIVE, DECLINE, DECLINED, I DECLINE, CANT, I CANT, CANNOT, I CANNOT, CANT COME, I CANT COME, I CANNOT COME, CANT GO,
  I CANT GO, CANT MAKE IT, I CANT MAKE IT, CANNOT MAKE IT, I CANNOT MAKE IT, WE CANT MAKE IT, WE CANT COME, WONT MAKE IT, I WONT MAKE IT,
  WONT BE THERE, I WONT BE THERE, I WILL NOT BE THERE, I WONT COME, I WILL NOT COME, NOT COMING, IM NOT COMING, I AM NOT COMING, UNABLE TO COME,
  UNABLE TO MAKE IT, NOT ABLE TO MAKE IT, I HAVE TO CANCEL, I NEED TO CANCEL, NEED TO CANCEL, HAVE TO CANCEL, CANCEL MY APPOINTMENT,
  CANCEL THE APPOINTMENT, CANCEL APPOINTMENT, CANCEL MY VISIT, CANCEL THE VISIT, CANCEL MY APPT, I WANT TO CANCEL MY APPOINTMENT,
  I HAVE TO CANCEL MY APPOINTMENT, I NEED TO CANCEL MY APPOINTMENT`;
const NO_IN_SPANISH = `NEGATIVO, NO PUEDO, NO PUEDO IR, NO PUEDO VENIR, NO PUEDO ASISTIR, NO PODRE, NO PODRE IR, NO PODRE ASISTIR, NO PODEMOS, NO PODEMOS IR, NO VOY,
  NO VOY A IR, NO VOY A PODER, NO VOY A PODER IR, NO VOY A PODER ASISTIR, NO IRE, NO ASISTIRE, NO ESTARE, IMPOSIBLE, CANCELO, CANCELAR LA CITA, CANCELAR MI CITA,
  CANCELAR CITA, CANCELE LA CITA, CANCELE MI CITA, TENGO QUE CANCELAR, NECESITO CANCELAR, QUIERO CANCELAR MI CITA, TENGO QUE CANCELAR MI CITA`;
/** Of further languages, by their tags: yes, then no. English and Spanish are understood from everybody. */
const FURTHER_SPELLINGS: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  ar: ['نعم, اكيد', 'لا'],
  fr: ['OUI, D’ACCORD', 'NON'],
  hi: ['हां, हाँ, जी', 'नहीं'],
  ht: ['WI', 'NON'],
  ko: ['네, 예', '아니요, 아니오'],
  pt: ['SIM', 'NAO'],
  ru: ['ДА', 'НЕТ'],
  tl: ['OO, OPO', 'HINDI, HINDI PO'],
  vi: ['CO, VANG, DA', 'KHONG'],
  zh: ['是, 好, 好的, 可以', '不, 不是, 不行, 不可以'],
};
const COURTESY = `PLEASE, PLS, THANKS, THANK YOU, THANK YOU SO MUCH, THANK YOU VERY MUCH, THX, TY, HI, HELLO, HEY, GOOD MORNING, GOOD AFTERNOON, SORRY,
  IM SORRY, I AM SORRY, DR, DOCTOR, YA,
  REGARDS, BEST REGARDS, KIND REGARDS, BEST, SINCERELY, CHEERS, LOVE, GOD BLESS`;
const COURTESY_IN_SPANISH = `POR FAVOR, GRACIAS, MUCHAS GRACIAS, HOLA, BUENOS DIAS, BUENAS TARDES, BUENAS NOCHES, LO SIENTO, PERDON, DISCULPE,
  DIOS MEDIANTE, SI DIOS QUIERE, PRIMERO DIOS, SALUDOS, UN SALUDO, ATENTAMENTE, CORDIALMENTE, BENDICIONES`;
const ALL = 'BOTH, BOTH OF THEM, ALL, ALL OF THEM, AMBAS, AMBOS, LAS DOS, LOS DOS, TODAS, TODOS';
const CONNECTORS = 'TO, FOR, AND, NUMBER, A, AL, PARA, EL, LA, NUMERO';

const YES_SIGNS = /[\u{1F44D}\u{1F44C}\u{2705}\u{2714}\u{2611}\u{1F197}]/gu;
const NO_SIGNS = /[\u{1F44E}\u{274C}\u{274E}\u{2716}\u{1F6AB}\u{26D4}]/gu;
type Meaning = YesOrNo | 'courtesy' | 'all' | 'connector';

const spellings = (list: string): string[] => list.split(',').map((one) => normalize(one));

/** Longest spelling, in words. */
const MAX_WORDS = 7;
const MEANINGS = new Map<string, Meaning>([
  ...spellings(CONNECTORS).map((one) => [one, 'connector'] as const),
  ...spellings(ALL).map((one) => [one, 'all'] as const),
  ...spellings(`${COURTESY}, ${COURTESY_IN_SPANISH}`).map((one) => [one, 'courtesy'] as const),
  ...spellings(`${YES}, ${YES_IN_SPANISH}`).map((one) => [one, 'Yes'] as const),
  ...spellings(`${NO}, ${NO_IN_SPANISH}`).map((one) => [one, 'No'] as const),
]);

/** Answers that only somebody who writes Spanish gives, and the word for help. */
const IN_SPANISH = new Set(spellings(`${YES_IN_SPANISH}, ${NO_IN_SPANISH}, AYUDA`));
const COURTESIES_IN_SPANISH = spellings(COURTESY_IN_SPANISH);

/** Whether a text is an answer in Spanish, with courtesy or without. */
export function isInSpanish(body: string): boolean {
  const said = normalize(withoutSignature(keepOwnWords(body)));
  const bare = COURTESIES_IN_SPANISH.reduce((rest, courtesy) => ` ${rest} `.replace(` ${courtesy} `, ' ').trim(), said);
  return IN_SPANISH.has(bare);
}

/** A time of day, a date or a question says more than an answer does; "n/a" says none. */
const MORE_THAN_AN_ANSWER = /[?¿]|\d\s*[:./-]\s*\d|\bn *[/\\] *a\b/i;

const FURTHER = new Map(
  Object.entries(FURTHER_SPELLINGS).map(([tag, [yes, no]]) => [
    tag,
    new Map<string, Meaning>([...spellings(yes).map((one) => [one, 'Yes'] as const), ...spellings(no).map((one) => [one, 'No'] as const)]),
  ]),
);

/** Folded words, with signs of the thumb and ticks as words, and long vowels short. */
function normalize(body: string): string {
  const words = foldWords(body.replaceAll(YES_SIGNS, ' yes ').replaceAll(NO_SIGNS, ' no '));
  return words.replaceAll(/\b(?:si{2,}|no{2,}|yes{2,}|ok{2,})\b/g, (long) => long.replace(/(.)\1+$/, '$1'));
}

/** Whether a text that is no answer speaks of cancelling. */
export const speaksOfCancelling = (body: string): boolean => /\bcancel/.test(foldWords(keepOwnWords(body)));

/**
 * The answer that a text consists of: nothing but spellings of one answer, numbers of a list and courtesy. Null for any other text,
 * which a person has to read.
 * @param language tag of the patient's language, whose spellings are understood too
 */
export function readAnswer(body: string, language: string | null = null): ReadAnswer | null {
  const said = withoutSignature(keepOwnWords(body));
  if ([...said].length > 200 || MORE_THAN_AN_ANSWER.test(asSeen(said))) return null;
  const words = normalize(said).split(' ');
  const answers = new Set<YesOrNo>();
  const numbers: number[] = [];
  let all = false;
  for (let at = 0; at < words.length; ) {
    const number = numberAt(words, at);
    const found = number === null ? meaningAt(words, at, language) : null;
    if (number !== null) numbers.push(number);
    else if (found === null) return null;
    else if (found.meaning === 'all') all = true;
    else if (found.meaning === 'Yes' || found.meaning === 'No') answers.add(found.meaning);
    at += found?.length ?? 1;
  }
  const [answer = null, other] = answers;
  if (other !== undefined || (all && numbers.length > 0)) return null;
  const choice = all ? 'all' : numbers.length > 0 ? [...new Set(numbers)] : null;
  return answer === null && choice === null ? null : { answer, choice };
}

/** A number of a list, in one or two digits. */
const numberAt = (words: readonly string[], at: number): number | null => {
  const word = words[at] ?? '';
  return /^\d{1,2}$/.test(word) ? Number(word) : null;
};

interface Found {
  meaning: Meaning;
  /** In words. */
  length: number;
}

/** The longest spelling that begins at a word. */
function meaningAt(words: readonly string[], at: number, language: string | null): Found | null {
  // Between two numbers, the Spanish "y" is an "and".
  if (words[at] === 'y' && at > 0 && numberAt(words, at - 1) !== null && numberAt(words, at + 1) !== null)
    return { meaning: 'connector', length: 1 };
  for (let length = Math.min(MAX_WORDS, words.length - at); length > 0; length -= 1) {
    const phrase = words.slice(at, at + length).join(' ');
    const meaning = FURTHER.get(language ?? '')?.get(phrase) ?? MEANINGS.get(phrase);
    if (meaning) return { meaning, length };
  }
  return null;
}
