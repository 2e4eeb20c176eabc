import type { FailureKind } from '../../domain/errors.ts';
import type { InEachLanguage } from '../../domain/values/languages.ts';
import { NOT_UTF_8 } from '../../http/input/utf8.ts';

export interface FailureWords {
  /** Heading of the other failures. */
  heading: string;
  headings: Partial<Record<FailureKind, string>>;
  /** By the kind or the code of the failure; the code comes first. */
  advice: Record<string, string>;
  /** Advice for the other failures; null takes the message of the failure, which is in English. */
  otherwise: string | null;
}

export const STAFF_FAILURE_WORDS: FailureWords = {
  heading: 'This did not work',
  headings: {
    not_found: 'Page not found',
    too_many_requests: 'Please wait a moment',
    unavailable: 'This cannot be shown right now',
    internal: 'Something went wrong',
  },
  advice: {
    sso_required: 'Your practice uses only single sign-on. Open the sign-in page and choose single sign-on.',
    method_not_allowed: 'This page cannot be opened in this way.',
    not_found: 'Your practice has nothing at this address. It may have been removed, or the address may be incomplete.',
    unavailable: 'Nothing is lost. Please try again in a minute.',
    internal: 'This was not caused by you. Please try again, and tell the administrator of the server if it happens again.',
    too_large: 'What you sent is too large. Please go back and shorten it.',
    unsupported_media_type: 'Nothing was saved. Please open the page again and try once more.',
    [NOT_UTF_8.code]: 'Your text contains unreadable characters. Please go back and enter it again.',
  },
  otherwise: null,
};

export const FAILURE_WORDS: InEachLanguage<FailureWords> = {
  en: {
    heading: 'This did not work',
    headings: {
      not_found: 'This link does not work',
      too_many_requests: 'Please wait a moment',
      unavailable: 'We cannot show this right now',
      internal: 'Something went wrong',
    },
    advice: {
      method_not_allowed: 'This page cannot be opened in this way. Please open your link again.',
      foreign_form:
        'Nothing was saved, because the form was not sent from its own page. Please open your link again and send it from there.',
      not_found: 'Please check that you opened the complete link. If it still does not work, call your practice and ask for a new one.',
      unavailable: 'Nothing is lost. Please try again in a minute.',
      internal: 'This was not caused by you. Please try again, and call your practice if it happens again.',
      too_large: 'What you sent is too large. Please go back and shorten it.',
      unsupported_media_type: 'Nothing was saved. Please open your link again and try once more.',
      [NOT_UTF_8.code]: 'Your text contains unreadable characters. Please go back and enter it again.',
    },
    otherwise: null,
  },
  es: {
    heading: 'Esto no funcionó',
    headings: {
      not_found: 'Este enlace no funciona',
      too_many_requests: 'Espere un momento',
      unavailable: 'No podemos mostrar esto ahora',
      internal: 'Algo salió mal',
    },
    advice: {
      method_not_allowed: 'Esta página no se puede abrir de esta manera. Abra su enlace de nuevo.',
      foreign_form: 'No se ha guardado nada, porque esto no se envió desde su propia página. Abra su enlace de nuevo y envíelo desde allí.',
      not_found: 'Compruebe que abrió el enlace completo. Si sigue sin funcionar, llame a su consultorio y pida uno nuevo.',
      too_many_requests: 'Hubo demasiadas solicitudes. Espere un poco antes de enviar más.',
      unavailable: 'No se ha perdido nada. Inténtelo de nuevo en un minuto.',
      internal: 'Usted no hizo nada mal. Inténtelo de nuevo y, si vuelve a ocurrir, llame a su consultorio.',
      too_large: 'Lo que envió es demasiado grande. Vuelva atrás y acórtelo.',
      unsupported_media_type: 'No se ha guardado nada. Abra su enlace de nuevo y vuelva a intentarlo.',
      [NOT_UTF_8.code]: 'Su texto tiene caracteres que no podemos leer. Vuelva atrás y escríbalo de nuevo.',
    },
    otherwise: 'No se ha guardado nada. Abra su enlace de nuevo y vuelva a intentarlo.',
  },
};
