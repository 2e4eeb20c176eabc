import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { FileStore } from '../../domain/files/stored-files.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import type { Gateways, Senders } from '../../gateways/gateways.ts';
import type { Outbox } from './queue.ts';

export interface JobDeps {
  config: Config;
  database: Database;
  keyring: Keyring;
  logger: Logger;
  gateways: Gateways;
  /** The ways in which texts and mails of a practice leave. */
  findSenders(organizationId: number): Promise<Senders>;
  store: FileStore;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
  /** The address that links in messages begin with. */
  origin: string;
}
