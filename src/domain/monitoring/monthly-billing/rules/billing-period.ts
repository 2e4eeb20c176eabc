import { Temporal } from 'temporal-polyfill';
import type { MonitoringPeriod, MonitoringReadings } from '../../../../generated/prisma/client.ts';
import { invalid } from '../../../errors.ts';
import type { PracticeTx } from '../../../tx.ts';
import type { CptCodeRule } from './cpt-code-rules.ts';
import { rulesInForce } from './cpt-codes.ts';
import type { TimeSpan } from './review-minutes.ts';

/** Length of a supply period under the policy `thirty_days`. */
export const PERIOD_DAYS = 30;

/** A calendar month in the time zone of the practice, with the practice's policies. */
export interface BillingPeriod {
  /** `2026-11` */
  month: string;
  timeZone: string;
  /** The same month as instants. */
  span: TimeSpan;
  /** `2026-11-01` */
  firstDay: string;
  /** First day of the next month. */
  endDay: string;
  /** First day of the readings that may count: under `thirty_days`, that of a supply period which ends in the month. */
  readingsFrom: string;
  rules: CptCodeRule[];
  /** Readings that count towards the supply of a device. */
  readings: MonitoringReadings;
  /** Period of the supply of a device. Management goes by the calendar month always. */
  supplyPeriod: MonitoringPeriod;
  /** Null for a month that is open. */
  closed: MonthClosed | null;
}

/** The closing of a month, after which its rows are fixed. */
export interface MonthClosed {
  at: Date;
  by: { id: number; firstName: string; lastName: string };
  /** SHA-256 over the hashes of its rows, in hexadecimal. */
  hash: string;
  /** Number of patients. */
  rows: number;
  /** Holds that were left. */
  held: number;
}

/**
 * The period of a month. A closed month goes by the time zone and the policies by which it was closed.
 * @param written `2026-11`; the current month in the practice's time zone unless given. @throws Failure invalid
 */
export async function readBillingPeriod(tx: PracticeTx, written?: string): Promise<BillingPeriod> {
  const { organizationId } = tx;
  const present = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { timeZone: true, monitoringReadings: true, monitoringPeriod: true },
  });
  const first = readMonth(written ?? Temporal.Now.zonedDateTimeISO(present.timeZone).toPlainDate().toPlainYearMonth().toString());
  const closed = await tx.prisma.closedMonth.findUnique({
    where: { organizationId_month: { organizationId, month: first.toString().slice(0, 7) } },
    include: { closedBy: { select: { id: true, firstName: true, lastName: true } } },
  });
  const { timeZone, monitoringReadings: readings, monitoringPeriod: supplyPeriod } = present;
  if (!closed) return { ...createPeriod(first, { timeZone, readings, supplyPeriod }), closed: null };
  const { closedAt: at, closedBy: by, rowCount: rows, heldCount: held } = closed;
  return { ...createPeriod(first, closed), closed: { at, by, rows, held, hash: Buffer.from(closed.hash).toString('hex') } };
}

type Settings = Pick<BillingPeriod, 'timeZone' | 'readings' | 'supplyPeriod'>;

/** The period of an open month under given settings. @param month `2026-11` @throws Failure invalid */
export const createBillingPeriod = (month: string, { timeZone, readings, supplyPeriod }: Settings): BillingPeriod => ({
  ...createPeriod(readMonth(month), { timeZone, readings, supplyPeriod }),
  closed: null,
});

function createPeriod(first: Temporal.PlainDate, { timeZone, readings, supplyPeriod }: Settings): Omit<BillingPeriod, 'closed'> {
  const end = first.add({ months: 1 });
  const instant = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds;
  const firstDay = first.toString();
  const readingsFrom = supplyPeriod === 'thirty_days' ? first.subtract({ days: PERIOD_DAYS - 1 }) : first;
  return {
    month: firstDay.slice(0, 7),
    timeZone,
    span: { from: instant(first), before: instant(end) },
    firstDay,
    endDay: end.toString(),
    readingsFrom: readingsFrom.toString(),
    rules: rulesInForce(firstDay),
    readings,
    supplyPeriod,
  };
}

/** The first day of a month written `2026-11`. @throws Failure invalid */
export function readMonth(month: string): Temporal.PlainDate {
  const [, year, number] = /^((?:19|20|21)\d{2})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined) throw invalid('month', 'must be a month such as 2026-11', 'invalid_month');
  return Temporal.PlainDate.from({ year: Number(year), month: Number(number), day: 1 });
}
