import { type Placement, TABLES } from '../../generated/tables.ts';

export const DISTRIBUTED_BY = 'organization_id';

/** The place of every table in a database that is distributed by practice. */
export const PLACEMENTS: ReadonlyMap<string, Placement> = new Map([
  ['_prisma_migrations', 'local'],
  ...TABLES.map(({ name, placement }) => [name, placement] as const),
]);
