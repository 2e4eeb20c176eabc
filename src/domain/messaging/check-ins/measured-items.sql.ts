import { statement } from '../../../database/statements/statement.ts';

/** What a question or a device measures. */
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
