import type { Logger } from 'pino';
import type { CallerIdentity } from '../domain/caller.ts';
import type { ParticipantMember } from '../domain/telehealth/room-tokens.ts';
import { type RoomView, viewRoom } from '../domain/telehealth/room-view.ts';
import { hostAddress, type SignalAddress } from '../domain/telehealth/signals.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { readHeard } from './protocol.ts';
import type { Exchange } from './signal-bus.ts';

/** A connection in a session, as the hall of that session on this process sees it. */
export interface Seat {
  identity: CallerIdentity;
  member: ParticipantMember;
  /** The host of the session, whose waiting rooms are shown too. */
  hostUserId: number;
  /** Shown the room each time that it changed. */
  show(view: RoomView): void;
  over(): void;
}

/** The sessions that have somebody on this process. Each is read once for all of them, whenever something changed. */
export interface Halls {
  /** @returns how to leave */
  sit(seat: Seat): () => void;
  /** Reads the room again for those who sit in it here. */
  refresh(organizationId: number, sessionId: number): void;
}

interface HallDeps {
  unitOfWork: UnitOfWork;
  exchange: Exchange;
  logger: Pick<Logger, 'warn'>;
}

export function createHalls(deps: HallDeps): Halls {
  const halls = new Map<string, Hall>();
  const keyOf = (organizationId: number, sessionId: number) => `${organizationId} ${sessionId}`;
  return {
    sit(seat) {
      const { organizationId, sessionId } = seat.member;
      const key = keyOf(organizationId, sessionId);
      const hall = halls.get(key) ?? openHall(deps, seat);
      halls.set(key, hall);
      hall.seats.add(seat);
      return () => {
        hall.seats.delete(seat);
        if (hall.seats.size > 0 || halls.get(key) !== hall) return;
        halls.delete(key);
        hall.close();
      };
    },
    refresh: (organizationId, sessionId) => halls.get(keyOf(organizationId, sessionId))?.refresh(),
  };
}

type Hall = ReturnType<typeof openHall>;

function openHall({ unitOfWork, exchange, logger }: HallDeps, { member: { organizationId, sessionId }, hostUserId }: Seat) {
  const seats = new Set<Seat>();
  let reading = false;
  let again = false;

  async function read(): Promise<void> {
    const hosts = [...seats].filter(({ member }) => member.role === 'host');
    const [reader = [...seats][0]] = hosts;
    if (!reader) return;
    const view = await unitOfWork.read(reader.identity, (db, caller) => viewRoom(db, caller, sessionId, hosts.length > 0));
    if (view === null || view.ended) for (const seat of [...seats]) seat.over();
    else for (const seat of seats) seat.show(view);
  }

  /** One reading at a time; what changes meanwhile is seen by the next. */
  async function refresh(): Promise<void> {
    again = true;
    if (reading) return;
    reading = true;
    while (again) {
      again = false;
      await read().catch((err: unknown) => logger.warn({ err }, 'a room cannot be read'));
    }
    reading = false;
  }

  const hear = (payload: unknown) => {
    const { type } = readHeard(payload) ?? {};
    if (type === 'changed' || type === 'ended') void refresh();
  };
  const addresses: SignalAddress[] = [`session:${sessionId}`, hostAddress(hostUserId), hostAddress(null)];
  const stops = addresses.map((address) => exchange.listen(organizationId, address, hear));
  return {
    seats,
    refresh: () => void refresh(),
    close: () => {
      for (const stop of stops) stop();
    },
  };
}
