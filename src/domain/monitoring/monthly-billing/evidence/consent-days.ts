import { Temporal } from 'temporal-polyfill';
import { dayAt, writeDay } from '../../../values/time/time.ts';
import type { ConsentEvidence } from '../rules/evidence-types.ts';
import type { ConsentRow } from './evidence-rows.ts';

/** Days on which a consent holds, `2026-11-01`: from the day on which it was given to the one before its revocation. */
export interface ConsentDays {
  from: string;
  /** Day of the revocation, on which it holds no more. */
  before: string | null;
}

/** Each consent that was given, with the first revocation after it. @param rows of one patient, by time */
export function pairConsents(rows: readonly ConsentRow[]): ConsentEvidence[] {
  return rows.flatMap(({ patientId: _patientId, revoked, ...consent }, index) => {
    const revocation = rows.slice(index + 1).find((later) => later.revoked);
    if (revoked) return [];
    const {
      givenAt: revokedAt = null,
      recordedAt: revocationRecordedAt = null,
      recordedById: revocationRecordedById = null,
    } = revocation ?? {};
    return [{ ...consent, revokedAt, revocationRecordedAt, revocationRecordedById }];
  });
}

export const consentDays = (consents: readonly ConsentEvidence[], timeZone: string): ConsentDays[] =>
  consents.map(({ givenAt, revokedAt }) => ({
    from: writeDay(dayAt(givenAt, timeZone)),
    before: revokedAt && writeDay(dayAt(revokedAt, timeZone)),
  }));

/** The same days up to that of the patient's death. @param deceasedOn `2026-11-01` */
export function untilDeath(days: readonly ConsentDays[], deceasedOn: string | null): ConsentDays[] {
  const after = deceasedOn && Temporal.PlainDate.from(deceasedOn).add({ days: 1 }).toString();
  return days.map(({ from, before }) => ({ from, before: after !== null && (before === null || after < before) ? after : before }));
}

/** The reason for which a day does not count without consent; null where a consent held. @param day `2026-11-01` */
export function lackOfConsent(days: readonly ConsentDays[], day: string): string | null {
  if (days.some(({ from, before }) => from <= day && (before === null || day < before))) return null;
  if (days.length === 0) return 'no consent is on file';
  return days.some(({ from }) => from <= day) ? 'on or after the day on which the consent was revoked' : 'before the day of the consent';
}
