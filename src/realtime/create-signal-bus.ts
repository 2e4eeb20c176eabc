import type { Database } from '../database/database.ts';
import type { SignalServer } from '../gateways/signal-server.ts';
import { createPgSignalBus } from './pg-signal-bus.ts';
import { createServerSignalBus, type ServerBusDeps } from './server-signal-bus.ts';
import type { SignalBus } from './signal-bus.ts';

interface SignalBusDeps extends Omit<ServerBusDeps, 'signalServer'> {
  database: Database;
  /** Null where SIGNAL_URL names none. */
  signalServer: SignalServer | null;
}

export function createSignalBus({ signalServer, ...deps }: SignalBusDeps): SignalBus {
  return signalServer ? createServerSignalBus({ ...deps, signalServer }) : createPgSignalBus(deps.database, deps.logger);
}
