import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { findLinkPractice } from '../../practices/link-practice.ts';
import type { Tx } from '../../tx.ts';
import { greetingName } from '../../values/person-names.ts';
import { readAppointment } from '../appointment/appointment-reader.ts';
import { findProviderName } from '../appointment/provider-names.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { type Claim, type Claimant, HOLD_MINUTES, holdSlot } from '../booking/claims.ts';
import { END_OTHER_HOLDS } from '../free-time/slots.sql.ts';
import { showSlots } from '../free-time/slots.ts';
import { whereVisibleType } from '../types/appointment-types.ts';
import { type Choice, type ChoicePage, findOpenTime, listBookableTypes, type ShownTime } from './booking-choices.ts';
import { type BookingLink, bookAtLink, findAppointmentOfLink } from './booking-links.ts';
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
export async function openBookingPage(tx: Tx, key: SecretLinkKey): Promise<BookingPage | null> {
  const found = await findLink(tx, key);
  if (!found) return null;
  const { link, practice, reach } = found;
  const [visitId, offer, types, waiting] = await Promise.all([
    findAppointmentOfLink(tx, link),
    findOpenOffer(tx, link),
    listBookableTypes(tx, link),
    tx.prisma.waitlistEntry.findMany({ where: { ...tx.practice, patientId: link.patientId, status: 'waiting' }, select: { typeId: true } }),
  ]);
  recordReadWithPatients(tx, 'booking_link', { ids: [link.id], patientIds: [link.patientId] }, 'read');
  const shown = offer && { ...offer, ...(await showTime(tx, offer)) };
  return {
    practice,
    link,
    types,
    offer: shown,
    patientLanguage: reach.languageCode,
    patientName: greetingName({ ...reach, firstName: reach.nameToGuardian ?? reach.firstName }),
    isOver: link.expiresAt <= new Date() && visitId === null && offer === null,
    ...(await showBooked(tx, visitId)),
    waitsFor: waiting.map(({ typeId }) => typeId),
  };
}

async function findLink(tx: Tx, { organizationId, hash: linkHash }: SecretLinkKey) {
  const [link, practice] = await Promise.all([
    tx.prisma.bookingLink.findUnique({ where: { organizationId_linkHash: { organizationId, linkHash } } }),
    findLinkPractice(tx),
  ]);
  const reach = link ? await findPatientReach(tx, link.patientId) : undefined;
  return link?.revokedAt === null && practice && reach && !reach.gone && !reach.deceased ? { link, practice, reach } : null;
}

/** The link to change something at, locked until the transaction ends. @throws Failure not_found for one that opens nothing */
async function requireLink(tx: Tx, key: SecretLinkKey): Promise<BookingLink> {
  await tx.prisma
    .$queryRaw`SELECT FROM booking_link WHERE organization_id = ${key.organizationId} AND link_hash = ${key.hash} FOR NO KEY UPDATE`;
  const found = await findLink(tx, key);
  if (!found) throw notFound('link');
  return found.link;
}

const toClaimant = ({ id }: BookingLink): Claimant => ({ holder: `booking_link:${id}`, by: 'patient' });

async function findOpenOffer(tx: Tx, { id: linkId }: BookingLink) {
  const offer = await tx.prisma.slotOffer.findFirst({
    where: { ...tx.practice, linkId, state: 'open' },
    include: { entry: true },
  });
  return offer && isOpen(offer) ? { ...offer, typeId: offer.entry.typeId, officeId: null } : null;
}

async function showBooked(tx: Tx, id: number | null): Promise<Pick<BookingPage, 'visit' | 'isDeclined'>> {
  const found = id === null ? null : await readAppointment(tx, id);
  if (!found || found.startsAt === null) return { visit: null, isDeclined: false };
  const { startsAt, timeZone, office, type, providerId, confirmation } = found;
  const provider = providerId === null ? '' : await findProviderName(tx, providerId);
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

async function showTime(tx: Tx, { startsAt, timeZone, providerId, slotId, typeId }: Timed): Promise<ShownTime> {
  const [provider, slot, type] = await Promise.all([
    findProviderName(tx, providerId),
    tx.prisma.slot.findUnique({ where: tx.key(slotId), select: { office: true } }),
    tx.prisma.appointmentType.findFirst({ where: { id: typeId, ...whereVisibleType(tx) }, select: { name: true } }),
  ]);
  return { startsAt, timeZone, provider, office: slot?.office.patientDepartmentName || slot?.office.name || '', type: type?.name ?? '' };
}

/** Holds the time that somebody chose at a link, while they confirm it. @throws Failure conflict where it is taken */
export async function holdAtLink(tx: Tx, key: SecretLinkKey, choice: Choice): Promise<Claim> {
  const link = await requireLink(tx, key);
  requireInForce(link);
  return holdChoice(tx, link, choice);
}

/** The same at a link that is locked. */
export async function holdChoice(tx: Tx, link: BookingLink, choice: Choice): Promise<Claim> {
  const found = await findOpenTime(tx, link, choice);
  const [slot] = await showSlots(tx, found, found.times);
  if (!slot) throw conflict('slot_taken', 'The time is taken.');
  const claimant = toClaimant(link);
  // Another choice lets the first one go.
  tx.later(END_OTHER_HOLDS, [slot.id, claimant.holder]);
  return holdSlot(tx, slot.id, HOLD_MINUTES.usual, claimant);
}

/** The time that is held at a link, to be confirmed; null where the hold is over. */
export async function showHeld(tx: Tx, link: BookingLink, holdId: number): Promise<(ShownTime & { typeId: number }) | null> {
  const where = { ...tx.practice, id: holdId, holder: toClaimant(link).holder, appointmentId: null, expiresAt: { gt: new Date() } };
  const claim = await tx.prisma.slotClaim.findFirst({ where, include: { slot: { include: { office: { select: { timeZone: true } } } } } });
  if (!claim) return null;
  const { id: slotId, office, ...slot } = claim.slot;
  return { ...(await showTime(tx, { ...slot, ...office, slotId })), typeId: slot.typeId };
}

/** Books the held time, or moves the visit there. @throws Failure conflict for a hold that is over; as bookAtLink */
export async function confirmAtLink(tx: Tx, key: SecretLinkKey, holdId: number): Promise<void> {
  const link = await requireLink(tx, key);
  requireInForce(link);
  await bookAtLink(tx, link, holdId, toClaimant(link));
}

/** @throws Failure conflict for a link whose time is over */
function requireInForce({ expiresAt }: BookingLink): void {
  if (expiresAt <= new Date()) throw conflict('link_expired', 'The link has expired.');
}

/** Cancels the visit of a link; where it is gone already, nothing happens. */
export async function cancelAtLink(tx: Tx, key: SecretLinkKey): Promise<void> {
  const visit = await findAppointmentOfLink(tx, await requireLink(tx, key));
  if (visit !== null) await cancelAppointment(tx, visit);
}

/** Answers the offer of a link. @throws Failure conflict where it is over */
export async function answerAtLink(tx: Tx, key: SecretLinkKey, answer: 'Yes' | 'No'): Promise<void> {
  const link = await requireLink(tx, key);
  const where = { ...tx.practice, linkId: link.id };
  const offer = await tx.prisma.slotOffer.findFirst({ where, select: { id: true } });
  if (!offer) throw notFound('offer');
  await (answer === 'Yes' ? acceptOffer(tx, offer.id) : endOffer(tx, offer.id, 'declined'));
}

/** Puts the patient of a link on the waitlist for a type, once. @throws Failure not_found for a type that is not bookable there */
export async function waitAtLink(tx: Tx, key: SecretLinkKey, typeId: number): Promise<void> {
  const link = await requireLink(tx, key);
  requireInForce(link);
  const { patientId, providerIds, officeIds } = link;
  if (!(await listBookableTypes(tx, link)).some(({ id }) => id === typeId)) throw notFound('appointment type');
  if ((await tx.prisma.waitlistEntry.count({ where: { ...tx.practice, patientId, typeId, status: 'waiting' } })) > 0) return;
  const takeOnly = (ids: number[]) => (ids.length === 1 ? (ids[0] ?? null) : null);
  const wanted = {
    providerId: takeOnly(providerIds),
    officeId: takeOnly(officeIds),
    appointmentId: await findAppointmentOfLink(tx, link),
  };
  await addToWaitlist(tx, { ...USUAL, weekdays: [], ...wanted, patientId, typeId });
}
