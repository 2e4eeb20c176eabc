import type { AnswerProblem } from '../../../domain/messaging/check-ins/check-in-answers.ts';
import type { InEachLanguage } from '../../../domain/values/languages.ts';
import { html } from '../../html.ts';

/** A number as it is read in the United States. */
export const writeNumber = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 3 });

/** A reported value with the range that it should be in. */
interface ComparedValue {
  item: { unit: string | null };
  target: { min: number | null; max: number | null } | null;
  isOutOfTarget: boolean;
}

/** Words for a range with one end or both. */
interface RangeWords {
  between: (min: string, max: string) => string;
  atLeast: (min: string) => string;
  atMost: (max: string) => string;
}

/** A range in words; null without one, and where limits of several conditions leave no value. */
function writeRange(value: ComparedValue, words: RangeWords): string | null {
  const { min, max } = value.target ?? { min: null, max: null };
  const unit = value.item.unit === null ? '' : ` ${value.item.unit}`;
  if (min !== null && max !== null) return min > max ? null : words.between(writeNumber(min), `${writeNumber(max)}${unit}`);
  if (min !== null) return words.atLeast(`${writeNumber(min)}${unit}`);
  return max === null ? null : words.atMost(`${writeNumber(max)}${unit}`);
}

const en = {
  lookAgain: (survey: string) => `Please look again: ${survey}`,
  /** Markup. */
  lead: (name: string | null, practice: string) =>
    html`!${name === null ? '' : html`Hello <bdi>${name}</bdi>, `}${practice} would like to know how you are.`,
  notReadAtOnce: 'Your answers may not be read right away.',
  expired: 'This link has expired',
  usableUntil: (when: string) => `It could be used until ${when}.`,
  /** Markup, as all that `call` is part of. */
  tellUs: (call: string) => html`If there is something we should know, please !${call}.`,
  over: 'This is no longer needed',
  nobodyWaits: (call: string) => html`These answers are no longer needed. If you have a question, please !${call}.`,
  thanks: (name: string | null) => (name === null ? 'Thank you' : `Thank you, ${name}`),
  keptAlready: (call: string) =>
    html`We already have your answers, so the new ones were not saved. If something has changed, please !${call}.`,
  urgentAgain: (call: string) =>
    html`Your earlier answers are unchanged. We have told the practice about the urgent ones among your new answers. If it cannot wait, please !${call}.`,
  got: (practice: string, when: string) => `${practice} got your answers on ${when}.`,
  says: (practice: string) => `What ${practice} says`,
  doNow: 'What to do now',
  callPractice: 'Call the practice',
  call911: 'Call 911',
  values: 'Your values',
  ofTarget: (value: ComparedValue) => {
    if (!value.target) return 'There is no target for this.';
    const range = writeRange(value, {
      between: (min, max) => `${min} to ${max}`,
      atLeast: (min) => `${min} or more`,
      atMost: (max) => `${max} or less`,
    });
    const place = value.isOutOfTarget ? 'This is outside your target.' : 'This is within your target.';
    return range === null ? place : `Your target: ${range}. ${place}`;
  },
  send: 'Send my answers',
  problems: (count: number) => `Please look at ${count === 1 ? 'one answer' : `${count} answers`} again`,
  means: (step: number, label: string) => `${step} means: ${label}.`,
  bounds: ({ min, max }: { min?: number | undefined; max?: number | undefined }) => {
    if (min !== undefined && max !== undefined) return `From ${min} to ${max}`;
    if (min !== undefined) return `${min} or more`;
    return max === undefined ? 'A number' : `${max} or less`;
  },
  inUnit: (bounds: string, unit: string) => `${bounds}, in ${unit}.`,
  yes: 'Yes',
  no: 'No',
  missing: {
    text: 'Please write an answer.',
    number: 'Please enter a number.',
    choice: 'Please choose an answer.',
    scale: 'Please choose a number.',
    yes_no: 'Please choose yes or no.',
  },
  tooLong: (most: number) => `Please shorten this to ${most} characters.`,
  specialSigns: 'Please write this without special characters.',
  comma: 'Please enter this number without a comma, such as 1200 or 1.2.',
  noNumber: 'Please enter a number, such as 120 or 98.6.',
  decimals: 'Please enter at most three digits after the decimal point.',
  atMost: (max: number) => `Please enter a number of ${max} or less.`,
  atLeast: (min: number) => `Please enter a number of ${min} or more.`,
  between: (min: number, max: number) => `Please enter a number from ${min} to ${max}.`,
};

export type CheckInWords = typeof en;

const es: CheckInWords = {
  lookAgain: (survey) => `Revise de nuevo: ${survey}`,
  lead: (name, practice) => html`!${name === null ? '' : html`Hola, <bdi>${name}</bdi>: `}${practice} quisiera saber cómo está usted.`,
  notReadAtOnce: 'Es posible que sus respuestas no se lean de inmediato.',
  expired: 'Este enlace ha vencido',
  usableUntil: (when) => `Se pudo usar hasta el ${when}.`,
  tellUs: (call) => html`Si hay algo que debamos saber, !${call}.`,
  over: 'Esto ya no es necesario',
  nobodyWaits: (call) => html`Ya nadie espera estas respuestas. Si tiene alguna pregunta, !${call}.`,
  thanks: (name) => (name === null ? 'Gracias' : `Gracias, ${name}`),
  keptAlready: (call) => html`Ya tenemos sus respuestas, así que lo que acaba de enviar no se guardó. Si algo ha cambiado, !${call}.`,
  urgentAgain: (call) =>
    html`Sus respuestas anteriores quedan como están. Avisamos al consultorio de lo urgente en las que acaba de enviar. Si no puede esperar, !${call}.`,
  got: (practice, when) => `${practice} recibió sus respuestas el ${when}.`,
  says: (practice) => `Lo que dice ${practice}`,
  doNow: 'Qué hacer ahora',
  callPractice: 'Llamar al consultorio',
  call911: 'Llamar al 911',
  values: 'Sus valores',
  ofTarget: (value) => {
    if (!value.target) return 'No hay un objetivo para esto.';
    const range = writeRange(value, {
      between: (min, max) => `de ${min} a ${max}`,
      atLeast: (min) => `${min} o más`,
      atMost: (max) => `${max} o menos`,
    });
    const place = value.isOutOfTarget ? 'Esto está fuera de su objetivo.' : 'Esto está dentro de su objetivo.';
    return range === null ? place : `Su objetivo: ${range}. ${place}`;
  },
  send: 'Enviar mis respuestas',
  problems: (count) => `Revise de nuevo ${count === 1 ? 'una respuesta' : `${count} respuestas`}`,
  means: (step, label) => `${step} significa: ${label}.`,
  bounds: ({ min, max }) => {
    if (min !== undefined && max !== undefined) return `De ${min} a ${max}`;
    if (min !== undefined) return `${min} o más`;
    return max === undefined ? 'Un número' : `${max} o menos`;
  },
  inUnit: (bounds, unit) => `${bounds}, en ${unit}.`,
  yes: 'Sí',
  no: 'No',
  missing: {
    text: 'Escriba una respuesta.',
    number: 'Escriba un número.',
    choice: 'Elija una respuesta.',
    scale: 'Elija un número.',
    yes_no: 'Elija sí o no.',
  },
  tooLong: (most) => `Acorte esto a ${most} caracteres.`,
  specialSigns: 'Escriba esto sin signos especiales.',
  comma: 'Escriba este número sin coma, por ejemplo 1200 o 1.2.',
  noNumber: 'Escriba un número, por ejemplo 120 o 98.6.',
  decimals: 'No escriba más de tres cifras después del punto.',
  atMost: (max) => `Escriba un número de ${max} o menos.`,
  atLeast: (min) => `Escriba un número de ${min} o más.`,
  between: (min, max) => `Escriba un número de ${min} a ${max}.`,
};

export const CHECK_IN_WORDS: InEachLanguage<CheckInWords> = { en, es };

/** The words in which a patient reads why an answer is refused. */
export function wordsOfProblem(words: CheckInWords, problem: AnswerProblem): string {
  switch (problem.code) {
    case 'missing':
      return words.missing[problem.kind];
    case 'too_long':
      return words.tooLong(problem.most);
    case 'special_signs':
      return words.specialSigns;
    case 'comma':
      return words.comma;
    case 'no_number':
      return words.noNumber;
    case 'decimals':
      return words.decimals;
    case 'out_of_range': {
      const { min, max } = problem;
      if (min === null) return words.atMost(max ?? 0);
      return max === null ? words.atLeast(min) : words.between(min, max);
    }
  }
}
