import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Gateways } from '../gateways/gateways.ts';
import type { Limits } from '../http/requests/limits.ts';
import type { SignalBus } from './bus/signal-bus.ts';
import type { SocketLimits } from './connections/browser-socket.ts';
import type { Heartbeat } from './connections/heartbeat.ts';
import type { RoomRegistry } from './room-registry.ts';

export interface RealtimeDeps {
  config: Config;
  database: Database;
  keyring: Keyring;
  unitOfWork: UnitOfWork;
  limits: Limits;
  gateways: Pick<Gateways, 'videoRooms'>;
  /** SOCKET_LIMITS unless given; tests give shorter ones. */
  socketLimits?: SocketLimits | undefined;
}

/** Services of a connection. All connections of a process share one signal bus, one room registry and one heartbeat. */
export interface ConnectionDeps extends RealtimeDeps {
  signalBus: SignalBus;
  roomRegistry: RoomRegistry;
  heartbeat: Heartbeat;
  socketLimits: SocketLimits;
}
