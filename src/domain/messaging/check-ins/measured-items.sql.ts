import { statement } from '../../../database/statements/statement.ts';

/** A kind of value that questions ask for and devices send. */
export interface MeasuredItem {
  id: number;
  name: string;
  unit: string | null;
}

/** Values: organization, ids of items. */
export const MEASURED_ITEMS = statement<MeasuredItem>(
  'measured_items',
  'SELECT id, name, unit FROM item WHERE organization_id = $1 AND id = ANY ($2::int[])',
);
