import { NONE } from '../../../database/statements/no-id.ts';
import { statement } from '../../../database/statements/statement.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import type { Caution } from '../../journal.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import type { Tx } from '../../tx.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import { writeDay, writeLocal } from '../../values/time/time.ts';
import type { AppointmentOffice } from '../appointment/appointment-view.ts';
import type { BookedFields } from '../appointment/booking.sql.ts';
import { type TimetableRow, timetableColumns } from '../free-time/free-time.sql.ts';
import { type ClosedReason, findClosedReason } from '../free-time/opening-hours.ts';

const DETAILS: Readonly<Record<ClosedReason | 'patient_booked_twice' | 'provider_left' | 'no_email' | 'no_mobile_number', string>> = {
  holiday: 'The time is on a holiday of the practice.',
  office_closed: 'The office is closed at this time.',
  outside_hours: 'The time is outside of the provider’s hours.',
  patient_booked_twice: 'The patient has another visit on this day.',
  provider_left: 'The provider has left the practice.',
  no_email: 'The patient has no email address, so no mail tells them of the change.',
  no_mobile_number: 'The patient has neither a mobile number nor an email address, so no message tells them of the change.',
};

const caution = (code: keyof typeof DETAILS): Caution => ({ code, detail: DETAILS[code] });

type WarnedAppointment = Pick<BookedFields, 'providerId' | 'officeId' | 'patientId' | 'startsAt' | 'endsAt' | 'localStart' | 'status'>;

/** The facts by which a visit is unusual. */
interface WarningFacts extends Pick<TimetableRow, 'hours' | 'exceptions'> {
  /** The patient has another one on its day. */
  hasAnother: boolean;
  /** Its provider has left. */
  hasLeft: boolean;
}

/**
 * Values: organization, patient, midnight of the day on the clocks of the visit, visits that do not count, provider, times as timetableColumns
 * has them. Beside the wall clock the instant, which has the index: no zone is further than 15 hours from UTC.
 */
const WARNING_FACTS = statement<WarningFacts>(
  'visit_facts',
  `SELECT EXISTS (SELECT FROM appointment a
                   WHERE a.organization_id = $1 AND a.patient_id = $2 AND a.id <> ALL ($4::bigint[]) AND ${activeAppointment('a')}
                     AND a.local_start >= $3::timestamp AND a.local_start < $3::timestamp + interval '1 day'
                     AND a.starts_at >= $3::timestamp AT TIME ZONE 'UTC' - interval '15 hours'
                     AND a.starts_at < $3::timestamp AT TIME ZONE 'UTC' + interval '39 hours') AS "hasAnother",
          EXISTS (SELECT FROM provider v WHERE v.organization_id = $1 AND v.id = $5::int AND NOT v.active) AS "hasLeft",
          ${timetableColumns({ providers: 'ARRAY[$5::int]', offices: 'NULL', from: '$6', until: '$7' })}`,
);

const HOUR_MS = 3_600_000;

/**
 * Warns about a visit that is booked, or moves, at a time that somebody should look at. It is booked all the same.
 * @param own the visit, and one that it replaces
 * @param office of the visit
 */
export async function warnOfAppointment(
  tx: Tx,
  own: readonly number[],
  visit: WarnedAppointment,
  office: AppointmentOffice | null,
): Promise<void> {
  const { journal } = tx;
  const { providerId, officeId, patientId, startsAt, endsAt, localStart, status } = visit;
  if (startsAt === null || endsAt === null || localStart === null || status !== 'scheduled') return;
  const [from, until] = [startsAt.getTime(), endsAt.getTime()];
  // An hour that the clocks skip or repeat may be in it.
  const [earliest, latest] = [localStart.getTime() - HOUR_MS, localStart.getTime() + until - from + HOUR_MS].map((at) =>
    writeLocal(new Date(at)),
  );
  const visitAt = [patientId ?? NONE, writeDay(localStart), own, providerId ?? NONE, earliest, latest];
  const [facts] = await tx.rows(WARNING_FACTS, [...visitAt]);
  if (!facts) throw new Error('the facts of a visit are one row');
  const zones = new Map(office && [[office.id, office.timeZone]]);
  const closed = findClosedReason({ ...facts, zones }, { providerId, officeId, from, until });
  if (closed) journal.cautions.push(caution(closed));
  if (facts.hasAnother) journal.cautions.push(caution('patient_booked_twice'));
  if (facts.hasLeft) journal.cautions.push(caution('provider_left'));
}

/** Warns where a request asks that the patient hears of a change, and there is no address for it. */
export async function warnOfNotice(tx: Tx, notify: VisitChangeNotice | null | undefined, patientId: number | null) {
  if (!notify || notify === 'none' || patientId === null) return;
  const reach = await findPatientReach(tx, patientId);
  if (!reach || reach.email !== null) return;
  if (notify === 'email') tx.journal.cautions.push(caution('no_email'));
  else if (reach.mobilePhone === null) tx.journal.cautions.push(caution('no_mobile_number'));
}
