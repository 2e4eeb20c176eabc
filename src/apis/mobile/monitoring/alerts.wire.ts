import { z } from 'zod';
import type { AlertFilter, AlertView } from '../../../domain/monitoring/alerts/alert-list.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../../http/input/query.ts';
import { describeReason } from '../../../http/wire/text-reasons.ts';
import { id, instant, longId, multilineText, pagingByPosition } from '../../../http/wire/wire-types.ts';
import { DeliveryShape, fromDelivery } from '../messaging/check-ins/check-ins.wire.ts';
import { fromPerson, PersonShape } from '../people/people.wire.ts';
import { one, wrapList } from '../shared.wire.ts';
import { date, newestFirst, toDates } from './check-ins.wire.ts';

const kinds = z.enum(['out_of_target', 'danger_value', 'missed_check_in', 'urgent_symptom']);
const severities = z.enum(['watch', 'urgent', 'danger']);
const states = z.enum(['open', 'acknowledged', 'closed']);
const limit = z.number().nullable();

const TargetShape = z
  .strictObject({
    min: limit,
    max: limit,
    danger_min: limit.describe('A value at or below it is a danger value'),
    danger_max: limit.describe('A value at or above it is a danger value'),
    source: z.enum(['condition', 'item']).describe('condition: at least one limit comes from a tracked condition'),
    tracked_condition_uuids: z.array(z.int()).describe('Ids of the tracked conditions that set limits'),
  })
  .meta({ id: 'AlertTarget' });

const CheckInOfAlertShape = z
  .strictObject({
    uuid: z.int(),
    survey_type: z.strictObject({ uuid: z.int(), name: z.string() }).nullable(),
    sent_at: instant(),
    answered_at: instant().nullable(),
    delivery: DeliveryShape.nullable().describe(
      'Delivery of its message; for a missed check-in, whether the patient was asked. Null if the message is no longer stored',
    ),
  })
  .meta({ id: 'AlertCheckIn' });

const PatientTextShape = z
  .strictObject({
    state: z.enum(['queued', 'sent', 'delivered', 'failed', 'suppressed']),
    reason: z.string().nullable().describe('Why it was not sent or failed, in words'),
    reason_code: z.string().nullable().describe('The same for programs'),
    text_uuid: z.int().nullable().describe('Text id; null if none was stored'),
  })
  .meta({ id: 'AlertPatientText' });

export const AlertShape = z
  .strictObject({
    uuid: z.int(),
    kind: kinds,
    severity: severities.describe(
      'watch: a value outside of its target, or a missed check-in. urgent: a symptom that the survey marks as urgent. danger: a value beyond a danger limit',
    ),
    state: states,
    patient_uuid: z.int(),
    patient: PersonShape,
    program_uuids: z.array(z.int()).describe('Ids of the programs that the patient was in'),
    item: z.strictObject({ uuid: z.int(), name: z.string(), unit: z.string().nullable() }).nullable().describe('Item that was measured'),
    reading_uuid: z.int().nullable().describe('Reading id'),
    value: limit.describe('The measured value, in the unit of its item'),
    target: TargetShape.nullable().describe('The target at that time; null if nothing was measured'),
    question: z.string().nullable().describe('The question about an urgent symptom'),
    answer: z.string().nullable().describe('The answer about an urgent symptom'),
    checkin: CheckInOfAlertShape.nullable().describe('Check-in that was answered or missed; null for readings of devices and staff'),
    occurred_at: instant().describe('When it was measured or answered; for a missed check-in, when its time ended'),
    raised_at: instant().describe('When the alert was raised'),
    escalates_at: instant().nullable().describe('When the next people are notified; null if no escalation follows'),
    patient_text: PatientTextShape.nullable().describe(
      'The text that tells the patient what to do about a danger value; null for other kinds',
    ),
    acknowledged_at: instant().nullable(),
    acknowledged_by: PersonShape.nullable(),
    acknowledged_note: z.string().nullable().describe('Note of the user who acknowledged it'),
    closed_at: instant().nullable(),
    closed_by: PersonShape.nullable().describe('Also null if the alert closed because the patient answered a missed check-in'),
    closed_note: z.string().nullable().describe('Note of the user who closed it'),
  })
  .meta({ id: 'MonitoringAlert' });

export const AlertResponse = one(AlertShape).meta({ id: 'MonitoringAlertResponse' });
export const AlertList = wrapList(AlertShape).meta({ id: 'MonitoringAlertList' });

const FIELDS = {
  severity: 'severity',
  raised_at: 'raisedAt',
  occurred_at: 'occurredAt',
  title: 'patientName',
  uuid: 'id',
  id: 'id',
} as const satisfies Record<string, AlertFilter['sort']['order']>;

export const alertsQuery = z.object({
  ...newestFirst(FIELDS),
  state: states.optional().describe('Only alerts in this state'),
  severity: severities.optional().describe('Only alerts of this severity: watch, urgent or danger'),
  kind: kinds.optional().describe('Only alerts of this kind'),
  patient_uuid: alsoNamed(id().optional(), ...filterNames('patient')).describe('Id of a patient'),
  program_uuid: alsoNamed(id().optional(), ...filterNames('program')).describe('Program id: alerts raised while the patient was in it'),
  start_date: date(),
  end_date: date(),
  ...pagingByPosition,
});
export const alertParams = z.object({ alert: longId().describe('Alert id') });

const note = (description: string) => ({
  note: multilineText(2_000)
    .nullable()
    .default(null)
    .transform((written) => written || null)
    .describe(description),
});
export const AcknowledgeAlertRequest = z.object(note('What you will do about it')).meta({ id: 'AlertAcknowledgeRequest' });
export const CloseAlertRequest = z.object(note('What was done')).meta({ id: 'AlertCloseRequest' });

export function toAlertFilter({ sort, order, patient_uuid, program_uuid, ...query }: z.output<typeof alertsQuery>): AlertFilter {
  const { state, severity, kind } = query;
  const descending = order === undefined ? sort !== 'patientName' : order === 'DESC';
  return {
    state,
    severity,
    kind,
    patientId: patient_uuid,
    programId: program_uuid,
    dates: toDates(query),
    sort: { order: sort, descending },
  };
}

function fromPatientText({ kind, patientText, patientTextReason: code }: AlertView): z.input<typeof PatientTextShape> | null {
  if (kind !== 'danger_value') return null;
  if (patientText) {
    const { id: text_uuid, state, reason } = patientText;
    return { state: state === 'received' ? 'sent' : state, reason: describeReason(reason), reason_code: reason, text_uuid };
  }
  return { state: code === null ? 'queued' : 'suppressed', reason: describeReason(code), reason_code: code, text_uuid: null };
}

function fromTarget(alert: AlertView): z.input<typeof TargetShape> | null {
  const { minTarget, maxTarget, dangerMin, dangerMax, targetSource, targetConditionIds } = alert;
  if (targetSource === null) return null;
  return {
    min: minTarget?.toNumber() ?? null,
    max: maxTarget?.toNumber() ?? null,
    danger_min: dangerMin?.toNumber() ?? null,
    danger_max: dangerMax?.toNumber() ?? null,
    source: targetSource === 'condition' ? 'condition' : 'item',
    tracked_condition_uuids: targetConditionIds,
  };
}

function fromAlertCheckIn({ checkIn }: AlertView): z.input<typeof CheckInOfAlertShape> | null {
  if (checkIn === null) return null;
  const { id: uuid, survey, sentAt, answeredAt } = checkIn;
  return {
    uuid,
    survey_type: survey && { uuid: survey.id, name: survey.name },
    sent_at: writeInstant(sentAt),
    answered_at: writeInstant(answeredAt),
    delivery: fromDelivery(checkIn),
  };
}

export function fromAlert(alert: AlertView): z.input<typeof AlertShape> {
  const { item } = alert;
  return {
    uuid: alert.id,
    kind: kinds.parse(alert.kind),
    severity: severities.parse(alert.severity),
    state: states.parse(alert.state),
    patient_uuid: alert.patientId,
    patient: fromPerson(alert.patient),
    program_uuids: alert.programIds,
    item: item && { uuid: item.id, name: item.name, unit: item.unit },
    reading_uuid: alert.readingId,
    value: alert.value?.toNumber() ?? null,
    target: fromTarget(alert),
    question: alert.question,
    answer: alert.answer,
    checkin: fromAlertCheckIn(alert),
    occurred_at: writeInstant(alert.occurredAt),
    raised_at: writeInstant(alert.raisedAt),
    escalates_at: writeInstant(alert.escalateAt),
    patient_text: fromPatientText(alert),
    acknowledged_at: writeInstant(alert.acknowledgedAt),
    acknowledged_by: alert.acknowledgedBy && fromPerson(alert.acknowledgedBy),
    acknowledged_note: alert.acknowledgedNote,
    closed_at: writeInstant(alert.closedAt),
    closed_by: alert.closedBy && fromPerson(alert.closedBy),
    closed_note: alert.closedNote,
  };
}
