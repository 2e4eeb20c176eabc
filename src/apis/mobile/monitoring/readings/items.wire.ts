import { z } from 'zod';
import { ITEM_KINDS } from '../../../../domain/messaging/check-ins/usual-items.ts';
import type { CatalogueItem, ItemOrder } from '../../../../domain/monitoring/programs/items.ts';
import { instant, paging } from '../../../../http/wire/wire-types.ts';
import { sortBy, wrapList } from '../../shared.wire.ts';

export const ItemShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    unit: z.string().nullable(),
    loinc: z.string().nullable().describe('LOINC code that readings may use for the item; null for an unusual item'),
    min_target: z.number().nullable().describe('Default target range, both ends included; null if there is no limit'),
    max_target: z.number().nullable(),
    danger_min: z.number().nullable().describe('A value at or below it is a danger value; null if there is no limit'),
    danger_max: z.number().nullable().describe('A value at or above it is a danger value; null if there is no limit'),
    plausible_min: z
      .number()
      .nullable()
      .describe('Lowest plausible value; a lower one is refused from people and not counted from devices'),
    plausible_max: z.number().nullable().describe('Highest plausible value'),
    kind: z.enum(ITEM_KINDS).describe('Service that readings count for: RPM for physiologic ones, otherwise RTM of the kind'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'MonitoringItem' });

export const ItemList = wrapList(ItemShape).meta({ id: 'MonitoringItemList' });

const FIELDS = {
  name: 'name',
  title: 'name',
  unit: 'unit',
  uuid: 'id',
  id: 'id',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
} as const satisfies Record<string, ItemOrder>;

export const itemsQuery = z.object({ ...sortBy(FIELDS), ...paging });

export const toItemSort = ({ sort, order }: z.output<typeof itemsQuery>) => ({ order: sort, descending: order === 'DESC' });

export const fromItem = ({ id: uuid, ...item }: CatalogueItem): z.input<typeof ItemShape> => ({ uuid, ...item });
