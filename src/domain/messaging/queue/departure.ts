import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { objectionIn, type SuppressionReason } from '../recipients/consent.ts';
import { endOfQuietHours } from '../recipients/quiet-hours.ts';
import type { TextFacts } from './queued-texts.sql.ts';

/** The fate of a text now. */
export type Departure =
  | { kind: 'leave'; to: string; from: string }
  /** For its time, or for the end of the quiet hours. */
  | { kind: 'wait'; until: Date }
  | { kind: 'suppress'; reason: SuppressionReason | 'number_changed' };

type WaitingText = Pick<
  SmsMessage,
  'patientId' | 'toNumber' | 'ownNumber' | 'toGuardian' | 'isReply' | 'urgent' | 'attempts' | 'queuedAt' | 'scheduledAt'
> & { fromNumber: string };

interface DepartureOptions {
  now: Date;
  /** For the sandbox: it leaves at any hour, and before its time. */
  ignoreQuietHours?: boolean;
}

/**
 * Decides whether a text may leave to its number now. Where its patient has another number since, it leaves to that one. It is suppressed
 * instead if the new number may not have it, or the former one may: a reply is for the phone that wrote, and an attempt may have arrived; and
 * if its words are for a guardian and the number is the patient's, or the other way round.
 */
export function decideDeparture(
  text: WaitingText,
  facts: Omit<TextFacts, 'id'>,
  { now, ignoreQuietHours = false }: DepartureOptions,
): Departure {
  const { isReply, attempts } = text;
  // Replies to keywords are always sent, also the one that confirms an opt-out; so are codes that somebody waits for.
  const needsConsent = !isReply || text.urgent;
  const objection = needsConsent && text.patientId !== null ? objectionIn(facts) : null;
  if (objection !== null) return { kind: 'suppress', reason: objection };
  const to = text.ownNumber ? facts.mobilePhone : text.toNumber;
  const hasMoved = to !== text.toNumber;
  const isForOther = text.ownNumber && text.toGuardian !== (facts.nameToGuardian !== null);
  if (to === null || isForOther || (hasMoved && (isReply || attempts > 0 || facts.ownStopped)))
    return { kind: 'suppress', reason: 'number_changed' };
  if (needsConsent && !hasMoved && facts.stopped) return { kind: 'suppress', reason: 'opted_out' };
  const at = text.scheduledAt !== null && text.queuedAt > now ? text.queuedAt : now;
  const end = isReply || text.urgent ? null : endOfQuietHours(at, facts.zone, facts);
  const until = end ?? at;
  if (until > now && !ignoreQuietHours) return { kind: 'wait', until };
  // The carrier may have a text that was attempted, and a reply keeps the number that was written to.
  return { kind: 'leave', to, from: isReply || attempts > 0 ? text.fromNumber : (facts.sender ?? text.fromNumber) };
}
