import type { InEachLanguage } from '../../values/languages.ts';
import { PLACEHOLDERS, type PlaceholderName } from './placeholders.ts';

/** Messages about visits, which go as the practice has set (visit-messages/). */
export const VISIT_MESSAGE_KINDS = ['booked', 'reminder', 'moved', 'cancelled', 'missed', 'follow-up'] as const;
export type VisitMessageKind = (typeof VISIT_MESSAGE_KINDS)[number];

/** The kinds of texts that the server sends by itself, each from the active template of its category, else from the texts here. */
export const CATEGORY_NAMES = [
  'appointment',
  'telehealth',
  'check-in',
  'external-message',
  'external-message-code',
  'late',
  'danger-value',
  'visit-booked',
  'visit-reminder',
  'visit-moved',
  'visit-cancelled',
  'visit-missed',
  'visit-follow-up',
  'waitlist-offer',
  'booking-link',
] as const;
export type CategoryName = (typeof CATEGORY_NAMES)[number];

export interface Category {
  description: string;
  /** Placeholders without which a text of the category is of no use. */
  needs: readonly PlaceholderName[];
  /** Placeholders that can have a value; some have none for each patient or appointment. */
  values: readonly PlaceholderName[];
  /** Its texts may ask for a yes or no. */
  mayAsk: boolean;
  /** The server's own words ask for one too. */
  asks?: true;
  text: InEachLanguage;
  /** Null where it is sent as a text alone. */
  mail: MailWording | null;
}

/** Subject and body of a mail. Placeholders are filled in as in a text. */
export interface MailWording {
  subject: InEachLanguage;
  /** Null: the words of the text. */
  body: InEachLanguage | null;
}

const PRACTICE = ['org name', 'org phone number'] as const;
const PERSON = ['first name', 'last name', ...PRACTICE] as const;

const VISIT = PLACEHOLDERS.filter((name) => name !== 'url' && name !== 'review url');
const VISIT_MAIL: MailWording = { subject: { en: 'Your visit at {{org name}}', es: 'Su cita en {{org name}}' }, body: null };
const visitCategory = (description: string, text: InEachLanguage, more: Partial<Category> = {}): Category => ({
  description,
  needs: [],
  values: VISIT,
  mayAsk: false,
  text,
  mail: VISIT_MAIL,
  ...more,
});
const WITH_CHANGE = { values: [...VISIT, 'visit', 'former visit'] } as const;

/** Texts in Spanish avoid accents outside of GSM-7 where a plain word has none: one of them halves what a segment holds. */
export const CATEGORIES: Record<CategoryName, Category> = {
  appointment: {
    description: 'Sent about an appointment if a request has neither a template nor a message.',
    needs: [],
    values: VISIT,
    mayAsk: true,
    text: {
      en: 'Hello {{first name}}, your appointment with {{org name}} is on {{appointment date}} at {{appointment time}}.',
      es: 'Hola {{first name}}: su cita con {{org name}} es el {{appointment date}}, {{appointment time}}.',
    },
    mail: null,
  },
  telehealth: {
    description: 'Sends the link to a video visit or a waiting room.',
    needs: ['url'],
    values: PLACEHOLDERS.filter((name) => name !== 'review url'),
    mayAsk: false,
    text: {
      en: 'Hello {{first name}}, {{org name}} is ready for your video visit. Join here: {{url}}',
      es: 'Hola {{first name}}: {{org name}} le espera para su visita por video. Use este enlace: {{url}}',
    },
    mail: {
      subject: { en: 'Your video visit with {{org name}}', es: 'Su visita por video con {{org name}}' },
      body: {
        en: 'Hello {{first name}},\n\n{{org name}} is ready for your video visit. Open this link in a browser with a camera and a microphone:\n\n{{url}}\n\nThe link is only for you: please do not share it.\n',
        es: 'Hola {{first name}}:\n\n{{org name}} le espera para su visita por video. Abra este enlace en un navegador con cámara y micrófono:\n\n{{url}}\n\nEl enlace es solo para usted: por favor, no lo comparta con nadie.\n',
      },
    },
  },
  'check-in': {
    description: 'Sends a survey, by a request without a message or by a schedule. Without {{url}} the link is appended.',
    needs: [],
    values: ['url', ...PERSON],
    mayAsk: false,
    text: {
      en: 'Hello {{first name}}, {{org name}} would like to know how you are. Please answer a few questions: {{url}}',
      es: 'Hola {{first name}}: {{org name}} quiere saber de usted. Responda unas preguntas, por favor: {{url}}',
    },
    mail: { subject: { en: 'A few questions from {{org name}}', es: 'Unas preguntas de {{org name}}' }, body: null },
  },
  'external-message': {
    description: 'Announces a message behind a link. If the message asks for a code, a sentence about it is added.',
    needs: ['url'],
    values: ['url', 'expires', ...PRACTICE],
    mayAsk: false,
    text: {
      en: '{{org name}} has a message for you: {{url}} It can be opened until {{expires}}.',
      es: '{{org name}} le ha enviado un mensaje: {{url}} Puede abrirlo hasta el {{expires}}.',
    },
    mail: {
      subject: { en: 'A message from {{org name}}', es: 'Un mensaje de {{org name}}' },
      body: {
        en: '{{org name}} has a message for you:\n\n{{url}}\n\nIt can be opened until {{expires}}.',
        es: '{{org name}} le ha enviado un mensaje:\n\n{{url}}\n\nPuede abrirlo hasta el {{expires}}.',
      },
    },
  },
  'external-message-code': {
    description: 'Sends the code for a message behind a link, or for verifying a number or address on the public booking page.',
    needs: ['code'],
    values: ['code', 'minutes', ...PRACTICE],
    mayAsk: false,
    text: {
      en: '{{code}} is your code from {{org name}}. It works for {{minutes}} minutes. Do not share it: we never ask for it by phone.',
      es: '{{code}} es su código de {{org name}}. Sirve durante {{minutes}} minutos. No se lo dé a nadie: nunca lo pedimos por teléfono.',
    },
    mail: {
      subject: { en: 'Your code from {{org name}}', es: 'Su código de {{org name}}' },
      body: {
        en: '{{code}} is your code from {{org name}}. It works for {{minutes}} minutes.\n\nDo not share it: we never ask for it by phone.\n',
        es: '{{code}} es su código de {{org name}}. Sirve durante {{minutes}} minutos.\n\nNo se lo dé a nadie: nunca lo pedimos por teléfono.\n',
      },
    },
  },
  late: {
    description: 'Tells a waiting patient that the practice is running late.',
    needs: ['minutes'],
    values: ['minutes', ...PRACTICE],
    mayAsk: false,
    text: {
      en: '{{org name}} is running about {{minutes}} minutes late for your video visit. Please keep the page open; your place is kept.',
      es: '{{org name}} lleva unos {{minutes}} minutos de retraso para su visita por video. No se desconecte, por favor: le guardamos su lugar.',
    },
    mail: null,
  },
  'danger-value': {
    description: 'Tells a patient what to do now: by text after a danger value, and on the check-in page also after an urgent symptom.',
    needs: [],
    values: PERSON,
    mayAsk: false,
    text: {
      en: '{{org name}}: what you measured or reported may need help right now. Call us: {{org phone number}}. If you feel very ill, have chest pain or trouble breathing, call 911 immediately.',
      es: '{{org name}}: por sus medidas o respuestas, usted puede necesitar ayuda ahora mismo. Llame al {{org phone number}}. Si se siente muy mal, le duele el pecho o le cuesta respirar, llame al 911 de inmediato.',
    },
    mail: null,
  },
  'visit-booked': visitCategory(
    'Tells the patient that a visit was booked.',
    {
      en: 'Hello {{first name}}, your appointment with {{org name}} is booked for {{appointment day}}, {{appointment date}} at {{appointment time}}.',
      es: 'Hola {{first name}}: su cita con {{org name}} es el {{appointment day}} {{appointment date}}, {{appointment time}}.',
    },
    { mayAsk: true },
  ),
  'visit-reminder': visitCategory(
    'Reminds the patient of a visit. The question is included while the visit is not confirmed.',
    {
      en: 'Hello {{first name}}, {{org name}} expects you on {{appointment day}}, {{appointment date}} at {{appointment time}}.',
      es: 'Hola {{first name}}: {{org name}} le espera el {{appointment day}} {{appointment date}}, {{appointment time}}.',
    },
    { mayAsk: true, asks: true },
  ),
  'visit-moved': visitCategory(
    'Tells the patient that a visit was moved.',
    {
      en: '{{org name}}: The visit on {{former visit}} was moved to {{visit}}. Call {{org phone number}} with any questions.',
      es: '{{org name}}: La cita del {{former visit}} se cambió al {{visit}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
    },
    { ...WITH_CHANGE, mayAsk: true },
  ),
  'visit-cancelled': visitCategory(
    'Tells the patient that a visit was cancelled.',
    {
      en: '{{org name}}: The visit on {{former visit}} was cancelled. Call {{org phone number}} with any questions.',
      es: '{{org name}}: La cita del {{former visit}} fue cancelada. Si tiene alguna pregunta, llame al {{org phone number}}.',
    },
    WITH_CHANGE,
  ),
  'visit-missed': visitCategory('Tells the patient that they missed a visit.', {
    en: 'Hello {{first name}}, you missed your appointment with {{org name}} on {{appointment date}}. Call {{org phone number}} to book another one.',
    es: 'Hola {{first name}}: no pudimos atenderle en {{org name}} el {{appointment date}}. Para otra cita, llame al {{org phone number}}.',
  }),
  'visit-follow-up': visitCategory('Thanks the patient after a visit.', {
    en: 'Hello {{first name}}, thank you for your visit to {{org name}}. Call {{org phone number}} with any questions.',
    es: 'Hola {{first name}}: gracias por su visita a {{org name}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
  }),
  'waitlist-offer': visitCategory(
    'Offers a freed time to a patient on the waitlist. YES books it; NO or no answer passes it on. The page behind the link has the same choices.',
    {
      en: '{{org name}}: a time became free for {{first name}}: {{visit}}. Reply YES until {{expires}} to book it, or NO. {{url}}',
      es: '{{org name}}: hay una hora libre para {{first name}}: {{visit}}. Responda SI hasta las {{expires}} para reservarla, o NO. {{url}}',
    },
    {
      needs: ['visit', 'expires'],
      values: ['visit', 'expires', 'url', ...PERSON],
      mail: {
        subject: { en: 'A time became free at {{org name}}', es: 'Hay una hora libre en {{org name}}' },
        body: {
          en: 'A time became free for {{first name}}: {{visit}}. We will hold it until {{expires}}. Book or decline it here:\n\n{{url}}\n',
          es: 'Hay una hora libre para {{first name}}: {{visit}}. Se la guardamos hasta las {{expires}}. Resérvela aquí, o déjela para otros:\n\n{{url}}\n',
        },
      },
    },
  ),
  'booking-link': visitCategory(
    'Sends the link for booking, moving and cancelling a visit.',
    {
      en: '{{org name}}: choose a time for your visit here: {{url}} The link is for {{first name}} and works until {{expires}}.',
      es: '{{org name}}: elija aquí una hora para su cita: {{url}} El enlace es para {{first name}} y sirve hasta el {{expires}}.',
    },
    { needs: ['url'], values: ['url', 'expires', ...PERSON] },
  ),
};

/** The category of which the server sends texts by itself; null for any other. */
export const findCategory = (name: string): Category | null => {
  const known = CATEGORY_NAMES.find((one) => one === name);
  return known ? CATEGORIES[known] : null;
};

const toPlain = (name: string): string => name.replaceAll(/[\s_-]/g, '');

/** A category in its one spelling: lower case, and `check-in` for `checkin` or `Check_In`. */
export function readCategory(written: string): string {
  const lower = written.toLowerCase();
  return CATEGORY_NAMES.find((name) => toPlain(name) === toPlain(lower)) ?? lower;
}

/** A category with its name and the template that is in use for it; null where the server's own words are sent. */
export interface CategoryInUse extends Category {
  name: CategoryName;
  activeTemplateId: number | null;
}
