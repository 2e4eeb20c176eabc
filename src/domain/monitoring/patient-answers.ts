import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { type AnswerResult, answerCheckIn, type StoredAnswers } from '../messaging/check-ins/check-in-page.ts';
import { findMainGroup, openInboxItem } from '../messaging/inbox/inbox.ts';
import type { SecretLinkKey } from '../security/secret-links.ts';
import { findCareTeam } from './care-team.ts';
import { type NewReading, storeReadings } from './readings.ts';
import { readTargets, severityOf } from './targets.ts';

/**
 * Stores a patient's answers, as answerCheckIn, and the measured values as readings. A value outside of its target waits in the inbox, of which the patient's care team is
 * notified too.
 * @param sent form values by question key
 * @returns null for an unknown link
 */
export async function receiveAnswers(
  db: Db,
  caller: Caller,
  link: SecretLinkKey,
  sent: Readonly<Record<string, string>>,
  now: Date,
): Promise<AnswerResult | null> {
  const result = await answerCheckIn(db, caller, link, sent, now);
  if (result?.outcome !== 'saved' || result.stored === null) return result;
  const { id, patientId } = result.stored;
  await storeReadings(db, caller, readingsOf(result.stored, now));
  if (!(await hasValueOutsideTarget(db, caller, id))) return result;
  await openInboxItem(db, caller, {
    kind: 'out_of_target',
    subject: { type: 'check_in', id },
    ...{ contactId: patientId, patientId },
    chatId: await findMainGroup(db, caller),
    alsoNotify: await findCareTeam(db, caller, patientId),
  });
  return result;
}

/** The measured values of a check-in. */
const readingsOf = ({ id: checkInId, patientId, answers, questions }: StoredAnswers, measuredAt: Date): NewReading[] =>
  questions.flatMap(({ question, item }) => {
    const value = answers[question.key];
    if (item === null || typeof value !== 'number') return [];
    return { patientId, itemId: item.id, value, measuredAt, source: 'self', deviceId: null, checkInId };
  });

async function hasValueOutsideTarget(db: Db, caller: Caller, checkInId: number): Promise<boolean> {
  const readings = await db.reading.findMany({
    where: { organizationId: caller.organizationId, checkInId },
    select: { patientId: true, itemId: true, value: true, measuredAt: true },
  });
  const targets = await readTargets(
    db,
    caller,
    readings.map(({ measuredAt: at, ...reading }) => ({ ...reading, at })),
  );
  return readings.some(({ value }, index) => {
    const target = targets[index];
    return target ? severityOf(target, value.toNumber()) !== null : false;
  });
}
