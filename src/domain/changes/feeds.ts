import type { EventName } from '../events/catalogue.ts';

/** The kinds of record whose changes a client can subscribe to. */
export type ChangeFeed = 'patients' | 'appointments' | 'providers';

/** A change that a client can subscribe to, under the name that clients of practice systems know. */
interface ChangeName {
  name: string;
  /** Condition in SQL on the event `e` of the log, by which it is such a change; null where such changes do not happen here. */
  when: string | null;
  /** Not among those that a client gets who names none. */
  optional?: boolean;
}

interface FeedChanges {
  /** The kind of record that its events are about, as the catalogue of events names it. */
  subject: string;
  changes: readonly ChangeName[];
}

const named = (...names: EventName[]): string => `e.name IN (${names.map((name) => `'${name}'`).join(', ')})`;
const never = (name: string): ChangeName => ({ name, when: null });

/** Whether the appointment of the event has a patient now. */
const HAS_PATIENT = `EXISTS (
  SELECT FROM appointment a WHERE a.organization_id = e.organization_id AND a.id = e.subject_id AND a.patient_id IS NOT NULL)`;

/** The names are those that athenahealth's public clients read and send (docs/api-decisions/practice-changes.md), in their order. */
export const CHANGE_FEEDS: Readonly<Record<ChangeFeed, FeedChanges>> = {
  patients: {
    subject: 'patient',
    changes: [
      { name: 'AddPatient', when: named('patient.registered') },
      never('DeletePatient'),
      { name: 'UpdatePatient', when: `${named('patient.updated')} AND e.changed <> '{customFields}'` },
      never('MergePatient'),
      { name: 'UpdatePatientCustomField', when: `${named('patient.updated')} AND 'customFields' = ANY (e.changed)` },
    ],
  },
  appointments: {
    subject: 'appointment',
    changes: [
      {
        name: 'ScheduleAppointment',
        when: `${HAS_PATIENT} AND (${named('appointment.scheduled')}
               OR (${named('appointment.changed', 'appointment.moved')} AND 'patientId' = ANY (e.changed)))`,
      },
      never('CheckIn'),
      never('CheckOut'),
      {
        name: 'UpdateAppointment',
        when: named('appointment.changed', 'appointment.moved', 'appointment.confirmed', 'appointment.declined'),
      },
      { name: 'CancelAppointment', when: named('appointment.cancelled') },
      { ...never('UpdateReminderCall'), optional: true },
      { ...never('UpdateSuggestedOverbooking'), optional: true },
      never('FreezeAppointment'),
      never('UnfreezeAppointment'),
      never('DeleteAppointment'),
      { name: 'AddAppointmentSlot', when: `${named('appointment.scheduled')} AND NOT ${HAS_PATIENT}` },
    ],
  },
  providers: {
    subject: 'provider',
    changes: [
      { name: 'ProviderAdd', when: named('provider.created') },
      { name: 'ProviderUpdate', when: named('provider.updated') },
      never('ProviderDelete'),
      never('ProviderUndelete'),
    ],
  },
};

/** All names of a feed, in the order in which they are listed. */
export const changeNamesOf = (feed: ChangeFeed): string[] => CHANGE_FEEDS[feed].changes.map(({ name }) => name);

/** The names that a subscription has which names none, without the optional ones. */
export const defaultNamesOf = (feed: ChangeFeed): string[] =>
  CHANGE_FEEDS[feed].changes.filter(({ optional }) => !optional).map(({ name }) => name);
