import { z } from 'zod';
import type { SessionFilter, SessionRecord, SessionSearch, SessionSort } from '../../../../domain/telehealth/sessions/session-lists.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { alsoNamed, filterNames, sameAs } from '../../../../http/input/query.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { dateBound, id, instant, longId, optional, paging, text } from '../../../../http/wire/wire-types.ts';
import { one, sortBy, wrapList } from '../../shared.wire.ts';

export const SessionPatientShape = z
  .strictObject({ uuid: z.int(), firstname: z.string().nullable(), lastname: z.string().nullable() })
  .meta({ id: 'VideoSessionPatient' });

export const SessionHostShape = z
  .strictObject({ uuid: z.int(), firstname: z.string(), lastname: z.string() })
  .meta({ id: 'VideoSessionHost', description: 'Host of the session' });

export const SessionAppointmentShape = z
  .strictObject({
    uuid: z.int(),
    type: z.string().nullable().describe('Name of the appointment type'),
    appointment_date: instant().nullable(),
  })
  .meta({ id: 'VideoSessionAppointment' });

const ParticipantShape = z
  .strictObject({
    uuid: z.int(),
    role: z.string().describe('host or guest'),
    user_id: z.int().nullable().describe('host or guest; a host other than the session’s user is a colleague who leads for them'),
    patient_uuid: z.int().nullable().describe('Null for a host, and for a guest without a chart'),
    patient_restricted: z.boolean().describe('True for a patient whose chart is restricted or blocked, who is not named'),
    name: z.string().nullable(),
    waiting_since: z.string().nullable(),
    admitted_at: instant().nullable(),
    joined_at: instant().nullable(),
    left_at: instant().nullable(),
    recording_consent: z
      .strictObject({
        given: z.boolean().describe('Whether the person agreed'),
        at: instant(),
        words: z.string().describe('Question, or action of a host'),
      })
      .nullable()
      .describe('Answer to a request for recording; null if not asked'),
  })
  .meta({ id: 'VideoSessionParticipant' });

const InviteShape = z
  .strictObject({
    uuid: z.int(),
    patient_uuid: z.int().nullable(),
    patient_restricted: z
      .boolean()
      .describe('True for a patient whose chart is restricted or blocked: the patient, the address and the reason are null'),
    channel: z.string().describe('sms or email'),
    sent_to: z.string().nullable(),
    created_at: instant(),
    expires_at: instant(),
    withdrawn_at: instant().nullable(),
    delivery: z.strictObject({ state: z.string(), reason: z.string().nullable() }).nullable().describe('Delivery of the message'),
  })
  .meta({ id: 'VideoSessionSentInvite' });

const STATES = ['open', 'running', 'ended', 'expired'] as const;

const SessionShape = z
  .strictObject({
    uuid: z.int(),
    guid: z.string(),
    kind: z.string().describe('telehealth, or meet for a session opened by GET /meet-session'),
    state: z.enum(STATES).describe('open until somebody joins, then running, then ended; expired if nobody joined in time'),
    user: SessionHostShape,
    appointment: SessionAppointmentShape.nullable(),
    patients: z
      .array(SessionPatientShape)
      .describe('Patients who took part, are invited or have the appointment; unlisted charts are omitted'),
    patient_restricted: z.boolean().describe('Whether a patient with a restricted or blocked chart is omitted'),
    participants: z.array(ParticipantShape).describe('In the order of arrival'),
    invites: z.array(InviteShape).describe('Invites, without their links'),
    image_count: z.int(),
    video_count: z.int(),
    minutes: z.int().nullable().describe('From start to end, rounded to the nearest minute; null until the session has ended'),
    created_at: instant(),
    started_at: instant().nullable(),
    ended_at: instant().nullable(),
    expires_at: instant(),
  })
  .meta({ id: 'VideoSession' });

export const SessionResponse = one(SessionShape).meta({ id: 'VideoSessionResponse' });
export const SessionList = wrapList(SessionShape).meta({ id: 'VideoSessionList' });

const NO_SESSION = 'must be the id of a video session or its GUID';

/** The id of a session, or its GUID. */
export const sessionKey = () => z.union([longId(), z.uuid({ error: NO_SESSION, abort: true })], { error: NO_SESSION });

export const sessionParams = z.object({ uuid: sessionKey().describe('Video session id or GUID') });
export const sessionsQuery = z.object(paging);

export const SESSION_SEARCH = {
  search: optional(text(200)).describe(
    'Prefix of the last or first name of a patient or the host, or of both in either order; or the first digits of a patient’s phone number (six or more)',
  ),
  keyword: sameAs(optional(text(200)), 'search'),
  patient_id: alsoNamed(optional(id()), ...filterNames('patient')).describe(
    'Id of a patient who took part, is invited or has the appointment',
  ),
  user_id: alsoNamed(optional(id()), ...filterNames('user')).describe('Id of the host'),
  appointment_id: alsoNamed(optional(longId()), ...filterNames('appointment')),
  'min-date': alsoNamed(optional(dateBound()), 'min_date').describe(
    'ISO 8601; values without an offset are in the organization’s time zone',
  ),
  'max-date': alsoNamed(optional(dateBound()), 'max_date').describe(
    'ISO 8601; a date includes the whole day; values without an offset are in the organization’s time zone',
  ),
};

/** Pairs of search fields with one meaning. */
export const SAME_SEARCH = { same: [['search', 'keyword']] } as const;

export const sessionSearchQuery = withChecks(
  z.object({
    ...SESSION_SEARCH,
    kind: optional(z.enum(['telehealth', 'meet'])).describe('Kind of the session'),
    state: optional(z.enum(STATES)).describe('State of the session'),
    ...paging,
  }),
  SAME_SEARCH,
);

const FIELDS = {
  created_at: 'createdAt',
  started_at: 'startedAt',
  ended_at: 'endedAt',
  expires_at: 'expiresAt',
  user_id: 'hostUserId',
  title: 'hostName',
  uuid: 'id',
  id: 'id',
} as const satisfies Record<string, SessionSort['order']>;

export const telehealthSessionsQuery = z.object({ ...sortBy(FIELDS), ...paging });

export function toSessionSort({ sort, order }: z.output<typeof telehealthSessionsQuery>): SessionSort {
  return { order: sort, descending: order === 'DESC' };
}

const searchShape = z.object(SESSION_SEARCH);

export function toSessionSearch(query: z.output<typeof searchShape>): SessionSearch {
  const { search, keyword, patient_id: patientId, user_id: hostUserId, appointment_id: appointmentId } = query;
  return {
    text: search ?? keyword ?? undefined,
    field: search ? 'search' : 'keyword',
    patientId: patientId ?? undefined,
    hostUserId: hostUserId ?? undefined,
    appointmentId: appointmentId ?? undefined,
    dates: {
      min: query['min-date'] ?? undefined,
      max: query['max-date'] ?? undefined,
      fields: { min: 'min-date', max: 'max-date' },
    },
  };
}

export const toSessionFilter = (query: z.output<typeof sessionSearchQuery>): SessionFilter => ({
  ...toSessionSearch(query),
  kind: query.kind ?? undefined,
  state: query.state ?? undefined,
});

export const fromNamedPatient = ({ id: uuid, firstName, lastName }: SessionRecord['patients'][number]) => ({
  uuid,
  firstname: firstName,
  lastname: lastName,
});

export function fromSession(session: SessionRecord): z.input<typeof SessionShape> {
  return {
    uuid: session.id,
    guid: session.guid,
    kind: session.kind,
    state: session.state,
    user: { uuid: session.host_id, firstname: session.host_first_name, lastname: session.host_last_name },
    appointment:
      session.appointment_id === null
        ? null
        : { uuid: session.appointment_id, type: session.appointment_type, appointment_date: session.appointment_starts_at },
    patients: session.patients.map(fromNamedPatient),
    patient_restricted: session.patient_restricted,
    participants: session.participants.map((person) => ({
      uuid: person.id,
      role: person.role,
      user_id: person.userId,
      patient_uuid: person.patientId,
      patient_restricted: person.patientRestricted,
      name: person.name,
      waiting_since: person.waitingSince,
      admitted_at: person.admittedAt,
      joined_at: person.joinedAt,
      left_at: person.leftAt,
      recording_consent: fromConsent(person),
    })),
    invites: session.invites.map(fromInvite),
    image_count: session.image_count,
    video_count: session.video_count,
    minutes: session.minutes,
    created_at: session.created_at,
    started_at: session.started_at,
    ended_at: session.ended_at,
    expires_at: session.expires_at,
  };
}

const fromConsent = ({ recordingConsent: given, recordingAnsweredAt: at, recordingWords: words }: SessionRecord['participants'][number]) =>
  given === null || at === null ? null : { given, at, words: words ?? '' };

const fromInvite = (invite: SessionRecord['invites'][number]): z.input<typeof InviteShape> => ({
  uuid: invite.id,
  patient_uuid: invite.patientId,
  patient_restricted: invite.patientRestricted,
  channel: invite.channel,
  sent_to: invite.channel === 'sms' ? writePhone(invite.sentTo) : invite.sentTo,
  created_at: invite.createdAt,
  expires_at: invite.expiresAt,
  withdrawn_at: invite.withdrawnAt,
  delivery: invite.state === null ? null : { state: invite.state, reason: invite.reason },
});
