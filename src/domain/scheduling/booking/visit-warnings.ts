import type { Db } from '../../../database/database.ts';
import { NONE } from '../../../database/statements/no-id.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import type { Caution } from '../../journal.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { writeDay, writeLocal } from '../../values/time/time.ts';
import { type ClosedReason, findClosedReason } from '../free-time/opening-hours.ts';
import type { AppointmentOffice } from '../lists/appointment-view.ts';
import type { BookedFields } from './booking.sql.ts';
import { VISIT_FACTS } from './visit-warnings.sql.ts';

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

type Visit = Pick<BookedFields, 'providerId' | 'officeId' | 'patientId' | 'startsAt' | 'endsAt' | 'localStart' | 'status'>;

const HOUR_MS = 3_600_000;

/**
 * Warns about a visit that is booked, or moves, at a time that somebody should look at. It is booked all the same.
 * @param own the visit, and one that it replaces
 * @param office of the visit
 */
export async function warnOfVisit(
  db: Db,
  { organizationId, journal }: Caller,
  own: readonly number[],
  visit: Visit,
  office: AppointmentOffice | null,
): Promise<void> {
  const { providerId, officeId, patientId, startsAt, endsAt, localStart, status } = visit;
  if (startsAt === null || endsAt === null || localStart === null || status !== 'scheduled') return;
  const { rows } = preparedIn(db);
  const [from, until] = [startsAt.getTime(), endsAt.getTime()];
  // An hour that the clocks skip or repeat may be in it.
  const [earliest, latest] = [localStart.getTime() - HOUR_MS, localStart.getTime() + until - from + HOUR_MS].map((at) =>
    writeLocal(new Date(at)),
  );
  const visitAt = [patientId ?? NONE, writeDay(localStart), own, providerId ?? NONE, earliest, latest];
  const [facts] = await rows(VISIT_FACTS, [organizationId, ...visitAt]);
  if (!facts) throw new Error('the facts of a visit are one row');
  const zones = new Map(office && [[office.id, office.timeZone]]);
  const closed = findClosedReason({ ...facts, zones }, { providerId, officeId, from, until });
  if (closed) journal.cautions.push(caution(closed));
  if (facts.hasAnother) journal.cautions.push(caution('patient_booked_twice'));
  if (facts.hasLeft) journal.cautions.push(caution('provider_left'));
}

/** Warns where a request asks that the patient hears of a change, and there is no address for it. */
export async function warnOfNotice(db: Db, caller: Caller, notify: VisitChangeNotice | null | undefined, patientId: number | null) {
  if (!notify || notify === 'none' || patientId === null) return;
  const reach = await findPatientReach(preparedIn(db), caller, patientId);
  if (!reach || reach.email !== null) return;
  if (notify === 'email') caller.journal.cautions.push(caution('no_email'));
  else if (reach.mobilePhone === null) caller.journal.cautions.push(caution('no_mobile_number'));
}
