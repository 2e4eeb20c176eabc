import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import type { MonitoringService } from '../../../generated/prisma/client.ts';
import type { ItemKind } from '../../messaging/check-ins/usual-items.ts';

/** A program with its steps in order. Instants are ISO 8601 texts in UTC. */
export interface ProgramRow {
  id: number;
  name: string;
  description: string | null;
  /** As what it is billed. */
  service: MonitoringService;
  active: boolean;
  steps: { id: number; name: string; position: number }[];
  /** Number of listed patients who are enrolled now. */
  patients: number;
  created_at: string;
  updated_at: string;
}

/** Steps are numbered from 1. */
const PROGRAM_COLUMNS = `g.id, g.name, g.description, g.service, g.active,
  (SELECT coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'position', s.place) ORDER BY s.place), '[]')
     FROM (SELECT o.id, o.name, row_number() OVER (ORDER BY o.position) AS place
             FROM workflow_step o WHERE o.organization_id = $1 AND o.program_id = g.id) AS s) AS steps,
  (SELECT count(*)::int FROM program_patient e
     JOIN patient_name_key k ON k.organization_id = e.organization_id AND k.patient_id = e.patient_id AND k.ordinal = 1
    WHERE e.organization_id = $1 AND e.program_id = g.id AND e.removed_at IS NULL) AS patients,
  ${selectInstant('g.created_at')} AS created_at, ${selectInstant('g.updated_at')} AS updated_at`;

/** Sort orders of programs. Ties are ordered by id. */
const PROGRAM_ORDERS = { name: 'fold(g.name) COLLATE "C"', id: 'g.id', createdAt: 'g.created_at', updatedAt: 'g.updated_at' } as const;
export type ProgramOrder = keyof typeof PROGRAM_ORDERS;

/** A page of active programs. Values: organization, limit, offset. */
export function programPage(order: ProgramOrder, descending: boolean): Statement<ProgramRow> {
  const direction = descending ? 'DESC' : 'ASC';
  return statement(
    `program_page_${order}_${direction}`,
    `SELECT ${PROGRAM_COLUMNS} FROM program g WHERE g.organization_id = $1 AND g.active
      ORDER BY ${PROGRAM_ORDERS[order]} ${direction}, g.id ${direction} LIMIT $2 OFFSET $3`,
  );
}

/** Values: organization. */
export const PROGRAM_COUNT: Statement<{ total: number }> = statement(
  'program_count',
  'SELECT count(*)::int AS total FROM program WHERE organization_id = $1 AND active',
);

/** One program, active or ended. Values: organization, id. */
export const PROGRAM: Statement<ProgramRow> = statement(
  'program',
  `SELECT ${PROGRAM_COLUMNS} FROM program g WHERE g.organization_id = $1 AND g.id = $2`,
);

/** An item that can be measured, with its default target; null where an end is open. */
export interface ItemRow {
  id: number;
  name: string;
  unit: string | null;
  min_target: number | null;
  max_target: number | null;
  /** A value at or below it, or at or above the other, is a danger; null for no limit. */
  danger_min: number | null;
  danger_max: number | null;
  plausible_min: number | null;
  plausible_max: number | null;
  kind: ItemKind;
  created_at: string;
  updated_at: string;
}

/** Sort orders of items. Ties are ordered by id; items without a unit come last. */
const ITEM_ORDERS = {
  name: 'fold(i.name) COLLATE "C"',
  id: 'i.id',
  unit: 'i.unit COLLATE "C"',
  createdAt: 'i.created_at',
  updatedAt: 'i.updated_at',
} as const;
export type ItemOrder = keyof typeof ITEM_ORDERS;

/** A page of active items. Values: organization, limit, offset. */
export function itemPage(order: ItemOrder, descending: boolean): Statement<ItemRow> {
  const direction = descending ? 'DESC' : 'ASC';
  return statement(
    `item_page_${order}_${direction}`,
    `SELECT i.id, i.name, i.unit, i.min_target::float8 AS min_target, i.max_target::float8 AS max_target,
            i.danger_min::float8 AS danger_min, i.danger_max::float8 AS danger_max,
            i.plausible_min::float8 AS plausible_min, i.plausible_max::float8 AS plausible_max, i.kind::text AS kind,
            ${selectInstant('i.created_at')} AS created_at, ${selectInstant('i.updated_at')} AS updated_at
       FROM item i WHERE i.organization_id = $1 AND i.active
      ORDER BY ${ITEM_ORDERS[order]} ${direction} NULLS LAST, i.id ${direction} LIMIT $2 OFFSET $3`,
  );
}

/** Values: organization. */
export const ITEM_COUNT: Statement<{ total: number }> = statement(
  'item_count',
  'SELECT count(*)::int AS total FROM item WHERE organization_id = $1 AND active',
);
