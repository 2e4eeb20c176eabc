import type { Tx } from '../tx.ts';
import {
  removeOldDrafts,
  removeOldMedia,
  removeOldMessageFiles,
  removeOldTextPictures,
  removeOldVoiceRecordings,
} from './expired-files.ts';
import { removeOldMails, removeOldTexts } from './expired-messages.ts';
import type { Expiry } from './expired-page.ts';
import { readHeld } from './legal-holds.ts';
import { type Ages, readRetentionPolicy } from './retention-policy.ts';

interface ExpiringKind {
  /** The rule of the practice that says when. */
  days: keyof Ages;
  remove(tx: Tx, expiry: Expiry): Promise<number | null>;
}

/** Readings, reviews, visits, consents and closed months are not among them: billing rests on these. */
const KINDS = {
  texts: { days: 'textDays', remove: removeOldTexts },
  mails: { days: 'textDays', remove: removeOldMails },
  pictures: { days: 'mediaDays', remove: removeOldMedia('image') },
  recordings: { days: 'mediaDays', remove: removeOldMedia('video') },
  textPictures: { days: 'mediaDays', remove: removeOldTextPictures },
  voiceRecordings: { days: 'mediaDays', remove: removeOldVoiceRecordings },
  messageFiles: { days: 'mediaDays', remove: removeOldMessageFiles },
  // After the others, whose files may be nobody's then.
  drafts: { days: 'draftDays', remove: removeOldDrafts },
} as const satisfies Record<string, ExpiringKind>;

export type Expiring = keyof typeof KINDS;

const isKind = (name: string): name is Expiring => Object.hasOwn(KINDS, name);

export const EXPIRING: readonly Expiring[] = Object.keys(KINDS).filter(isKind);

/** Key of the advisory lock with which one process at a time deletes for a practice; the value is arbitrary. */
const LOCK = 7_410_263;

const DAY_MS = 86_400_000;

/**
 * Deletes a page of what a practice keeps no longer, by its rules and holds of this moment.
 * @param after the id after which the page begins
 * @returns the id after which the next one does; null where this kind is done, or another process is at it
 */
export async function removeExpiredPage(tx: Tx, kind: Expiring, after: number): Promise<number | null> {
  const [lock] = await tx.prisma.$queryRaw<{ locked: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${LOCK}::int, ${tx.organizationId}::int) AS locked`;
  if (lock?.locked !== true) return null;
  const { days, remove } = KINDS[kind];
  const kept = (await readRetentionPolicy(tx))[days];
  const held = await readHeld(tx);
  if (kept === null || held.practice) return null;
  return remove(tx, { before: new Date(Date.now() - kept * DAY_MS), after, held });
}
