import type { InEachLanguage } from '../../values/languages.ts';
import { type Category, type MailWording, OF_APPOINTMENT, OF_PERSON } from './category.ts';

const VISIT_MAIL: MailWording = { subject: { en: 'Your visit at {{org name}}', es: 'Su cita en {{org name}}' }, body: null };
const GUARDIAN_MAIL: MailWording = { subject: { en: 'A visit at {{org name}}', es: 'Una cita en {{org name}}' }, body: null };
const visitCategory = (
  description: string,
  text: InEachLanguage,
  { toGuardian, ...more }: Partial<Omit<Category, 'toGuardian'>> & { toGuardian?: InEachLanguage } = {},
): Category => ({
  description,
  needs: [],
  values: OF_APPOINTMENT,
  mayAsk: false,
  text,
  mail: VISIT_MAIL,
  ...more,
  ...(toGuardian ? { toGuardian: { text: toGuardian, mail: GUARDIAN_MAIL } } : {}),
});
const WITH_CHANGE = { values: [...OF_APPOINTMENT, 'visit', 'former visit'] } as const;

/** About appointments: those that begin with `visit-` go as the practice has set (visit-messages/). */
export const APPOINTMENT_CATEGORIES = {
  'visit-booked': visitCategory(
    'Tells the patient that a visit was booked.',
    {
      en: 'Hello {{first name}}, your appointment with {{org name}} is booked for {{appointment day}}, {{appointment date}} at {{appointment time}}.',
      es: 'Hola {{first name}}: su cita con {{org name}} es el {{appointment day}} {{appointment date}}, {{appointment time}}.',
    },
    {
      mayAsk: true,
      toGuardian: {
        en: "{{first name}}'s appointment with {{org name}} is booked for {{appointment day}}, {{appointment date}} at {{appointment time}}.",
        es: 'La cita de {{first name}} con {{org name}} es el {{appointment day}} {{appointment date}}, {{appointment time}}.',
      },
    },
  ),
  'visit-reminder': visitCategory(
    'Reminds the patient of a visit. The question is included while the visit is not confirmed.',
    {
      en: 'Hello {{first name}}, {{org name}} expects you on {{appointment day}}, {{appointment date}} at {{appointment time}}.',
      es: 'Hola {{first name}}: {{org name}} le espera el {{appointment day}} {{appointment date}}, {{appointment time}}.',
    },
    {
      mayAsk: true,
      asks: true,
      toGuardian: {
        en: '{{org name}} expects {{first name}} on {{appointment day}}, {{appointment date}} at {{appointment time}}.',
        es: '{{org name}} espera a {{first name}} el {{appointment day}} {{appointment date}}, {{appointment time}}.',
      },
    },
  ),
  'visit-moved': visitCategory(
    'Tells the patient that a visit was moved.',
    {
      en: '{{org name}}: The visit on {{former visit}} was moved to {{visit}}. Call {{org phone number}} with any questions.',
      es: '{{org name}}: La cita del {{former visit}} se cambió al {{visit}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
    },
    {
      ...WITH_CHANGE,
      mayAsk: true,
      toGuardian: {
        en: "{{org name}}: {{first name}}'s visit on {{former visit}} was moved to {{visit}}. Call {{org phone number}} with any questions.",
        es: '{{org name}}: La cita de {{first name}} del {{former visit}} se cambió al {{visit}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
      },
    },
  ),
  'visit-cancelled': visitCategory(
    'Tells the patient that a visit was cancelled.',
    {
      en: '{{org name}}: The visit on {{former visit}} was cancelled. Call {{org phone number}} with any questions.',
      es: '{{org name}}: La cita del {{former visit}} fue cancelada. Si tiene alguna pregunta, llame al {{org phone number}}.',
    },
    {
      ...WITH_CHANGE,
      toGuardian: {
        en: "{{org name}}: {{first name}}'s visit on {{former visit}} was cancelled. Call {{org phone number}} with any questions.",
        es: '{{org name}}: La cita de {{first name}} del {{former visit}} fue cancelada. Si tiene alguna pregunta, llame al {{org phone number}}.',
      },
    },
  ),
  'visit-missed': visitCategory(
    'Tells the patient that they missed a visit.',
    {
      en: 'Hello {{first name}}, you missed your appointment with {{org name}} on {{appointment date}}. Call {{org phone number}} to book another one.',
      es: 'Hola {{first name}}: no pudimos atenderle en {{org name}} el {{appointment date}}. Para otra cita, llame al {{org phone number}}.',
    },
    {
      toGuardian: {
        en: '{{first name}} missed the appointment with {{org name}} on {{appointment date}}. Call {{org phone number}} to book another one.',
        es: 'No pudimos atender a {{first name}} en {{org name}} el {{appointment date}}. Para otra cita, llame al {{org phone number}}.',
      },
    },
  ),
  'visit-follow-up': visitCategory(
    'Thanks the patient after a visit.',
    {
      en: 'Hello {{first name}}, thank you for your visit to {{org name}}. Call {{org phone number}} with any questions.',
      es: 'Hola {{first name}}: gracias por su visita a {{org name}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
    },
    {
      toGuardian: {
        en: "Thank you for {{first name}}'s visit to {{org name}}. Call {{org phone number}} with any questions.",
        es: 'Gracias por la visita de {{first name}} a {{org name}}. Si tiene alguna pregunta, llame al {{org phone number}}.',
      },
    },
  ),
  'waitlist-offer': visitCategory(
    'Offers a freed time to a patient on the waitlist. YES books it; NO or no answer passes it on. The page behind the link has the same choices.',
    {
      en: '{{org name}}: a time became free for {{first name}}: {{visit}}. Reply YES until {{expires}} to book it, or NO. {{url}}',
      es: '{{org name}}: hay una hora libre para {{first name}}: {{visit}}. Responda SI hasta las {{expires}} para reservarla, o NO. {{url}}',
    },
    {
      needs: ['visit', 'expires'],
      values: ['visit', 'expires', 'url', ...OF_PERSON],
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
    { needs: ['url'], values: ['url', 'expires', ...OF_PERSON] },
  ),
} satisfies Record<string, Category>;
