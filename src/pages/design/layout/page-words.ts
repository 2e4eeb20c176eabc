import type { InEachLanguage } from '../../../domain/values/languages.ts';
import { html } from '../../html.ts';

const en = {
  /** On the button that dials. */
  call: 'Call',
  /** Link before everything else, for who uses the keyboard. */
  skip: 'Skip to content',
  /** Before a name. */
  signedInAs: 'Signed in as',
  optional: '(optional)',
  /** Markup, as all that `link` is part of: `link` dials. Stands within a sentence. */
  callAt: (name: string, link: string | null) => (link === null ? html`call ${name}` : html`call ${name} at !${link}`),
  question: (call: string) => html`If you have a question, please !${call}.`,
  numberIsInMessage: 'The telephone number of your practice is in the text or email with the link.',
  /** Markup. */
  emergency: (link: string) => html`In an emergency, call !${link}.`,
  /** Link to the sign-in, at the end of a page that may have met somebody of a practice. */
  forStaff: 'Do you work at a practice? Sign in here.',
};

export type PageWords = typeof en;

const es: PageWords = {
  call: 'Llamar',
  skip: 'Ir al contenido',
  signedInAs: 'Sesión iniciada como',
  optional: '(opcional)',
  callAt: (name, link) => (link === null ? html`llame a ${name}` : html`llame a ${name} al !${link}`),
  question: (call) => html`Si tiene alguna pregunta, !${call}.`,
  numberIsInMessage: 'El número de teléfono de su consultorio está en el mensaje de texto o el correo en que recibió el enlace.',
  emergency: (link) => html`En una emergencia, llame al !${link}.`,
  forStaff: '¿Trabaja en un consultorio? Inicie sesión aquí.',
};

export const PAGE_WORDS: InEachLanguage<PageWords> = { en, es };

/** Each language by its own name. */
export const LANGUAGE_NAMES: InEachLanguage = { en: 'English', es: 'Español' };
