import type { EventName } from '../events/catalogue.ts';

/** The kinds of record whose changes a client can subscribe to. */
export type ChangeFeed = 'patients' | 'appointments' | 'providers';

/** A change that a client can subscribe to, under the name that clients of practice systems know. */
interface ChangeName {
  name: string;
  /** Condition in SQL on the event `e` of the log of the practice $1, by which it is such a change; null where such changes do not happen here. */
  when: string | null;
  /** Not among those that a client gets who names none. */
  optional?: boolean;
}

interface FeedChanges {
  /** The kind of record that its events are about, as the catalogue of events names it. */
  subject: string;
  changes: readonly ChangeName[];
  /** Records that are told because of an event about another kind of record: `name` is the change as which they are told. */
  besides?: {
    name: string;
    /** FROM and WHERE in SQL, beside the event `e`: the records are `r`. */
    records: string;
  };
}

const whereNamed = (...names: EventName[]): string => `e.name IN (${names.map((name) => `'${name}'`).join(', ')})`;
const never = (name: string): ChangeName => ({ name, when: null });

/** Condition on the appointment `a` of the event, as it is now. */
const appointmentNow = (condition: string): string => `EXISTS (
  SELECT FROM appointment a WHERE a.organization_id = $1 AND a.id = e.subject_id AND ${condition})`;

const HAS_PATIENT = appointmentNow('a.patient_id IS NOT NULL');
const SCHEDULED = whereNamed('appointment.scheduled', 'appointment.imported');

/** The appointment got a patient, or lost one. */
const OTHER_PATIENT = `(${whereNamed('appointment.changed', 'appointment.moved')} AND 'patientId' = ANY (e.changed))`;

/** `undatedAt` changes where an appointment loses its day, and where it has one again. */
const UNDATED = `(${whereNamed('appointment.moved')} AND 'undatedAt' = ANY (e.changed))`;
const LOST_DAY = `(${UNDATED} AND ${appointmentNow('a.starts_at IS NULL')})`;
const DATED_AGAIN = `(${UNDATED} AND ${appointmentNow('a.starts_at IS NOT NULL')})`;

/** Days that an appointment may be over and still be told when a restriction on its patient's chart is lifted. */
const RECENT_DAYS = 30;

/** Recent and coming appointments of a person whose chart is restricted no longer: they were shown without their patient. */
const OF_LIFTED_CHARTS = `
  JOIN patient p ON p.organization_id = $1 AND (p.id = e.subject_id OR p.enterprise_id = e.subject_id) AND NOT p.restricted
  JOIN appointment r ON r.organization_id = $1 AND r.patient_id = p.id AND r.starts_at > now() - interval '${RECENT_DAYS} days'
 WHERE ${whereNamed('patient.updated')} AND 'restrictions' = ANY (e.changed)`;

/** The provider was deactivated, or activated again. */
const ACTIVATION = `${whereNamed('provider.updated')} AND 'active' = ANY (e.changed)`;
const PROVIDER_ACTIVE = 'EXISTS (SELECT FROM provider v WHERE v.organization_id = $1 AND v.id = e.subject_id AND v.active)';

/** The names are those that athenahealth's public clients read and send (docs/api-decisions/practice-changes.md), in their order. */
export const CHANGE_FEEDS: Readonly<Record<ChangeFeed, FeedChanges>> = {
  patients: {
    subject: 'patient',
    changes: [
      { name: 'AddPatient', when: whereNamed('patient.registered', 'patient.imported') },
      { name: 'DeletePatient', when: whereNamed('patient.withdrawn') },
      { name: 'UpdatePatient', when: `${whereNamed('patient.updated')} AND e.changed <> '{customFields}'` },
      { name: 'MergePatient', when: whereNamed('patient.merged', 'patient.unmerged') },
      { name: 'UpdatePatientCustomField', when: `${whereNamed('patient.updated')} AND 'customFields' = ANY (e.changed)` },
    ],
  },
  appointments: {
    subject: 'appointment',
    changes: [
      {
        name: 'ScheduleAppointment',
        when: `${HAS_PATIENT} AND (${SCHEDULED} OR ${OTHER_PATIENT} OR ${DATED_AGAIN})`,
      },
      { name: 'CheckIn', when: whereNamed('appointment.arrived', 'appointment.roomed', 'appointment.in_progress') },
      { name: 'CheckOut', when: whereNamed('appointment.checked_out', 'appointment.completed') },
      {
        name: 'UpdateAppointment',
        when: whereNamed('appointment.changed', 'appointment.moved', 'appointment.confirmed', 'appointment.declined'),
      },
      {
        name: 'CancelAppointment',
        when: `(${whereNamed('appointment.cancelled')} OR ${LOST_DAY} OR (${OTHER_PATIENT} AND NOT ${HAS_PATIENT}))`,
      },
      { ...never('UpdateReminderCall'), optional: true },
      { ...never('UpdateSuggestedOverbooking'), optional: true },
      never('FreezeAppointment'),
      never('UnfreezeAppointment'),
      never('DeleteAppointment'),
      { name: 'AddAppointmentSlot', when: `(${SCHEDULED} OR ${OTHER_PATIENT} OR ${DATED_AGAIN}) AND NOT ${HAS_PATIENT}` },
    ],
    besides: { name: 'UpdateAppointment', records: OF_LIFTED_CHARTS },
  },
  providers: {
    subject: 'provider',
    changes: [
      { name: 'ProviderAdd', when: whereNamed('provider.created') },
      { name: 'ProviderUpdate', when: whereNamed('provider.updated') },
      { name: 'ProviderDelete', when: `${ACTIVATION} AND NOT ${PROVIDER_ACTIVE}` },
      { name: 'ProviderUndelete', when: `${ACTIVATION} AND ${PROVIDER_ACTIVE}` },
    ],
  },
};

/** All names of a feed, in the order in which they are listed. */
export const listChangeNames = (feed: ChangeFeed): string[] => CHANGE_FEEDS[feed].changes.map(({ name }) => name);

/** The names that a subscription has which names none, without the optional ones. */
export const listDefaultNames = (feed: ChangeFeed): string[] =>
  CHANGE_FEEDS[feed].changes.filter(({ optional }) => !optional).map(({ name }) => name);
