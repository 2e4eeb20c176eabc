import { conflict, Failure, notFound, WrongFields } from '../../errors.ts';
import { findColleague } from '../../practices/colleagues.ts';
import { lockAppointment } from '../../scheduling/appointment/appointment-lock.ts';
import { readAppointment } from '../../scheduling/appointment/appointment-reader.ts';
import type { Appointment, AppointmentPatient } from '../../scheduling/appointment/appointment-view.ts';
import { findProviderNames } from '../../scheduling/appointment/provider-names.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import type { TextFacts } from '../queue/queued-texts.sql.ts';
import { findTextFacts, insertText } from '../queue/queued-texts.ts';
import { findSendAt } from '../queue/send-at.ts';
import { requireTextConsent } from '../recipients/consent.ts';
import { endOfQuietHours } from '../recipients/quiet-hours.ts';
import { type RecipientLanguage, recipientLanguage } from '../recipients/recipient-language.ts';
import { warnOfMissingWording } from '../templates/automatic-texts.ts';
import { findOwnWords, nameToGuardian, patientToGuardian } from '../templates/guardian-words.ts';
import { type PlaceholderValues, placeholdersIn, renderTemplate } from '../templates/placeholders.ts';
import { createValues, findReviewUrl, toWrittenFor } from '../templates/template-values.ts';
import { chooseWording, requireKnownPlaceholders, type Wording } from '../templates/template-wordings.ts';
import { ACTIVE_TEMPLATE, type SmsTemplate, TEMPLATE_BY_ID } from '../templates/templates.sql.ts';
import { showQueuedText, type TextView } from '../texts/text-list.ts';

export interface AppointmentTextInput {
  templateId?: number | undefined;
  /** The body; where a template is named too, it replaces the template's own. */
  message?: string | undefined;
  /** The review page of this user is included, at the end where no placeholder names it. */
  reviewUserId?: number | undefined;
  /** A time at which it leaves, as the caller writes it (see findSendAt). */
  sendAt?: string | undefined;
}

/**
 * Queues a text about an appointment to its patient; a worker sends it. Without a template and a message it is the active template for
 * appointments, else the server's own words. A template is sent in the patient's language, else the practice's, else as its body is.
 * @throws Failure not_found for an appointment, template or user that the practice does not have, and for an appointment whose patient
 *   the caller may not see; invalid for unknown placeholders; unprocessable where a placeholder has no value or there is nobody to
 *   write to; conflict where the patient must not be written to, or is asked about an appointment that has begun when the text leaves,
 *   and where the practice has no number
 */
export async function sendAppointmentText(tx: Tx, appointmentId: number, input: AppointmentTextInput): Promise<TextView> {
  const { reviewUserId, message } = input;
  const sendAt = await findSendAt(tx, input.sendAt);
  const [, appointment, facts, known, providers] = await Promise.all([
    lockAppointment(tx, appointmentId),
    readAppointment(tx, appointmentId),
    findTextFacts(tx, { patientId: null, appointmentId }),
    findTextTemplate(tx, input),
    findProviderNames(tx, [appointmentId]),
  ]);
  const template = await requireTextTemplate(tx, input, known);
  const asks = template?.tracksResponse ?? false;
  const patient = requirePatient(appointment, facts);
  if (asks) requireTimeToAnswer(appointment, facts, sendAt ?? nowIn(tx.organizationId));
  const recipient = recipientLanguage(facts.patientLanguage, facts.practiceLanguage, facts.gone ? {} : facts);
  const wording = wordingFor(template, recipient, message);
  if (message === undefined) warnOfMissingWording(tx, recipient, wording.language);
  const reviewUrl = reviewUserId === undefined ? '' : await findReviewUrl(tx, reviewUserId);
  const organization = { name: facts.practice, phone: facts.practicePhone };
  const values = createValues({ organization, patient, appointment, provider: providers.get(appointmentId), reviewUrl });
  const body = fill(wording, valuesFor(values(toWrittenFor(wording, recipient.zone)), recipient, wording), {
    asks,
    review: reviewUserId !== undefined,
  });
  const text = insertText(tx, facts, {
    patientId: patient.id,
    body: message === undefined && template ? nameToGuardian(body, recipient, wording.language) : body,
    language: message === undefined ? wording.language : undefined,
    appointmentId,
    asks,
    ...(message !== undefined && !asks && !namesAppointment(message) && { named: [] }),
    templateId: template?.id,
    reviewUserId,
    sendAt,
  });
  return showQueuedText(tx, text, { appointment, template });
}

/** A guardian reads of the patient by one name. */
function valuesFor(values: PlaceholderValues, recipient: RecipientLanguage, { language }: Wording): PlaceholderValues {
  const patient = patientToGuardian(recipient, language);
  return patient === null ? values : { ...values, 'first name': patient };
}

/** Whether a message has facts of the visit filled in. Without them it is what a person says, and holds when the visit changes. */
const namesAppointment = (message: string): boolean =>
  placeholdersIn(message).known.some((name) => /^(appointment|provider|office|location) /.test(name));

/** @throws Failure not_found, unprocessable or conflict, as sendAppointmentText */
function requirePatient({ patient, patientRestricted }: Appointment, facts: TextFacts): AppointmentPatient {
  if (!patient && patientRestricted) throw notFound('patient');
  if (!patient) throw cannot('no_patient', 'The appointment has no patient.');
  if (facts.mobilePhone === null) throw cannot('no_mobile_number', 'The patient has no mobile number.');
  requireTextConsent(facts);
  return patient;
}

/** @throws Failure conflict where an appointment begins before a question about it could leave */
function requireTimeToAnswer({ startsAt }: Pick<Appointment, 'startsAt'>, facts: TextFacts, at: Date): void {
  if (startsAt === null) return;
  if (new Date(startsAt) > (endOfQuietHours(at, facts.zone, facts) ?? at)) return;
  const begun = new Date(startsAt) <= at ? 'has begun by then' : 'begins before the quiet hours of the patient end';
  throw conflict('appointment_over', `The appointment ${begun}: an answer could not arrive in time.`);
}

/** The template of a text, which a message may take the words of; without either, the active one for appointments, if there is one. */
async function findTextTemplate(tx: Tx, { templateId, message }: AppointmentTextInput): Promise<SmsTemplate[]> {
  if (templateId !== undefined) return tx.rows(TEMPLATE_BY_ID, [templateId]);
  return message === undefined ? tx.rows(ACTIVE_TEMPLATE, ['appointment']) : [];
}

/** @throws Failure not_found for a template or a user that the practice does not have, and invalid for unknown placeholders */
async function requireTextTemplate(
  tx: Tx,
  { templateId, message, reviewUserId }: AppointmentTextInput,
  [template]: SmsTemplate[],
): Promise<SmsTemplate | null> {
  const wrong = new WrongFields();
  if (templateId !== undefined && !template) wrong.add(notFound('template', 'templateId'));
  if (message !== undefined) await wrong.check(() => requireKnownPlaceholders(message, 'message'));
  if (reviewUserId !== undefined) await wrong.check(() => findColleague(tx, reviewUserId, 'reviewUserId'));
  wrong.throwIfAny();
  return template ?? null;
}

/**
 * The words of a text. People write a message in the language of the template that they were shown, else in the patient's. A named
 * template whose category gives it placeholders without values here is refused by them.
 */
function wordingFor(template: SmsTemplate | null, recipient: RecipientLanguage, message: string | undefined): Wording {
  const own = { language: recipient.own, body: findOwnWords('appointment', recipient).text[recipient.own] };
  const chosen = template ? chooseWording(template, recipient) : own;
  if (message === undefined) return chosen;
  return { body: message, language: template ? chosen.language : (recipient.patient ?? recipient.practice) };
}

/** @throws Failure unprocessable naming the placeholders without a value: no text is sent with gaps */
function fill({ body, language }: Wording, values: PlaceholderValues, { asks, review }: { asks: boolean; review: boolean }): string {
  const reviewUrl = values['review url'] ?? '';
  const isPlaced = placeholdersIn(body).known.some((name) => name === 'url' || name === 'review url');
  const { text, missing } = renderTemplate(body, values, { asks, tag: language });
  const missingNames = review && reviewUrl === '' ? [...new Set([...missing, 'review url'])] : missing;
  if (missingNames.length > 0) {
    const named = missingNames.map((name) => `{{${name}}}`).join(', ');
    throw cannot('missing_values', `Nothing is known for ${named}.`);
  }
  return review && !isPlaced ? `${text} ${reviewUrl}` : text;
}

const cannot = (code: string, message: string) => new Failure('unprocessable', code, message);
