import { statement } from '../../../database/statements/statement.ts';

/** A kind of value that questions ask for and devices send. */
export interface MeasuredItem {
  id: number;
  name: string;
  unit: string | null;
  /** Bounds of plausible values that the practice has set; null for none of its own. */
  plausibleMin: number | null;
  plausibleMax: number | null;
}

/** Values: organization, ids of items. */
/** Values: organization. */
export const ACTIVE_ITEMS = statement<Pick<MeasuredItem, 'id' | 'name' | 'unit'>>(
  'active_items',
  'SELECT id, name, unit FROM item WHERE organization_id = $1 AND active ORDER BY id',
);

export const MEASURED_ITEMS = statement<MeasuredItem>(
  'measured_items',
  `SELECT id, name, unit, plausible_min::float8 AS "plausibleMin", plausible_max::float8 AS "plausibleMax"
     FROM item WHERE organization_id = $1 AND id = ANY ($2::int[])`,
);
