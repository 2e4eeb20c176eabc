import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statement.ts';
import type { Caller } from '../../caller.ts';
import { Failure, neitherGiven, notFound, WrongFields } from '../../errors.ts';
import { findColleague } from '../../practices/users.ts';
import { readAppointment } from '../../scheduling/appointment-reader.ts';
import { requireConsent } from '../consent.ts';
import { type PlaceholderValues, placeholdersIn, renderTemplate } from '../templates/placeholders.ts';
import { findPlaceholderValues, findTemplate, requireKnownPlaceholders, type SmsTemplate } from '../templates/templates.ts';
import { holdAppointment } from './named-appointments.ts';
import { queueText } from './outgoing-texts.ts';
import { readText, type TextView } from './text-list.ts';

export interface AppointmentTextInput {
  templateId?: number | undefined;
  /** The body; where a template is named too, it replaces the template's own. */
  message?: string | undefined;
  /** The review page of this user is included, at the end where no placeholder names it. */
  reviewUserId?: number | undefined;
}

/**
 * Queues a text about an appointment to its patient; a worker sends it.
 * @throws Failure not_found for an appointment, template or user that the practice does not have, and for an appointment whose patient the caller may not see; invalid for unknown
 *   placeholders or without a body; unprocessable where a placeholder has no value or there is nobody to write to;
 *   conflict where the practice has no number, or the patient must not be written to
 */
export async function sendAppointmentText(db: Db, caller: Caller, appointmentId: number, input: AppointmentTextInput): Promise<TextView> {
  const { templateId, reviewUserId } = input;
  await holdAppointment(db, caller, appointmentId);
  const appointment = await readAppointment(preparedIn(db), caller, appointmentId);
  const wrong = new WrongFields();
  const template = templateId === undefined ? null : await wrong.check(() => findTemplate(db, caller, templateId, 'templateId'));
  const bodyTemplate = input.message ?? template?.body;
  if (bodyTemplate !== undefined) await wrong.check(() => requireKnownPlaceholders(bodyTemplate, 'message'));
  else if (template === null) wrong.add(neitherGiven('message', 'templateId'));
  if (reviewUserId !== undefined) await wrong.check(() => findColleague(db, caller, reviewUserId, 'reviewUserId'));
  wrong.throwIfAny();
  if (bodyTemplate === undefined || template === undefined) throw new RangeError('a wrong field was not reported');
  const { patient, patientRestricted } = appointment;
  if (!patient && patientRestricted) throw notFound('patient');
  if (!patient) throw cannot('no_patient', 'The appointment has no patient to write to.');
  if (patient.mobilePhone === null) throw cannot('no_mobile_number', 'The patient has no mobile number.');
  await requireConsent(db, caller, { patientId: patient.id, channel: 'sms', to: patient.mobilePhone });
  const values = await findPlaceholderValues(db, caller, { appointment, reviewUserId });
  const body = fill(bodyTemplate, template, values, reviewUserId !== undefined);
  const { id } = await queueText(db, caller, {
    patientId: patient.id,
    to: patient.mobilePhone,
    body,
    appointmentId,
    asks: template?.tracksResponse,
    templateId,
    reviewUserId,
  });
  return readText(db, caller, id);
}

/** @throws Failure unprocessable naming the placeholders without a value: no text is sent with gaps */
function fill(bodyTemplate: string, template: SmsTemplate | null, values: PlaceholderValues, review: boolean): string {
  const reviewUrl = values['review url'] ?? '';
  const isPlaced = placeholdersIn(bodyTemplate).known.some((name) => name === 'url' || name === 'review url');
  const { text, missing } = renderTemplate(bodyTemplate, values, { asks: template?.tracksResponse ?? false });
  const missingNames = review && reviewUrl === '' ? [...new Set([...missing, 'review url'])] : missing;
  if (missingNames.length > 0) {
    const named = missingNames.map((name) => `{{${name}}}`).join(', ');
    throw cannot('missing_values', `There is nothing known for ${named}.`);
  }
  return review && !isPlaced ? `${text} ${reviewUrl}` : text;
}

const cannot = (code: string, message: string) => new Failure('unprocessable', code, message);
