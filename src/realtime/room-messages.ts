import type { PersonInRoom, PersonWaiting, RoomView } from '../domain/telehealth/room-view.ts';
import { writeInstant } from '../domain/values/time.ts';
import type { RoomMessage } from './protocol.ts';

/** The state of a room as it is sent to a browser. Who waits, and which chart a patient has, is for hosts. */
export function roomMessage({ people, visit, recording, locked, waiting }: RoomView, isHost: boolean): RoomMessage {
  return {
    type: 'room',
    people: people.map((one) => person(one, isHost)),
    visit,
    recording,
    locked,
    ...(isHost ? { waiting: waiting.map(waitingPerson) } : {}),
  };
}

const person = ({ patientId, isAttached, name, nameForHosts, ...shown }: PersonInRoom, isHost: boolean) => ({
  ...shown,
  name: isHost ? nameForHosts : name,
  ...(isHost && patientId !== null ? { patient_uuid: patientId } : {}),
  ...(isHost && isAttached ? { attached: true } : {}),
});

const waitingPerson = ({ since, appointment, provider, ...shown }: PersonWaiting) => ({
  ...shown,
  since: writeInstant(since),
  ...(appointment ? { appointment: { starts_at: writeInstant(appointment.startsAt), text: appointment.text } } : {}),
  ...(provider === null ? {} : { provider }),
});
