import { z } from 'zod';
import type { Failure } from '../../../domain/errors.ts';
import { parseAddress } from '../../../domain/messaging/external-messages/external-message-recipients.ts';
import type { PublicRequest } from '../../../domain/messaging/offers/public-bookings.ts';
import { PATIENT_LIMITS } from '../../../domain/patients/field-limits.ts';
import type { Choice } from '../../../domain/scheduling/patient-booking/booking-choices.ts';
import { checkedText, day, text } from '../../../http/wire/wire-types.ts';
import { timeShape } from './booking-times.ts';

const CONTACT_LENGTH = 254;

const name = () => text(PATIENT_LIMITS.name).refine((written) => /[\p{L}\p{N}]/u.test(written));
const address = (written: string) => parseAddress(written, 'contact');
const identity = z.object({
  first_name: name(),
  last_name: name(),
  birth_date: day(),
  contact: checkedText(CONTACT_LENGTH, address).transform(address),
});
const choice = z.object({ type: z.coerce.number().int().positive(), time: timeShape });
const typed = z.string().catch('');
const values = z.object({ first_name: typed, last_name: typed, birth_date: typed, contact: typed });

export type IdentityValues = z.output<typeof values>;
export type FieldName = keyof IdentityValues;
/** A field that is wrong; `no_texts` where the contact is a number, and the practice sends no texts. */
export type Wrong = FieldName | 'no_texts';

/** The form as somebody typed it. */
export interface SentIdentity {
  choice: Choice;
  values: IdentityValues;
  wrong: readonly Wrong[];
}

export const EMPTY: IdentityValues = { first_name: '', last_name: '', birth_date: '', contact: '' };

/** Reads the form: what it asks for is there where nothing is wrong. Null for one without a time. */
export function readIdentity(body: unknown): (SentIdentity & { request?: Omit<PublicRequest, 'language'> }) | null {
  const chosen = choice.safeParse(body).data;
  if (!chosen) return null;
  const sent = { choice: { typeId: chosen.type, time: chosen.time }, values: values.parse(body) };
  const { data, error } = identity.safeParse(sent.values);
  if (!data) {
    const fields = new Set(error.issues.map(({ path: [field] }) => field));
    return { ...sent, wrong: values.keyof().options.filter((field) => fields.has(field)) };
  }
  const { first_name: firstName, last_name: lastName, birth_date: birthDate, contact } = data;
  return { ...sent, wrong: [], request: { ...sent.choice, firstName, lastName, birthDate, address: contact } };
}

/** The field that the rule refused; null for another failure. */
export function findWrongField({ issues: [issue] }: Failure): Wrong | null {
  if (issue?.field === 'birthDate') return 'birth_date';
  return issue?.code === 'no_texts' ? issue.code : null;
}
