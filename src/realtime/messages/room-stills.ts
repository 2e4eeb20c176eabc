import { askStill, listStills, refuseStill, type Still } from '../../domain/telehealth/media/stills.ts';
import type { ParticipantConnection } from '../connections/participant-connection.ts';
import type { BrowserMessage } from '../protocol.ts';
import type { StillMessage } from '../room-protocol.ts';

/** The last state of each request that each connection was told, so that it is told once. */
const told = new WeakMap<ParticipantConnection, Map<number, Still['state']>>();

/** Sends what has changed about the requests for stills: to a guest those that wait for an answer, to a host how they stand. */
export async function receiveStills(connection: ParticipantConnection): Promise<void> {
  const { deps, identity, member, socket } = connection;
  if (!connection.isAdmitted) return;
  const stills = await deps.unitOfWork.read(identity, (tx) => listStills(tx, member));
  const known = told.get(connection) ?? new Map<number, Still['state']>();
  told.set(connection, known);
  for (const still of stills) {
    // Of two reads that overlap, the older may end last.
    const before = known.get(still.id);
    if (before === still.state || (before !== undefined && still.state === 'asked')) continue;
    known.set(still.id, still.state);
    socket.send(member.role === 'host' ? toHost(still) : { type: 'still', id: still.id, body_site: still.bodySite });
  }
}

const toHost = ({ id, state, imageId }: Still): StillMessage => ({
  type: 'still',
  id,
  state,
  ...(imageId === null ? {} : { image_uuid: imageId }),
});

/** A host asks a guest for a clinical still. @throws Failure as askStill */
export async function handleStill(
  { to, body_site }: Extract<BrowserMessage, { type: 'still' }>,
  { deps, identity, member }: ParticipantConnection,
): Promise<void> {
  await deps.unitOfWork.write(identity, (tx) => askStill(tx, member, { to, bodySite: body_site || null }));
}

/** A guest does not take the still that was asked for. */
export async function handleStillRefused(
  { id }: Extract<BrowserMessage, { type: 'still_refused' }>,
  { deps, identity, member }: ParticipantConnection,
): Promise<void> {
  await deps.unitOfWork.write(identity, (tx) => refuseStill(tx, member, id));
}
