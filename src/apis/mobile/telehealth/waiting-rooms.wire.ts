import { z } from 'zod';
import type { FiveMinuteLink } from '../../../domain/telehealth/invites/five-minute-link.ts';
import type { WaitingPatient } from '../../../domain/telehealth/waiting/waiting-patients.ts';
import type { AdmittedVisit } from '../../../domain/telehealth/waiting/waiting-room-visits.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../http/input/query.ts';
import { flag, id, instant, longId, optional, paging } from '../../../http/wire/wire-types.ts';
import { channel } from '../messaging/check-ins/check-ins.wire.ts';
import { fromPerson, PersonShape } from '../people/people.wire.ts';
import { one, wrapList } from '../shared.wire.ts';
import { emailOrSms, orgOrServiceNumber } from './video-invites.wire.ts';

export const WaitingRoomInviteRequest = z
  .object({ emailOrSms: emailOrSms(), orgOrServiceNumber: orgOrServiceNumber() })
  .meta({ id: 'WaitingRoomInviteRequest' });

const room = () => id().describe('Waiting room id');
export const waitingRoomInviteParams = z.object({ UUID: room(), Patient__UUID: id().describe('Patient id') });
export const waitingRoomInviteKey = waitingRoomInviteParams.extend({ invite: longId().describe('Invite id') });
export const waitingParams = z.object({ UUID: room() });
export const admissionParams = z.object({ UUID: room(), visit: longId().describe('Id of the waiting room visit') });
export const AdmissionRequest = z
  .object({
    visit: z
      .enum(['new', 'current'])
      .optional()
      .describe(
        'new: a separate visit begins and the current one ends; current: the patient joins the current visit. Required while somebody else is in the visit, or if they left less than a minute ago',
      ),
  })
  .meta({ id: 'AdmissionRequest' });
export const waitingQuery = z.object(paging);

const patientRestricted = () =>
  z.boolean().describe('Whether the patient’s chart is restricted or blocked. The patient is then null, but is admitted all the same');

const WaitingShape = z
  .strictObject({
    uuid: z.int().describe('Id of the waiting room visit'),
    waiting_room_id: z.int(),
    patient: PersonShape.nullable(),
    patient_restricted: patientRestricted(),
    appointment_id: z.int().nullable(),
    entered_at: instant().describe('Time at which the patient began to wait'),
    last_seen_at: instant().describe('Time of the last heartbeat of the patient’s page'),
  })
  .meta({ id: 'WaitingPatient' });

export const WaitingList = wrapList(WaitingShape).meta({ id: 'WaitingPatientList' });

export const fromWaitingPatient = (visit: WaitingPatient): z.input<typeof WaitingShape> => ({
  uuid: visit.id,
  waiting_room_id: visit.waitingRoomId,
  patient: visit.patient && fromPerson(visit.patient),
  patient_restricted: visit.patientRestricted,
  appointment_id: visit.appointmentId,
  entered_at: writeInstant(visit.enteredAt),
  last_seen_at: writeInstant(visit.lastSeenAt),
});

const AdmissionShape = z
  .strictObject({
    uuid: z.int().describe('Id of the waiting room visit'),
    patient_id: z.int().nullable(),
    patient_restricted: patientRestricted(),
    entered_at: instant(),
    admitted_at: instant().nullable(),
    session: z.strictObject({
      uuid: z.int(),
      guid: z.uuid(),
      expires_at: instant(),
      host_link: z.string().nullable().describe('Link for the host; null if a host is already in the session'),
    }),
  })
  .meta({ id: 'WaitingRoomAdmission' });

export const AdmissionResponse = one(AdmissionShape).meta({ id: 'WaitingRoomAdmissionResponse' });

export const fromAdmission = ({ visit, session, hostToken }: AdmittedVisit, origin: string): z.input<typeof AdmissionShape> => ({
  uuid: visit.id,
  patient_id: visit.patient?.id ?? null,
  patient_restricted: visit.patientRestricted,
  entered_at: writeInstant(visit.enteredAt),
  admitted_at: writeInstant(visit.admittedAt),
  session: {
    uuid: session.id,
    guid: session.guid,
    expires_at: writeInstant(session.expiresAt),
    host_link: hostToken === null ? null : `${origin}/v/${hostToken}`,
  },
});

// The spelling of the two fields is that of the source document.
export const FiveMinuteRequest = z
  .object({
    teleheath_5_minute_check_in: alsoNamed(flag(), 'telehealth_5_minute_check_in'),
    teleheath_5_minute_check_in_type: alsoNamed(optional(channel()), 'telehealth_5_minute_check_in_type', 'channel').describe(
      'sms or email; required when enabling for the first time. Also read as `channel`',
    ),
  })
  .meta({ id: 'FiveMinuteCheckInRequest' });

const FiveMinuteShape = z
  .strictObject({
    teleheath_5_minute_check_in: z.boolean(),
    teleheath_5_minute_check_in_type: z.string().nullable().describe('sms or email'),
  })
  .meta({ id: 'FiveMinuteCheckIn' });

export const FiveMinuteResponse = one(FiveMinuteShape).meta({ id: 'FiveMinuteCheckInResponse' });

export const toFiveMinute = (body: z.output<typeof FiveMinuteRequest>) => ({
  on: body.teleheath_5_minute_check_in,
  channel: body.teleheath_5_minute_check_in_type,
});

export const fromFiveMinute = ({ on, channel }: FiveMinuteLink): z.input<typeof FiveMinuteShape> => ({
  teleheath_5_minute_check_in: on,
  teleheath_5_minute_check_in_type: channel,
});
