import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { CallerIdentity } from '../domain/caller.ts';
import type { ParticipantMember } from '../domain/telehealth/sessions/room-tokens.ts';
import { type RoomView, viewRoom } from '../domain/telehealth/sessions/room-view.ts';
import { hostAddress, type SignalAddress } from '../domain/telehealth/sessions/signals.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { SignalBus } from './bus/signal-bus.ts';
import { readSignalPayload } from './protocol.ts';

/** A browser's connection to this process, in one video session. */
export interface RoomConnection {
  identity: CallerIdentity;
  /** The participant whose browser it is: the claims of its room token. */
  member: ParticipantMember;
  /** The host of the session, whose waiting rooms are shown too. */
  hostUserId: number;
  /** Called after each change of the room. */
  onView(view: RoomView): void;
  /** Called where the chat, or the requests for stills, have changed. */
  onNotice(notice: 'chat' | 'still'): void;
  onEnded(): void;
}

/**
 * The rooms that have connections on this process: a room is the state of one video session, as its browsers show it. After a
 * change, a room is read once for all its connections.
 */
export interface RoomRegistry {
  /** @returns a function that removes the connection */
  join(connection: RoomConnection): () => void;
  /** Reads the room again for its connections on this process. */
  refresh(organizationId: number, sessionId: number): void;
}

interface RegistryDeps {
  unitOfWork: UnitOfWork;
  signalBus: SignalBus;
  logger: Pick<Logger, 'warn'>;
}

const openRooms = new Gauge({ name: 'video_rooms_open', help: 'Video sessions that browsers are connected to on this process' });

export function createRoomRegistry(deps: RegistryDeps): RoomRegistry {
  const rooms = new Map<string, Room>();
  const toKey = (organizationId: number, sessionId: number) => `${organizationId} ${sessionId}`;
  return {
    join(connection) {
      const { organizationId, sessionId } = connection.member;
      const key = toKey(organizationId, sessionId);
      const room = rooms.get(key) ?? openRoom(deps, connection);
      if (!rooms.has(key)) openRooms.inc();
      rooms.set(key, room);
      room.connections.add(connection);
      return () => {
        room.connections.delete(connection);
        if (room.connections.size > 0 || rooms.get(key) !== room) return;
        rooms.delete(key);
        openRooms.dec();
        room.close();
      };
    },
    refresh: (organizationId, sessionId) => rooms.get(toKey(organizationId, sessionId))?.refresh(),
  };
}

type Room = ReturnType<typeof openRoom>;

function openRoom({ unitOfWork, signalBus, logger }: RegistryDeps, { member: { organizationId, sessionId }, hostUserId }: RoomConnection) {
  const connections = new Set<RoomConnection>();
  let isReading = false;
  let hasChanged = false;

  async function read(): Promise<void> {
    const hosts = [...connections].filter(({ member }) => member.role === 'host');
    const [reader = [...connections][0]] = hosts;
    if (!reader) return;
    const view = await unitOfWork.read(reader.identity, (tx) => viewRoom(tx, sessionId, hosts.length > 0));
    if (view === null || view.ended) for (const connection of [...connections]) connection.onEnded();
    else for (const connection of connections) connection.onView(view);
  }

  /** At most one read is under way. A change during a read causes one more read after it. */
  async function refresh(): Promise<void> {
    hasChanged = true;
    if (isReading) return;
    isReading = true;
    while (hasChanged) {
      hasChanged = false;
      await read().catch((err: unknown) => logger.warn({ err }, 'a room cannot be read'));
    }
    isReading = false;
  }

  const onSignal = (payload: unknown) => {
    const { type } = readSignalPayload(payload) ?? {};
    if (type === 'changed' || type === 'ended') void refresh();
    if (type === 'chat' || type === 'still') for (const connection of [...connections]) connection.onNotice(type);
  };
  const addresses: SignalAddress[] = [`session:${sessionId}`, hostAddress(hostUserId), hostAddress(null)];
  const unsubscribes = addresses.map((address) => signalBus.subscribe(organizationId, address, onSignal));
  return {
    connections,
    refresh: () => void refresh(),
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
  };
}
