import { Prisma } from '../../generated/prisma/client.ts';
import type { Held } from './legal-holds.ts';

/** Rows that one transaction looks at, so that none takes long. */
export const PAGE = 200;

/** A page of a table, in the order of ids: what it may delete, and where it begins. */
export interface Expiry {
  /** The instant before which rows are old. */
  before: Date;
  /** The id after which the page begins. */
  after: number;
  held: Held;
}

export interface PageRow {
  id: number;
  /** Whether it is older than it has to be kept. */
  old: boolean;
  /** Whether it is to be deleted: it is old, and nothing keeps it. */
  due: boolean;
  patientId: number | null;
}

/** The id after which the next page begins; null where no later row can be old, since ids rise with time. */
export const nextPage = (rows: readonly PageRow[]): number | null =>
  rows.length < PAGE || !rows.some(({ old }) => old) ? null : (rows.at(-1)?.id ?? null);

/** SQL: whether the patient of a row is nobody who is held. */
export const isFree = (column: Prisma.Sql, { charts }: Held): Prisma.Sql =>
  Prisma.sql`(${column} IS NULL OR ${column} <> ALL (${charts}::int[]))`;

/** SQL: whether a number is nobody's who is held. */
export const isFreeNumber = (column: Prisma.Sql, { numbers }: Held): Prisma.Sql =>
  Prisma.sql`(${column} IS NULL OR ${column} <> ALL (${numbers}::text[]))`;

/** SQL: whether no open conversation of the inbox has the record `m`. */
export const isInNoOpenItem = (organizationId: number, subjectType: 'text' | 'voice_pager_message'): Prisma.Sql => Prisma.sql`
  m.id NOT IN (SELECT e.subject_id FROM inbox_item i
                 JOIN inbox_entry e ON e.organization_id = i.organization_id AND e.inbox_item_id = i.id
                WHERE i.organization_id = ${organizationId} AND i.closed_at IS NULL AND e.subject_type = ${subjectType})`;
