import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import type { FreedTime } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { findProviderName } from '../../scheduling/appointment/provider-names.ts';
import { holdSlot } from '../../scheduling/booking/claims.ts';
import type { FreeTime } from '../../scheduling/free-time/free-time.ts';
import { type FoundTimes, showSlots } from '../../scheduling/free-time/slots.ts';
import { endOffer, holderOfOffer } from '../../scheduling/patient-booking/offers.ts';
import {
  type Candidate,
  hasAppointmentThen,
  listCandidates,
  suitableTime,
  timesIn,
} from '../../scheduling/patient-booking/suitable-times.ts';
import type { Tx } from '../../tx.ts';
import { isLanguage } from '../../values/languages.ts';
import type { RowKey } from '../../values/row-key.ts';
import type { LinkOptions } from '../check-ins/check-ins.ts';
import { REPLY_WORDS } from '../confirmations/confirmation-replies.ts';
import { nextId } from '../queue/next-ids.ts';
import { findTextFacts } from '../queue/queued-texts.ts';
import { shortAppointmentTime, timeOfDay } from '../templates/appointment-times.ts';
import type { WrittenFor } from '../templates/placeholder-values.ts';
import { leavesAt, wayTo } from '../visit-messages/telling.ts';
import { createBookingLink, sendBookingLink } from './booking-link-messages.ts';

const MINUTE_MS = 60_000;

/** Of all practices. */
export const findDueTimes = (db: Db, now: Date, most: number): Promise<RowKey[]> => db.$queryRaw<RowKey[]>`
  SELECT f.organization_id AS "organizationId", f.id::float8 AS id
    FROM freed_time f JOIN organization o ON o.id = f.organization_id AND o.active
   WHERE f.due_at <= ${now} ORDER BY f.due_at LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;

/**
 * Offers a freed time to the patients who wait, by rank: each free time in it to one of them, held until they answer. What nobody answered in
 * time is offered to the next one. All in one transaction, so that no time is offered twice, and a kill loses none.
 */
export async function offerFreedTime(tx: Tx, id: number, now: Date, links: LinkOptions): Promise<void> {
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`SELECT FROM freed_time WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`;
  const freed = await tx.prisma.freedTime.findUnique({ where: tx.key(id) });
  if (!freed) return;
  const open = await tx.prisma.slotOffer.findMany({ where: { organizationId, freedTimeId: id, state: 'open' }, orderBy: { id: 'asc' } });
  for (const offer of open) if (offer.expiresAt <= now) await endOffer(tx, offer.id, 'expired');
  const next = freed.endsAt <= now ? null : await offerByRank(tx, freed, now, links);
  if (next === null) await tx.prisma.freedTime.deleteMany({ where: { organizationId, id } });
  else await tx.prisma.freedTime.update({ where: tx.key(id), data: { dueAt: next }, select: { id: true } });
}

/** @returns when the time is to be looked at again; null where there is nobody left to ask, and nobody who may answer */
async function offerByRank(tx: Tx, freed: FreedTime, now: Date, links: LinkOptions): Promise<Date | null> {
  const { organizationId } = tx;
  const practice = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { timeZone: true, waitlistOfferMinutes: true },
  });
  const asked = new Set<number>();
  let wait: Date | null = null;
  let search = timesIn(tx, freed);
  for (const entry of await listCandidates(tx, freed, now, practice.timeZone)) {
    const found = await search(entry.typeId);
    const time = suitableTime(entry, found);
    if (time === null || (await hasAppointmentThen(tx, entry, time))) continue;
    // Their answer may be a No, and this time the one that they want.
    if (entry.isAsked || asked.has(entry.patientId)) {
      wait = chooseEarlier(wait, new Date(now.getTime() + MINUTE_MS));
      continue;
    }
    const outcome = await offerTo(tx, { entry, time, found, freed, now, minutes: practice.waitlistOfferMinutes }, links);
    if (outcome === 'unreachable') continue;
    wait = chooseEarlier(wait, outcome.until);
    // The night of a patient is waited for, so that nobody of a lower rank is asked before them.
    if (outcome.kind === 'quiet') break;
    asked.add(entry.patientId);
    search = timesIn(tx, freed);
  }
  // Held for those who are asked, or by others, who may let it go.
  const [busyFrom, busyUntil] = [{ lt: freed.endsAt }, { gt: freed.startsAt }];
  const { _min: first } = await tx.prisma.slotClaim.aggregate({
    where: { organizationId, providerId: freed.providerId, appointmentId: null, expiresAt: { gt: now }, busyFrom, busyUntil },
    _min: { expiresAt: true },
  });
  return first.expiresAt === null ? wait : chooseEarlier(wait, first.expiresAt);
}

const chooseEarlier = (one: Date | null, other: Date): Date => (one !== null && one < other ? one : other);

interface Match {
  entry: Candidate;
  time: FreeTime;
  found: FoundTimes;
  freed: FreedTime;
  now: Date;
  minutes: number;
}

/** Holds a time for a patient and asks them, unless they cannot be asked now. */
async function offerTo(tx: Tx, match: Match, links: LinkOptions): Promise<'unreachable' | { kind: 'asked' | 'quiet'; until: Date }> {
  const { entry, time, found, now, minutes } = match;
  const { patientId } = entry;
  const facts = await findTextFacts(tx, { patientId });
  const person = await findPatientReach(tx, patientId);
  const way = person && wayTo(facts, person, readChannel(entry.channel));
  if (!person || !way || 'reason' in way) return 'unreachable';
  if (await isNumberAsked(tx, facts.mobilePhone)) return { kind: 'asked', until: new Date(now.getTime() + MINUTE_MS) };
  const leaves = leavesAt(facts, now);
  const lead = (found.type?.leadMinutes ?? 0) + minutes;
  if (leaves > now) return leaves.getTime() + lead * MINUTE_MS < time.start ? { kind: 'quiet', until: leaves } : 'unreachable';
  const held = await holdForPatient(tx, match, links);
  const provider = await findProviderName(tx, time.providerId);
  const values = ({ tag, patientZone }: WrittenFor) => ({
    visit: REPLY_WORDS[isLanguage(tag) ? tag : 'en'].label({
      time: shortAppointmentTime(held.startsAt, held.timeZone, tag, patientZone),
      provider,
      person: null,
    }),
    expires: timeOfDay(held.expiresAt, person.zone, tag),
  });
  await sendBookingLink(tx, held.made, { category: 'waitlist-offer', ...way, facts, person, values, automatic: true }, links);
  return { kind: 'asked', until: held.expiresAt };
}

/** Stores an offer with its hold and its link. @throws Failure conflict where the slot was taken a moment ago */
async function holdForPatient(tx: Tx, { entry, time, found, freed, now, minutes }: Match, links: LinkOptions) {
  const { patientId, typeId, appointmentId } = entry;
  const [slot] = await showSlots(tx, found, [time]);
  if (!slot) throw new Error('a free time got no id');
  const { timeZone, id: slotId, providerId } = slot;
  const id = await nextId(tx.prisma, 'slot_offer');
  const length = Math.min(minutes, (time.start - Date.now()) / MINUTE_MS);
  const { id: holdId, expiresAt } = await holdSlot(tx, slotId, length, holderOfOffer(id));
  const [startsAt, endsAt] = [new Date(time.start), new Date(time.end)];
  const offered = { patientId, typeIds: [typeId], providerIds: [], officeIds: [], appointmentId, expiresAt: startsAt };
  const made = await createBookingLink(tx, offered, links);
  const held = { startsAt, endsAt, timeZone, expiresAt: expiresAt ?? now };
  const of = { entryId: entry.id, patientId, freedTimeId: freed.id, linkId: made.link.id };
  await tx.prisma.slotOffer.create({ data: { ...tx.practice, id, ...of, ...held, holdId, slotId, providerId }, select: { id: true } });
  recordChange(tx, 'create', { name: 'slot_offer.made', id }, [patientId]);
  return { ...held, made };
}

const readChannel = (channel: string | null) => (channel === 'text' || channel === 'email' ? channel : undefined);

/** Whether a number was asked about another time, for whomever: a Yes would not say which one is meant. */
async function isNumberAsked(tx: Tx, toNumber: string | null): Promise<boolean> {
  if (toNumber === null) return false;
  return (await tx.prisma.slotOffer.count({ where: { ...tx.practice, state: 'open', link: { text: { toNumber } } } })) > 0;
}
