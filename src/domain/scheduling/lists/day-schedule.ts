import { createHash } from 'node:crypto';
import { type Statement, statement } from '../../../database/statements/statement.ts';
import { organizationZone, todayAt } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readRange } from '../../values/time/date-range.ts';
import type { Appointment } from '../appointment/appointment-view.ts';
import { listAppointments } from './appointment-lists.ts';

export interface DaySchedule {
  /** Another one whenever an appointment of the day changes. */
  version: string;
  /** By start, without cancelled ones. Null where the caller has this version already. */
  appointments: Appointment[] | null;
  total: number;
}

/** Values: organization, from, before. */
const DAY_STATE: Statement<{ appointments: number; changed: number | null }> = statement(
  'schedule_day_state',
  `SELECT count(*)::int AS appointments, (extract(epoch FROM max(a.updated_at)) * 1000)::float8 AS changed FROM appointment a
    WHERE a.organization_id = $1 AND a.starts_at >= $2::timestamptz AND a.starts_at < $3::timestamptz`,
);

/** Appointments that are shown. */
const MOST = 200;

/** The schedule of today, by the clocks of the practice. Audited as a search, unless the caller has seen just this already. @param known its version */
export async function readDaySchedule(tx: Tx, known: string | null): Promise<DaySchedule> {
  const today = await todayAt(tx);
  const dates = { min: today, max: today, fields: { min: 'date', max: 'date' } };
  const { from, before } = await readRange(dates, () => organizationZone(tx));
  const [state] = await tx.rows(DAY_STATE, [from?.toISOString(), before?.toISOString()]);
  const version = createHash('sha256')
    .update(JSON.stringify([today, state]))
    .digest('base64url')
    .slice(0, 20);
  if (version === known) return { version, appointments: null, total: 0 };
  const { items, total } = await listAppointments(tx, { dates }, { page: 1, limit: MOST });
  return { version, appointments: items, total };
}
