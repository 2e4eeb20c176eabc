import type { PracticeTx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { TEXTING_FACTS, type TextingFacts } from './can-text.sql.ts';
import { objectionIn, type SuppressionReason } from './consent.ts';
import { endOfQuietHours } from './quiet-hours.ts';

/** Reasons for which no text goes, or for which it waits. Programs read them, so they are stable. */
export type CanTextReason = SuppressionReason | 'no_patient' | 'no_mobile_number' | 'no_number' | 'number_not_registered' | 'quiet_hours';

export interface CanText {
  /** A text is taken; in quiet hours it waits. */
  ok: boolean;
  reason: CanTextReason | null;
  /** The time at which a text of now would leave, where it waits. */
  until: Date | null;
}

/** Of nobody: an appointment without a patient, or with one whom the caller may not see. */
const NOBODY: CanText = { ok: false, reason: 'no_patient', until: null };

/** Finds whether texts would leave, by patient and by number; the rows of a page with one statement. */
export interface CanTextOf {
  patient: (id: number | null) => CanText;
  /** @param number E.164 */
  number: (number: string | null) => CanText;
}

/** @param sought.numbers of people without a chart */
export async function findCanText(
  tx: PracticeTx,
  { patientIds, numbers = [] }: { patientIds: readonly (number | null)[]; numbers?: readonly (string | null)[] },
  now = nowIn(tx.organizationId),
): Promise<CanTextOf> {
  const ids = [...new Set(patientIds)].filter((id) => id !== null);
  const rows =
    ids.length + numbers.length === 0 ? [] : await tx.rows(TEXTING_FACTS, [ids, [...new Set(numbers)].filter((number) => number !== null)]);
  const ends = new Map<string, Date | null>();
  // A page has few zones, and each end takes some computing.
  const endIn = ({ zone, start, end }: TextingFacts) => {
    const known = ends.get(zone);
    const until = known === undefined ? endOfQuietHours(now, zone, { start, end }) : known;
    ends.set(zone, until);
    return until;
  };
  const shown = rows.map((row) => ({ ...row, canText: toCanText(row, endIn) }));
  const byPatient = new Map(shown.map(({ patientId, canText }) => [patientId, canText]));
  const byNumber = new Map(shown.filter(({ patientId }) => patientId === null).map(({ number, canText }) => [number, canText]));
  return {
    patient: (id) => (id === null ? NOBODY : (byPatient.get(id) ?? NOBODY)),
    number: (number) => byNumber.get(number) ?? { ok: false, reason: 'no_mobile_number', until: null },
  };
}

function toCanText(facts: TextingFacts, endIn: (facts: TextingFacts) => Date | null): CanText {
  const reason = reasonIn(facts);
  if (reason !== null) return { ok: false, reason, until: null };
  const until = endIn(facts);
  return { ok: true, reason: until && 'quiet_hours', until };
}

/** In the order in which sending asks. */
function reasonIn({ number, stopped, practiceHasNumber, practiceMayText, ...chart }: TextingFacts): CanTextReason | null {
  const objection = objectionIn(chart);
  if (objection !== null) return objection;
  if (number === null) return 'no_mobile_number';
  if (stopped) return 'opted_out';
  if (!practiceHasNumber) return 'no_number';
  return practiceMayText ? null : 'number_not_registered';
}
