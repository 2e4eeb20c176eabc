import type { PublicBookingState } from '../../../domain/messaging/offers/public-bookings.ts';
import { PATIENT_LIMITS } from '../../../domain/patients/field-limits.ts';
import type { ChoicePage, ShownTime } from '../../../domain/scheduling/patient-booking/booking-choices.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { inLanguage } from '../../../http/pages/page-language.ts';
import type { Attributes } from '../../design/forms/attributes.ts';
import { button } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { practiceContact } from '../../design/layout/practice-contact.ts';
import { html } from '../../html.ts';
import { callLink } from '../../links/call-link.ts';
import { messageView } from '../external-message/view.ts';
import { renderTime, writeTime } from './booking-times.ts';
import { BOOKING_WORDS } from './booking-words.ts';
import type { FieldName, SentIdentity } from './public-form.ts';

/** Names of fields, their labels in the words, and attributes. */
const FIELDS = [
  ['first_name', 'firstName', { autocomplete: 'given-name', maxlength: PATIENT_LIMITS.name }],
  ['last_name', 'lastName', { autocomplete: 'family-name', maxlength: PATIENT_LIMITS.name }],
  ['birth_date', 'birthDate', { type: 'date', autocomplete: 'bday', min: '1850-01-01' }],
  ['contact', 'contact', { inputmode: 'email', maxlength: 254 }],
] as const satisfies readonly (readonly [string, string, Attributes])[];

/** The form in which somebody says who they are, of a time that is free. */
export interface IdentityForm extends SentIdentity {
  time: ShownTime;
}

export function identityView({ practice }: ChoicePage, view: { address: string; language: Language }, form: IdentityForm): string {
  const { address, language } = view;
  const words = BOOKING_WORDS[language];
  const { choice, time, values, wrong } = form;
  const findReason = (field: FieldName): string | null => {
    const reason = wrong.find((one) => one === field || (one === 'no_texts' && field === 'contact'));
    return reason === undefined ? null : words.wrong[reason];
  };
  const first = FIELDS.find(([name]) => findReason(name) !== null)?.[0];
  const fields = FIELDS.map(([name, label, attributes]) =>
    textField({
      name,
      label: words[label],
      hint: name === 'contact' ? words.weSendCode : null,
      error: findReason(name),
      required: true,
      value: values[name],
      attributes: { ...attributes, ...(name === first ? { autofocus: true } : {}) },
    }),
  );
  return writePage({
    ...view,
    title: words.whoYouAre,
    practice,
    back: { href: `${address}?type=${choice.typeId}`, label: words.otherTime },
    content: html`
!${renderTime(time, language)}
<form class="stack" method="post" action="${inLanguage(address, language)}" novalidate>
<input type="hidden" name="type" value="${choice.typeId}">
<input type="hidden" name="time" value="${writeTime(choice.time)}">
!${fields.join('')}
<p>!${button({ label: words.sendCode, wide: true })}</p>
</form>`,
    foot: practiceContact(practice, language),
  });
}

/** The page that asks for the code. @param malformed whether the one that was just sent does not have six digits */
export function publicCodeView(
  { codeStatus, to, language: patientLanguage }: PublicBookingState & { isProven: false },
  { address, language }: { address: string; language: Language },
  malformed: boolean,
): string {
  const words = BOOKING_WORDS[language];
  const own = {
    locked: words.codeLocked,
    keptPrivate: words.weSendAnother,
    open: words.goOn,
    noneCame: (call: string) => words.noneCame(call, !to.includes('@')),
    cannotSend: () => words.nothing(callLink(codeStatus.practice, language)),
  };
  return messageView({ state: 'locked', codeStatus, patientLanguage }, { address, language, words: own }, malformed);
}
