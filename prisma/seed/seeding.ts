import type { Faker } from '@faker-js/faker';
import type { Db } from '../../src/database/database.ts';
import type { Keyring } from '../../src/database/encryption/keyring.ts';
import type { PracticePlan } from './plan.ts';
import { createRandom } from './random.ts';
import type { Tenancy } from './tenancy.ts';

/** The work on one practice: what every area of the demo data is given. */
export interface Seeding extends Tenancy {
  tx: Db;
  now: Date;
  plan: PracticePlan;
  keyring: Keyring;
  /** A telephone number that is unused in this practice. */
  phone: () => string;
}

/** The random source of one area of one practice. */
export function areaRandom({ plan }: Seeding, area: string): Faker {
  return createRandom(`${plan.key}/${area}`);
}
