import { listOrder } from '../../../database/statements/list-order.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import type { PageStart } from '../../values/paging.ts';
import type { DateRange } from '../../values/time/date-range.ts';
import { selectToday } from '../../values/time/own-today.sql.ts';
import { BY_START_NAME } from '../lists/appointment-list-queries.sql.ts';

/** A kind of appointment by how far it is: open ones have no patient yet. */
export type BookedStage = 'booked' | 'open' | 'arrived' | 'completed' | 'ended';

/** Days on the appointments' own clocks, `YYYY-MM-DD`, both included; null where a side is open. */
export interface DayRange {
  from: string | null;
  to: string | null;
}

/** A search of dated appointments, of any practice's. A list that is null passes all. */
export interface BookedFilter {
  days: DayRange;
  /** Only those that have not begun before today on their own clock. */
  fromToday?: boolean;
  stages: readonly BookedStage[];
  officeIds: readonly number[] | null;
  providerIds: readonly number[] | null;
  /** With the other charts of the same person. */
  patientIds: readonly number[] | null;
  typeIds: readonly number[] | null;
  /** When they changed last. */
  modified: DateRange;
  /** When they were booked for their patient. */
  scheduled: DateRange;
}

const STAGES: Record<BookedStage, Prisma.Sql> = {
  booked: Prisma.sql`(a.status = 'scheduled' AND a.patient_id IS NOT NULL)`,
  open: Prisma.sql`(a.status = 'scheduled' AND a.patient_id IS NULL)`,
  arrived: Prisma.sql`a.status IN ('arrived', 'roomed', 'in_progress')`,
  completed: Prisma.sql`a.status IN ('checked_out', 'completed')`,
  ended: Prisma.sql`a.status IN ('cancelled', 'no_show')`,
};

const ORDER = listOrder(BY_START_NAME, [{ sql: 'a.starts_at' }, { sql: 'a.id' }]);

/** Appointments in the order of their start as positions, and how many there are on all pages. */
export const bookedPage = (
  scope: { organizationId: number; mayRestricted: boolean },
  filter: BookedFilter,
  { limit, offset, after: [at, id] }: PageStart,
): Prisma.Sql => Prisma.sql`
  SELECT ARRAY(SELECT ${Prisma.raw(ORDER.position)} ${selectFrom(scope, filter)}
                 ${at === undefined ? Prisma.empty : Prisma.sql`AND (a.starts_at, a.id) > (${at}::timestamptz, ${id}::bigint)`}
                ORDER BY ${Prisma.raw(ORDER.by)} LIMIT ${limit}::int OFFSET ${offset}::int) AS positions,
         (SELECT count(*) ${selectFrom(scope, filter)})::int AS total`;

function selectFrom(
  { organizationId, mayRestricted }: { organizationId: number; mayRestricted: boolean },
  filter: BookedFilter,
): Prisma.Sql {
  const { officeIds, providerIds, patientIds, typeIds, modified, scheduled, stages } = filter;
  const conditions = [
    Prisma.sql`a.organization_id = ${organizationId}::int AND a.local_start IS NOT NULL`,
    inStages(stages),
    ...onDays(filter.days),
    ...(filter.fromToday ? [FROM_TODAY] : []),
    ...whereAmong(Prisma.sql`a.office_id`, officeIds),
    ...whereAmong(Prisma.sql`a.provider_id`, providerIds),
    ...whereAmong(Prisma.sql`a.type_id`, typeIds),
    ...(patientIds === null ? [] : [ofPatients(organizationId, patientIds, mayRestricted)]),
    ...whereWithin(Prisma.sql`a.updated_at`, modified),
    ...whereWithin(Prisma.sql`coalesce(a.booked_at, a.created_at)`, scheduled),
  ];
  return Prisma.sql`FROM appointment a WHERE ${Prisma.join(conditions, ' AND ')}`;
}

/** No stage finds nothing. */
const inStages = (stages: readonly BookedStage[]): Prisma.Sql =>
  stages.length === 0
    ? Prisma.sql`false`
    : Prisma.sql`(${Prisma.join(
        stages.map((stage) => STAGES[stage]),
        ' OR ',
      )})`;

/** Beside the wall clock the instant, which has the index: no zone is further than 15 hours from UTC. */
function onDays({ from, to }: DayRange): Prisma.Sql[] {
  return [
    ...(from === null
      ? []
      : [
          Prisma.sql`a.local_start >= ${from}::date AND a.starts_at >= (${from}::date)::timestamp AT TIME ZONE 'UTC' - interval '15 hours'`,
        ]),
    ...(to === null
      ? []
      : [
          Prisma.sql`a.local_start < ${to}::date + 1 AND a.starts_at < (${to}::date + 1)::timestamp AT TIME ZONE 'UTC' + interval '15 hours'`,
        ]),
  ];
}

const FROM_TODAY = Prisma.sql`a.starts_at >= now() - interval '25 hours' AND a.local_start >= ${Prisma.raw(selectToday('a'))}`;

const whereAmong = (column: Prisma.Sql, ids: readonly number[] | null): Prisma.Sql[] =>
  ids === null ? [] : [Prisma.sql`${column} = ANY (${[...ids]}::int[])`];

const whereWithin = (column: Prisma.Sql, { from: since, before }: DateRange): Prisma.Sql[] => [
  ...(since === null ? [] : [Prisma.sql`${column} >= ${since}::timestamptz`]),
  ...(before === null ? [] : [Prisma.sql`${column} < ${before}::timestamptz`]),
];

/** A deleted chart, and a restricted one that the caller may not see, has no appointments here, and names no other of its person. */
const ofPatients = (organizationId: number, ids: readonly number[], mayRestricted: boolean): Prisma.Sql => Prisma.sql`
  a.patient_id = ANY (ARRAY(
    SELECT p.id FROM patient asked
      JOIN patient p ON p.organization_id = asked.organization_id
                    AND (p.id = coalesce(asked.enterprise_id, asked.id) OR p.enterprise_id = coalesce(asked.enterprise_id, asked.id))
     WHERE asked.organization_id = ${organizationId}::int AND asked.id = ANY (${[...ids]}::int[])
       AND asked.status <> 'deleted' AND (NOT asked.restricted OR ${mayRestricted}::boolean)
       AND p.status <> 'deleted' AND (NOT p.restricted OR ${mayRestricted}::boolean)))`;
