import { z } from 'zod';
import type { Visit, VisitListing, VisitScope } from '../../../../domain/telehealth/visits/visits.ts';
import { momentAt, writeLocal } from '../../../../domain/values/time/time.ts';
import { id, instant, localTime, longId, paging } from '../../../../http/wire/wire-types.ts';
import { direction, one, wrapList } from '../../shared.wire.ts';
import { SessionAppointmentShape, SessionHostShape, SessionPatientShape } from '../sessions/video-sessions.wire.ts';

const VISIT = {
  uuid: z.int(),
  video_session_uuid: z.int().nullable(),
  video_session_guid: z.string().nullable(),
  user: SessionHostShape.nullable(),
  appointment: SessionAppointmentShape.nullable(),
  timezone: z.string().describe('IANA time zone of the practice, used for the local times'),
};

export const TelehealthVisitShape = z
  .strictObject({
    kind: z.literal('telehealth'),
    ...VISIT,
    patient: SessionPatientShape.nullable().describe('Null for a guest who is not a patient of the practice'),
    started_at: instant(),
    started_at_local: localTime().nullable(),
    ended_at: instant().nullable().describe('Null while the visit is in progress'),
    ended_at_local: localTime().nullable(),
    minutes: z.int().nullable().describe('Rounded to the nearest minute; null while the visit is in progress'),
  })
  .meta({ id: 'TelehealthVisit' });

export const WaitingRoomVisitShape = z
  .strictObject({
    kind: z.literal('waiting_room'),
    ...VISIT,
    patient: SessionPatientShape,
    waiting_room: z.strictObject({ uuid: z.int(), name: z.string() }),
    entered_at: instant(),
    entered_at_local: localTime().nullable(),
    admitted_at: instant().nullable(),
    admitted_at_local: localTime().nullable(),
    left_at: instant().nullable(),
    left_at_local: localTime().nullable(),
    waited_minutes: z
      .int()
      .nullable()
      .describe('Minutes until the patient was admitted or left, rounded to the nearest minute; null while the patient is waiting'),
  })
  .meta({ id: 'WaitingRoomVisit' });

const VisitShape = z.discriminatedUnion('kind', [TelehealthVisitShape, WaitingRoomVisitShape]).meta({ id: 'Visit' });

export const TelehealthVisitResponse = one(TelehealthVisitShape).meta({ id: 'TelehealthVisitResponse' });
export const TelehealthVisitList = wrapList(TelehealthVisitShape).meta({ id: 'TelehealthVisitList' });
export const WaitingRoomVisitResponse = one(WaitingRoomVisitShape).meta({ id: 'WaitingRoomVisitResponse' });
export const WaitingRoomVisitList = wrapList(WaitingRoomVisitShape).meta({ id: 'WaitingRoomVisitList' });
export const VisitList = wrapList(VisitShape).meta({ id: 'VisitList' });

export const visitParams = z.object({ uuid: longId().describe('Visit id') });
export const waitingVisitParams = z.object({ UUID: longId().describe('Visit id') });
export const patientParams = z.object({ uuid: id().describe('Patient id') });
export const waitingPatientParams = z.object({ UUID: id().describe('Patient id') });
export const visitsQuery = z.object({
  order: direction.default('DESC').describe('DESC sorts by newest first'),
  ...paging,
});

export const toVisitListing = <S extends VisitScope>(
  patientId: number,
  scope: S,
  { order }: z.output<typeof visitsQuery>,
): VisitListing<S> => ({ patientId, scope, descending: order === 'DESC' });

const fromVisitBase = (visit: Visit) => ({
  uuid: visit.id,
  video_session_uuid: visit.video_session_id,
  video_session_guid: visit.guid,
  user:
    visit.host_id === null || visit.host_first_name === null || visit.host_last_name === null
      ? null
      : { uuid: visit.host_id, firstname: visit.host_first_name, lastname: visit.host_last_name },
  appointment:
    visit.appointment_id === null
      ? null
      : { uuid: visit.appointment_id, type: visit.appointment_type, appointment_date: visit.appointment_starts_at },
  timezone: visit.timeZone,
});

const toLocal = (instant: string | null, { timeZone }: Visit): string | null =>
  instant === null ? null : writeLocal(momentAt(new Date(instant), timeZone).local);

export function fromTelehealthVisit(visit: Visit<'telehealth'>): z.input<typeof TelehealthVisitShape> {
  return {
    kind: 'telehealth',
    ...fromVisitBase(visit),
    patient: visit.patient_id === null ? null : { uuid: visit.patient_id, firstname: visit.first_name, lastname: visit.last_name },
    started_at: visit.began_at,
    started_at_local: toLocal(visit.began_at, visit),
    ended_at: visit.over_at,
    ended_at_local: toLocal(visit.over_at, visit),
    minutes: visit.minutes,
  };
}

export function fromWaitingRoomVisit(visit: Visit<'waiting_room'>): z.input<typeof WaitingRoomVisitShape> {
  return {
    kind: 'waiting_room',
    ...fromVisitBase(visit),
    patient: { uuid: visit.patient_id, firstname: visit.first_name, lastname: visit.last_name },
    waiting_room: { uuid: visit.waiting_room_id, name: visit.waiting_room },
    entered_at: visit.began_at,
    entered_at_local: toLocal(visit.began_at, visit),
    admitted_at: visit.admitted_at,
    admitted_at_local: toLocal(visit.admitted_at, visit),
    left_at: visit.over_at,
    left_at_local: toLocal(visit.over_at, visit),
    waited_minutes: visit.minutes,
  };
}

export const fromVisit = (visit: Visit): z.input<typeof VisitShape> =>
  visit.kind === 'telehealth' ? fromTelehealthVisit(visit) : fromWaitingRoomVisit(visit);
