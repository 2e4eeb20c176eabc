import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { findLinkPractice } from '../../practices/link-practice.ts';
import { greetingName } from '../../values/person-names.ts';
import { readAppointment } from '../appointment/appointment-reader.ts';
import { findProviderName } from '../appointment/provider-names.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { type Claim, type Claimant, HOLD_MINUTES, holdSlot } from '../booking/claims.ts';
import { END_OTHER_HOLDS } from '../free-time/slots.sql.ts';
import { showSlots } from '../free-time/slots.ts';
import { whereVisibleType } from '../types/appointment-types.ts';
import { type Choice, type ChoicePage, findOpenTime, listBookableTypes, type ShownTime } from './booking-choices.ts';
import { type BookingLink, bookAtLink, findVisitOfLink } from './booking-links.ts';
import { acceptOffer, endOffer, isOpen } from './offers.ts';
import { addToWaitlist, USUAL } from './waitlist.ts';

export interface BookingPage extends ChoicePage {
  patientLanguage: string | null;
  link: BookingLink;
  /** Nothing can be booked any more. */
  isOver: boolean;
  /** The time that is held for them to say Yes or No to. */
  offer: (ShownTime & { expiresAt: Date }) | null;
  /** They said that they cannot come then. */
  isDeclined: boolean;
}

/** Null for an unknown or revoked link, a closed practice, and where the patient has died or the chart was deleted. Audited as a read. */
export async function openBookingPage(db: Db, caller: Caller, key: SecretLinkKey): Promise<BookingPage | null> {
  const found = await findLink(db, caller, key);
  if (!found) return null;
  const { link, practice, reach } = found;
  const { organizationId } = caller;
  const [visitId, offer, types, waiting] = await Promise.all([
    findVisitOfLink(db, caller, link),
    findOpenOffer(db, caller, link),
    listBookableTypes(db, caller, link),
    db.waitlistEntry.findMany({ where: { organizationId, patientId: link.patientId, status: 'waiting' }, select: { typeId: true } }),
  ]);
  recordReadWithPatients(caller, 'booking_link', { ids: [link.id], patientIds: [link.patientId] }, 'read');
  const shown = offer && { ...offer, ...(await showTime(db, caller, offer)) };
  return {
    practice,
    link,
    types,
    offer: shown,
    patientLanguage: reach.languageCode,
    patientName: greetingName({ ...reach, firstName: reach.nameToGuardian ?? reach.firstName }),
    isOver: link.expiresAt <= new Date() && visitId === null && offer === null,
    ...(await showVisit(db, caller, visitId)),
    waitsFor: waiting.map(({ typeId }) => typeId),
  };
}

async function findLink(db: Db, caller: Caller, { organizationId, hash: linkHash }: SecretLinkKey) {
  const [link, practice] = await Promise.all([
    db.bookingLink.findUnique({ where: { organizationId_linkHash: { organizationId, linkHash } } }),
    findLinkPractice(db, { organizationId }),
  ]);
  const reach = link ? await findPatientReach(preparedIn(db), caller, link.patientId) : undefined;
  return link?.revokedAt === null && practice && reach && !reach.gone && !reach.deceased ? { link, practice, reach } : null;
}

/** The link to change something at, locked until the transaction ends. @throws Failure not_found for one that opens nothing */
async function requireLink(db: Db, caller: Caller, key: SecretLinkKey): Promise<BookingLink> {
  await db.$queryRaw`SELECT FROM booking_link WHERE organization_id = ${key.organizationId} AND link_hash = ${key.hash} FOR NO KEY UPDATE`;
  const found = await findLink(db, caller, key);
  if (!found) throw notFound('link');
  return found.link;
}

const toClaimant = ({ id }: BookingLink): Claimant => ({ holder: `booking_link:${id}`, by: 'patient' });

async function findOpenOffer(db: Db, { organizationId }: Caller, { id: linkId }: BookingLink) {
  const offer = await db.slotOffer.findFirst({ where: { organizationId, linkId, state: 'open' }, include: { entry: true } });
  return offer && isOpen(offer) ? { ...offer, typeId: offer.entry.typeId, officeId: null } : null;
}

async function showVisit(db: Db, caller: Caller, id: number | null): Promise<Pick<BookingPage, 'visit' | 'isDeclined'>> {
  const found = id === null ? null : await readAppointment(preparedIn(db), caller, id);
  if (!found || found.startsAt === null) return { visit: null, isDeclined: false };
  const { startsAt, timeZone, office, type, providerId, confirmation } = found;
  const provider = providerId === null ? '' : await findProviderName(db, caller, providerId);
  const place = { provider, office: office?.patientDepartmentName || office?.name || '', type: type?.name ?? '' };
  return { visit: { startsAt: new Date(startsAt), timeZone, ...place }, isDeclined: confirmation === 'No' };
}

interface Timed {
  startsAt: Date;
  timeZone: string;
  providerId: number;
  slotId: number;
  typeId: number;
}

async function showTime(db: Db, caller: Caller, { startsAt, timeZone, providerId, slotId, typeId }: Timed): Promise<ShownTime> {
  const { organizationId } = caller;
  const [provider, slot, type] = await Promise.all([
    findProviderName(db, caller, providerId),
    db.slot.findUnique({ where: { organizationId_id: { organizationId, id: slotId } }, select: { office: true } }),
    db.appointmentType.findFirst({ where: { id: typeId, ...whereVisibleType(caller) }, select: { name: true } }),
  ]);
  return { startsAt, timeZone, provider, office: slot?.office.patientDepartmentName || slot?.office.name || '', type: type?.name ?? '' };
}

/** Holds the time that somebody chose at a link, while they confirm it. @throws Failure conflict where it is taken */
export async function holdAtLink(db: Db, caller: Caller, key: SecretLinkKey, choice: Choice): Promise<Claim> {
  const link = await requireLink(db, caller, key);
  requireInForce(link);
  return holdChoice(db, caller, link, choice);
}

/** The same at a link that is locked. */
export async function holdChoice(db: Db, caller: Caller, link: BookingLink, choice: Choice): Promise<Claim> {
  const found = await findOpenTime(db, caller, link, choice);
  const [slot] = await showSlots(preparedIn(db), caller, found, found.times);
  if (!slot) throw conflict('slot_taken', 'The time is taken.');
  const claimant = toClaimant(link);
  // Another choice lets the first one go.
  sendLater(db, END_OTHER_HOLDS, [caller.organizationId, slot.id, claimant.holder]);
  return holdSlot(db, caller, slot.id, HOLD_MINUTES.usual, claimant);
}

/** The time that is held at a link, to be confirmed; null where the hold is over. */
export async function showHeld(
  db: Db,
  caller: Caller,
  link: BookingLink,
  holdId: number,
): Promise<(ShownTime & { typeId: number }) | null> {
  const { organizationId } = caller;
  const where = { organizationId, id: holdId, holder: toClaimant(link).holder, appointmentId: null, expiresAt: { gt: new Date() } };
  const claim = await db.slotClaim.findFirst({ where, include: { slot: { include: { office: { select: { timeZone: true } } } } } });
  if (!claim) return null;
  const { id: slotId, office, ...slot } = claim.slot;
  return { ...(await showTime(db, caller, { ...slot, ...office, slotId })), typeId: slot.typeId };
}

/** Books the held time, or moves the visit there. @throws Failure conflict for a hold that is over; as bookAtLink */
export async function confirmAtLink(db: Db, caller: Caller, key: SecretLinkKey, holdId: number): Promise<void> {
  const link = await requireLink(db, caller, key);
  requireInForce(link);
  await bookAtLink(db, caller, link, holdId, toClaimant(link));
}

/** @throws Failure conflict for a link whose time is over */
function requireInForce({ expiresAt }: BookingLink): void {
  if (expiresAt <= new Date()) throw conflict('link_expired', 'The link has expired.');
}

/** Cancels the visit of a link; where it is gone already, nothing happens. */
export async function cancelAtLink(db: Db, caller: Caller, key: SecretLinkKey): Promise<void> {
  const visit = await findVisitOfLink(db, caller, await requireLink(db, caller, key));
  if (visit !== null) await cancelAppointment(db, caller, visit);
}

/** Answers the offer of a link. @throws Failure conflict where it is over */
export async function answerAtLink(db: Db, caller: Caller, key: SecretLinkKey, answer: 'Yes' | 'No'): Promise<void> {
  const link = await requireLink(db, caller, key);
  const where = { organizationId: caller.organizationId, linkId: link.id };
  const offer = await db.slotOffer.findFirst({ where, select: { id: true } });
  if (!offer) throw notFound('offer');
  await (answer === 'Yes' ? acceptOffer(db, caller, offer.id) : endOffer(db, caller, offer.id, 'declined'));
}

/** Puts the patient of a link on the waitlist for a type, once. @throws Failure not_found for a type that is not bookable there */
export async function waitAtLink(db: Db, caller: Caller, key: SecretLinkKey, typeId: number): Promise<void> {
  const link = await requireLink(db, caller, key);
  requireInForce(link);
  const { organizationId } = caller;
  const { patientId, providerIds, officeIds } = link;
  if (!(await listBookableTypes(db, caller, link)).some(({ id }) => id === typeId)) throw notFound('appointment type');
  if ((await db.waitlistEntry.count({ where: { organizationId, patientId, typeId, status: 'waiting' } })) > 0) return;
  const takeOnly = (ids: number[]) => (ids.length === 1 ? (ids[0] ?? null) : null);
  const wanted = {
    providerId: takeOnly(providerIds),
    officeId: takeOnly(officeIds),
    appointmentId: await findVisitOfLink(db, caller, link),
  };
  await addToWaitlist(db, caller, { ...USUAL, weekdays: [], ...wanted, patientId, typeId });
}
