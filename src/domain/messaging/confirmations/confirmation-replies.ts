import type { InEachLanguage } from '../../values/languages.ts';
import type { YesOrNo } from '../answers/answers.ts';

/** An appointment in the words of a reply, such as `Tue, Dec 29, 10:00 AM with Dr. Chen`. */
export type AppointmentLabel = string;

/** A change of an appointment that its patient answers too late. */
export type Change = { kind: 'moved'; now: AppointmentLabel } | { kind: 'cancelled' | 'gone'; was: AppointmentLabel };

interface ReplyWords {
  label(parts: { time: string; provider: string; person: string | null }): AppointmentLabel;
  /** @param patient of the guardian who answers; null where the patient does. The same below */
  noted: Record<YesOrNo, (labels: string, patient: string | null) => string>;
  changed: Record<Change['kind'], (label: AppointmentLabel) => string>;
  /** Asks about the appointment that the sentence before it named. */
  askThat(patient: string | null): string;
  askOne(label: AppointmentLabel, patient: string | null): string;
  askWhich(answer: YesOrNo, patient: string | null): string;
  choose(entries: readonly string[]): string;
  entry(number: number, label: AppointmentLabel): string;
  call(phone: string): string;
}

export const REPLY_WORDS: InEachLanguage<ReplyWords> = {
  en: {
    label: ({ time, provider, person }) => `${time}${provider === '' ? '' : ` with ${provider}`}${person === null ? '' : ` (${person})`}`,
    noted: {
      Yes: (labels, who) =>
        who === null
          ? `Thank you. We expect you on ${labels}. Reply N if you cannot come.`
          : `Thank you. We expect ${who} on ${labels}. Reply N if ${who} cannot come.`,
      No: (labels, who) =>
        `Thank you for telling us that ${who ?? 'you'} cannot come on ${labels}. Reply Y if ${who ?? 'you'} can come after all.`,
    },
    changed: {
      moved: (label) => `That visit was moved to ${label}.`,
      cancelled: (label) => `The visit on ${label} was cancelled.`,
      gone: (label) => `There is no visit on ${label} any more.`,
    },
    askThat: (who) => (who === null ? 'Reply Y if you can come, N if you cannot.' : `Reply Y if ${who} can come, N if not.`),
    askOne: (label, who) => `Can ${who ?? 'you'} come on ${label}? Reply Y or N.`,
    askWhich: (answer, who) => (answer === 'Yes' ? 'Which visit do you confirm?' : `Which visit can ${who ?? 'you'} not come to?`),
    choose: (entries) => `Reply ${entries.join(', ')}.`,
    entry: (number, label) => `${number} for ${label}`,
    call: (phone) => `Call ${phone} with any questions.`,
  },
  es: {
    label: ({ time, provider, person }) => `${time}${provider === '' ? '' : ` con ${provider}`}${person === null ? '' : ` (${person})`}`,
    noted: {
      Yes: (labels, who) =>
        who === null
          ? `Gracias. Le esperamos el ${labels}. Responda N si no puede venir.`
          : `Gracias. Esperamos a ${who} el ${labels}. Responda N si ${who} no puede venir.`,
      No: (labels, who) =>
        `Gracias por avisarnos de que ${who === null ? '' : `${who} `}no puede venir el ${labels}. Responda S si al final puede venir.`,
    },
    changed: {
      moved: (label) => `Esa cita se cambió al ${label}.`,
      cancelled: (label) => `La cita del ${label} fue cancelada.`,
      gone: (label) => `Ya no hay ninguna cita el ${label}.`,
    },
    askThat: (who) => `Responda S si ${who === null ? '' : `${who} `}puede venir, N si no puede.`,
    askOne: (label, who) => `¿Puede venir ${who === null ? '' : `${who} `}el ${label}? Responda S o N.`,
    askWhich: (answer, who) => (answer === 'Yes' ? '¿Qué cita confirma?' : `¿A qué cita no puede venir${who === null ? '' : ` ${who}`}?`),
    choose: (entries) => `Responda ${entries.join(', ')}.`,
    entry: (number, label) => `${number} para el ${label}`,
    call: (phone) => `Si tiene alguna pregunta, llame al ${phone}.`,
  },
};

/** A list in a sentence, such as `Tue, Dec 29 and Thu, Dec 31`. */
export const joinLabels = (labels: readonly AppointmentLabel[], language: keyof typeof REPLY_WORDS): string =>
  new Intl.ListFormat(language, { type: 'conjunction' }).format(labels);

/** An abbreviation at the end of a sentence has its full stop already: `a.m.`, not `a.m..`. */
export const endOnce = (text: string): string => text.replaceAll('..', '.');

interface Asked {
  changes: readonly Change[];
  among: readonly AppointmentLabel[];
  answer: YesOrNo;
  phone: string;
  /** The one patient of the guardian who answers. */
  patient: string | null;
}

/** Tells the changes of appointments, and asks about those that are to come: about one, or which one of several is meant. */
export function composeQuestion(language: keyof typeof REPLY_WORDS, { changes, among, answer, phone, patient }: Asked): string {
  const words = REPLY_WORDS[language];
  const told = changes.map((change) => words.changed[change.kind](change.kind === 'moved' ? change.now : change.was));
  const [only, ...others] = among;
  const last = changes.at(-1);
  if (only === undefined) return endOnce([...told, words.call(phone)].join(' '));
  if (others.length > 0)
    return endOnce(
      [...told, words.askWhich(answer, patient), words.choose(among.map((label, index) => words.entry(index + 1, label)))].join(' '),
    );
  const isNamed = last?.kind === 'moved' && last.now === only;
  return endOnce([...told, isNamed ? words.askThat(patient) : words.askOne(only, patient)].join(' '));
}
