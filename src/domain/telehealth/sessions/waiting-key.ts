/** A person who waits: a guest of a session, or a patient in a waiting room, by the id of the row. */
export interface WaitingKey {
  kind: 'participant' | 'visit';
  id: number;
}

/** The written form of a WaitingKey: `participant:31` came by a link, `visit:7` is in a waiting room. */
export const WAITING_KEY = /^(participant|visit):[1-9]\d{0,14}$/;

/** @param written as WAITING_KEY */
export function parseWaitingKey(written: string): WaitingKey {
  const [kind, id] = written.split(':');
  return { kind: kind === 'visit' ? 'visit' : 'participant', id: Number(id) };
}

/** As WAITING_KEY. It is also the address of the person's signals. */
export const writeWaitingKey = ({ kind, id }: WaitingKey): `${WaitingKey['kind']}:${number}` => `${kind}:${id}`;
