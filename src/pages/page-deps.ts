import type { Config } from '../config/config.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import type { FileStore } from '../domain/files/stored-files.ts';
import type { BookingLimits } from '../domain/identity/limits/booking-limits.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Gateways } from '../gateways/gateways.ts';
import type { Limits } from '../http/requests/limits.ts';

export interface PageDeps {
  config: Config;
  keyring: Keyring;
  unitOfWork: UnitOfWork;
  limits: Limits;
  bookingLimits: BookingLimits;
  store: FileStore;
  gateways: Pick<Gateways, 'videoRooms'>;
  /** Milliseconds without progress after which an upload or download is aborted. */
  transferIdleMs: number;
}
