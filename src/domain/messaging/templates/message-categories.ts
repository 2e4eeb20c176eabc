import { type Category, type MailWording, OF_APPOINTMENT, OF_PERSON, OF_PRACTICE } from './category.ts';
import { PLACEHOLDERS } from './placeholders.ts';

const CHECK_IN_MAIL: MailWording = {
  subject: { en: 'A few questions from {{org name}}', es: 'Unas preguntas de {{org name}}' },
  body: null,
};

/** All but those about appointments that are booked. */
export const MESSAGE_CATEGORIES = {
  appointment: {
    description: 'Sent about an appointment if a request has neither a template nor a message.',
    needs: [],
    values: OF_APPOINTMENT,
    mayAsk: true,
    text: {
      en: 'Hello {{first name}}, your appointment with {{org name}} is on {{appointment date}} at {{appointment time}}.',
      es: 'Hola {{first name}}: su cita con {{org name}} es el {{appointment date}}, {{appointment time}}.',
    },
    mail: null,
    toGuardian: {
      text: {
        en: "{{first name}}'s appointment with {{org name}} is on {{appointment date}} at {{appointment time}}.",
        es: 'La cita de {{first name}} con {{org name}} es el {{appointment date}}, {{appointment time}}.',
      },
      mail: null,
    },
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
    toGuardian: {
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
  },
  'check-in': {
    description: 'Sends a survey, by a request without a message or by a schedule. Without {{url}} the link is appended.',
    needs: [],
    values: ['url', ...OF_PERSON],
    mayAsk: false,
    text: {
      en: 'Hello {{first name}}, {{org name}} would like to know how you are. Please answer a few questions: {{url}}',
      es: 'Hola {{first name}}: {{org name}} quiere saber de usted. Responda unas preguntas, por favor: {{url}}',
    },
    mail: CHECK_IN_MAIL,
    toGuardian: {
      text: {
        en: '{{org name}} would like to know how {{first name}} is. Please answer a few questions: {{url}}',
        es: '{{org name}} quiere saber de {{first name}}. Responda unas preguntas, por favor: {{url}}',
      },
      mail: CHECK_IN_MAIL,
    },
  },
  'external-message': {
    description: 'Announces a message behind a link. If the message asks for a code, a sentence about it is added.',
    needs: ['url'],
    values: ['url', 'expires', ...OF_PRACTICE],
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
    toGuardian: {
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
  },
  'external-message-code': {
    description: 'Sends the code for a message behind a link, or for verifying a number or address on the public booking page.',
    needs: ['code'],
    values: ['code', 'minutes', ...OF_PRACTICE],
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
    values: ['minutes', ...OF_PRACTICE],
    mayAsk: false,
    text: {
      en: '{{org name}} is running about {{minutes}} minutes late for your video visit. Please keep the page open; your place is kept.',
      es: '{{org name}} lleva unos {{minutes}} minutos de retraso para su visita por video. No se desconecte, por favor: le guardamos su lugar.',
    },
    mail: null,
    toGuardian: {
      text: {
        en: "{{org name}} is running about {{minutes}} minutes late for {{first name}}'s video visit. Please keep the page open; the place is kept.",
        es: '{{org name}} lleva unos {{minutes}} minutos de retraso para la visita por video de {{first name}}. No se desconecte, por favor: le guardamos el lugar.',
      },
      mail: null,
    },
  },
  'danger-value': {
    description: 'Tells a patient what to do now: by text after a danger value, and on the check-in page also after an urgent symptom.',
    needs: [],
    values: OF_PERSON,
    mayAsk: false,
    text: {
      en: '{{org name}}: what you measured or reported may need help right now. Call us: {{org phone number}}. If you feel very ill, have chest pain or trouble breathing, call 911 immediately.',
      es: '{{org name}}: por sus medidas o respuestas, usted puede necesitar ayuda ahora mismo. Llame al {{org phone number}}. Si se siente muy mal, le duele el pecho o le cuesta respirar, llame al 911 de inmediato.',
    },
    mail: null,
    toGuardian: {
      text: {
        en: '{{org name}}: what {{first name}} measured or reported may need help right now. Call us: {{org phone number}}. If {{first name}} feels very ill, has chest pain or trouble breathing, call 911 immediately.',
        es: '{{org name}}: por las medidas o respuestas de {{first name}}, puede hacer falta ayuda ahora mismo. Llame al {{org phone number}}. Si {{first name}} se siente muy mal, le duele el pecho o le cuesta respirar, llame al 911 de inmediato.',
      },
      mail: null,
    },
  },
} satisfies Record<string, Category>;
