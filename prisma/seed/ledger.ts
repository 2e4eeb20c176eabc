import { Temporal } from 'temporal-polyfill';
import { writeJournal } from '../../src/domain/audit/journal-entries.ts';
import { operator } from '../../src/domain/caller.ts';
import { emptyJournal } from '../../src/domain/journal.ts';
import { closeMonth } from '../../src/domain/monitoring/monthly-billing/closing/closing.ts';
import { isLate } from '../../src/domain/monitoring/reviews/review-start.ts';
import { txOf } from '../../src/domain/tx.ts';
import { later } from './dates.ts';
import type { Seeding } from './seeding.ts';

/** A review that is held; last month, closed by the admin; and a review of it that came afterwards. */
export async function seedLedger(seeding: Seeding): Promise<void> {
  const { tx, now, practice, organizationId, admin } = seeding;
  const month = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(practice.timeZone)
    .toPlainDate()
    .toPlainYearMonth()
    .subtract({ months: 1 });
  await seedReview(seeding, { sentBefore: later(now, -24 * 60), startedAt: later(now, -150), minutes: 75 });
  const caller = {
    ...operator(organizationId, 'demo data'),
    actor: `user:${admin.id}`,
    userId: admin.id,
    role: 'admin' as const,
    journal: emptyJournal(),
  };
  await closeMonth(txOf(tx, caller), { month: month.toString(), leaveHeld: true });
  await writeJournal(txOf(tx, { ...caller, journal: { ...caller.journal, events: [] } }));
  const noon = month.toPlainDate({ day: 25 }).toZonedDateTime({ timeZone: practice.timeZone, plainTime: '12:00' });
  const startedAt = new Date(noon.epochMilliseconds);
  await seedReview(seeding, { sentBefore: later(startedAt, -60), startedAt, minutes: 6 });
}

interface Work {
  /** The check-in was sent before. */
  sentBefore: Date;
  startedAt: Date;
  minutes: number;
}

/** A review by the practice's first member of staff of the newest check-in before it. */
async function seedReview({ tx, practice, organizationId, staff }: Seeding, { sentBefore, startedAt, minutes }: Work): Promise<void> {
  const [reviewer] = staff;
  const where = {
    organizationId,
    sentAt: { lt: sentBefore },
    answeredAt: { not: null },
    patient: { nameKeys: { some: { organizationId, ordinal: 1 } } },
  };
  const checkIn = await tx.checkIn.findFirst({ where, orderBy: [{ sentAt: 'desc' }, { id: 'desc' }] });
  if (!checkIn || !reviewer) return;
  const lateReason = isLate(startedAt, practice.timeZone) ? 'Noted on paper at the time.' : null;
  await tx.checkInReview.create({
    data: {
      organizationId,
      startedAt,
      minutes,
      lateReason,
      checkInId: checkIn.id,
      patientId: checkIn.patientId,
      userId: reviewer.id,
      liveContact: true,
      createdAt: later(startedAt, minutes),
    },
  });
}
