import { type AppointmentTime, writeAppointmentTime } from '../../domain/telehealth/sessions/appointment-times.ts';
import type { PersonInRoom, PersonWaiting, RoomView } from '../../domain/telehealth/sessions/room-view.ts';
import type { Language } from '../../domain/values/languages.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { RoomMessage } from '../room-protocol.ts';

/** The receiver of the state of a room. */
interface Receiver {
  isHost: boolean;
  id: number;
  /** Of the page. */
  language: Language;
}

/** The state of a room as it is sent to a browser. Who waits, and which chart a patient has, is for hosts. */
export function roomMessage(view: RoomView, { isHost, id, language }: Receiver): RoomMessage {
  const { people, visit, recording, recordingAsked, locked, waiting } = view;
  const listNames = (consent: boolean | null) =>
    people.filter((one) => one.recordingConsent === consent).map(({ nameForHosts }) => nameForHosts);
  const isAsked = recordingAsked && people.some((one) => one.id === id && one.recordingConsent === null);
  return {
    type: 'room',
    people: people.map((one) => person(one, isHost)),
    visit,
    recording,
    locked,
    ...(isAsked ? { recording_asked: true } : {}),
    ...(isHost
      ? {
          recording_waits: recordingAsked ? listNames(null) : [],
          recording_declined: listNames(false),
          waiting: waiting.map((one) => fromWaitingPerson(one, language)),
        }
      : {}),
  };
}

const person = ({ patientId, isAttached, name, nameForHosts, recordingConsent: _consent, ...shown }: PersonInRoom, isHost: boolean) => ({
  ...shown,
  name: isHost ? nameForHosts : name,
  ...(isHost && patientId !== null ? { patient_uuid: patientId } : {}),
  ...(isHost && isAttached ? { attached: true } : {}),
});

const fromWaitingPerson = ({ since, appointment, provider, ...shown }: PersonWaiting, language: Language) => ({
  ...shown,
  since: writeInstant(since),
  ...(appointment ? { appointment: writeAppointment(appointment, language) } : {}),
  ...(provider === null ? {} : { provider }),
});

export const writeAppointment = (time: AppointmentTime, language: Language) => ({
  starts_at: writeInstant(time.startsAt),
  text: writeAppointmentTime(time, language),
});
