import { type InEachLanguage, isLanguage } from '../../values/languages.ts';
import type { RecipientLanguage } from '../recipients/recipient-language.ts';
import { CATEGORIES, type CategoryName, type MailWording } from './categories.ts';

interface OwnWords {
  text: InEachLanguage;
  mail: MailWording | null;
}

const visit = (text: InEachLanguage): OwnWords => ({
  text,
  mail: { subject: { en: 'A visit at {{org name}}', es: 'Una cita en {{org name}}' }, body: null },
});

/** The words to the guardian of a patient, whose name is {{first name}}. What names no patient is the same for everybody. */
const TO_GUARDIAN: Partial<Record<CategoryName, OwnWords>> = {
  appointment: {
    text: {
      en: "{{first name}}'s appointment with {{org name}} is on {{appointment date}} at {{appointment time}}.",
      es: 'La cita de {{first name}} con {{org name}} es el {{appointment date}}, {{appointment time}}.',
    },
    mail: null,
  },
  telehealth: {
    text: {
      en: "{{org name}} is ready for {{first name}}'s video visit. Join here: {{url}}",
      es: '{{org name}} espera a {{first name}} para su visita por video. Use este enlace: {{url}}',
    },
    mail: {
      subject: { en: 'A video visit with {{org name}}', es: 'Una visita por video con {{org name}}' },
      body: {
        en: "Hello,\n\n{{org name}} is ready for {{first name}}'s video visit. Open this link in a browser with a camera and a microphone:\n\n{{url}}\n\nThe link is for {{first name}} and you: please do not share it.\n",
        es: 'Hola:\n\n{{org name}} espera a {{first name}} para su visita por video. Abra este enlace en un navegador con cámara y micrófono:\n\n{{url}}\n\nEl enlace es solo para {{first name}} y usted: por favor, no lo comparta con nadie más.\n',
      },
    },
  },
  'check-in': {
    text: {
      en: '{{org name}} would like to know how {{first name}} is. Please answer a few questions: {{url}}',
      es: '{{org name}} quiere saber de {{first name}}. Responda unas preguntas, por favor: {{url}}',
    },
    mail: CATEGORIES['check-in'].mail,
  },
  'external-message': {
    text: {
      en: '{{org name}} has a message for you about {{first name}}: {{url}} It can be opened until {{expires}}.',
      es: '{{org name}} le ha enviado un mensaje sobre {{first name}}: {{url}} Puede abrirlo hasta el {{expires}}.',
    },
    mail: {
      subject: { en: 'A message from {{org name}}', es: 'Un mensaje de {{org name}}' },
      body: {
        en: '{{org name}} has a message for you about {{first name}}:\n\n{{url}}\n\nIt can be opened until {{expires}}.',
        es: '{{org name}} le ha enviado un mensaje sobre {{first name}}:\n\n{{url}}\n\nPuede abrirlo hasta el {{expires}}.',
      },
    },
  },
  late: {
    text: {
      en: "{{org name}} is running about {{minutes}} minutes late for {{first name}}'s video visit. Please keep the page open; the place is kept.",
      es: '{{org name}} lleva unos {{minutes}} minutos de retraso para la visita por video de {{first name}}. No se desconecte, por favor: le guardamos el lugar.',
    },
    mail: null,
  },
  'danger-value': {
    text: {
      en: '{{org name}}: what {{first name}} measured or reported may need help right now. Call us: {{org phone number}}. If {{first name}} feels very ill, has chest pain or trouble breathing, call 911 immediately.',
      es: '{{org name}}: por las medidas o respuestas de {{first name}}, puede hacer falta ayuda ahora mismo. Llame al {{org phone number}}. Si {{first name}} se siente muy mal, le duele el pecho o le cuesta respirar, llame al 911 de inmediato.',
    },
    mail: null,
  },
  'visit-booked': visit({
    en: "{{first name}}'s appointment with {{org name}} is booked for {{appointment day}}, {{appointment date}} at {{appointment time}}.",
    es: 'La cita de {{first name}} con {{org name}} es el {{appointment day}} {{appointment date}}, {{appointment time}}.',
  }),
  'visit-reminder': visit({
    en: '{{org name}} expects {{first name}} on {{appointment day}}, {{appointment date}} at {{appointment time}}.',
    es: '{{org name}} espera a {{first name}} el {{appointment day}} {{appointment date}}, {{appointment time}}.',
  }),
  'visit-moved': visit({
    en: "{{org name}}: {{first name}}'s visit on {{former visit}} was moved to {{visit}}. Call {{org phone number}} with any questions.",
    es: '{{org name}}: La cita de {{first name}} del {{former visit}} se cambió al {{visit}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
  }),
  'visit-cancelled': visit({
    en: "{{org name}}: {{first name}}'s visit on {{former visit}} was cancelled. Call {{org phone number}} with any questions.",
    es: '{{org name}}: La cita de {{first name}} del {{former visit}} fue cancelada. Si tiene alguna pregunta, llame al {{org phone number}}.',
  }),
  'visit-missed': visit({
    en: '{{first name}} missed the appointment with {{org name}} on {{appointment date}}. Call {{org phone number}} to book another one.',
    es: 'No pudimos atender a {{first name}} en {{org name}} el {{appointment date}}. Para otra cita, llame al {{org phone number}}.',
  }),
  'visit-follow-up': visit({
    en: "Thank you for {{first name}}'s visit to {{org name}}. Call {{org phone number}} with any questions.",
    es: 'Gracias por la visita de {{first name}} a {{org name}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
  }),
};

type Addressed = Pick<RecipientLanguage, 'nameToGuardian'>;

/** The server's own words of a category, to a patient or to their guardian. */
export const findOwnWords = (name: CategoryName, { nameToGuardian }: Addressed): OwnWords =>
  (nameToGuardian === null ? undefined : TO_GUARDIAN[name]) ?? CATEGORIES[name];

const UNNAMED: InEachLanguage = { en: 'your child', es: 'su hijo o hija' };

/** The name of a patient in words to their guardian; null in those to the patient. */
export const patientToGuardian = ({ nameToGuardian }: Addressed, tag: string): string | null =>
  nameToGuardian === '' ? UNNAMED[isLanguage(tag) ? tag : 'en'] : nameToGuardian;

const ABOUT: InEachLanguage<(name: string) => string> = { en: (name) => `About ${name}: `, es: (name) => `Sobre ${name}: ` };

/** The words of a template, with the patient whom they are about before them where their guardian reads them. */
export function nameToGuardian(text: string, recipient: Addressed, tag: string): string {
  const name = patientToGuardian(recipient, tag);
  if (name === null) return text;
  return `${isLanguage(tag) ? ABOUT[tag](name) : `${name}: `}${text}`;
}
