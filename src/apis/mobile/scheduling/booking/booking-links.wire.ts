import { z } from 'zod';
import { BOOKING_LINK_DAYS, type BookingInvitation } from '../../../../domain/messaging/offers/booking-invitations.ts';
import type { MadeLink } from '../../../../domain/messaging/offers/booking-link-messages.ts';
import type { BookingLink } from '../../../../domain/scheduling/patient-booking/booking-links.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { id, instant, integerBetween, longId, optional, paging } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { listOrOne } from '../free-time/availability.wire.ts';

const DAY_MS = 86_400_000;
const MOST = 200;
const channels = z.enum(['text', 'email']);
const choice = (what: string) => optional(listOrOne(z.array(id()).max(MOST))).describe(`${what}; all by default`);

export const BookingLinkRequest = z
  .object({
    appointment_type_ids: choice('Types that may be booked'),
    provider_ids: choice('Providers who may be chosen'),
    office_ids: choice('Offices that may be chosen'),
    days: optional(integerBetween(1, BOOKING_LINK_DAYS.most)).describe(
      `Number of days that the link works; ${BOOKING_LINK_DAYS.usual} by default`,
    ),
    channel: optional(channels).describe('How to send the link; null if you pass it on yourself'),
  })
  .meta({ id: 'BookingLinkRequest' });

const BookingLinkShape = z
  .strictObject({
    uuid: z.int(),
    patient_id: z.int(),
    appointment_type_ids: z.array(z.int()).describe('Types that may be booked; empty for all'),
    provider_ids: z.array(z.int()).describe('Providers who may be chosen; empty for all'),
    office_ids: z.array(z.int()).describe('Offices that may be chosen; empty for all'),
    appointment_id: z.int().nullable().describe('The visit booked or moved with it; null if there is none'),
    channel: channels.nullable().describe('How it was sent; null if it was not'),
    expires_at: instant().describe('When it stops working'),
    created_at: instant(),
  })
  .meta({ id: 'BookingLink' });
const MadeBookingLink = BookingLinkShape.extend({ url: z.string().describe('Address of the page; it is not shown again') });

export const BookingLinkResponse = one(MadeBookingLink.meta({ id: 'MadeBookingLink' })).meta({ id: 'BookingLinkResponse' });
export const BookingLinkList = wrapList(BookingLinkShape).meta({ id: 'BookingLinkList' });

export const bookingLinkParams = z.object({ uuid: id().describe('Patient id') });
export const oneLinkParams = bookingLinkParams.extend({ link: longId().describe('Booking link id') });
export const bookingLinksQuery = z.object(paging);

/** Name on the wire of each field that an error may name. */
export const BOOKING_LINK_NAMES = { typeIds: 'appointment_type_ids', providerIds: 'provider_ids', officeIds: 'office_ids' } as const;

export const toInvitation = (patientId: number, request: z.output<typeof BookingLinkRequest>): BookingInvitation => ({
  patientId,
  typeIds: request.appointment_type_ids ?? [],
  providerIds: request.provider_ids ?? [],
  officeIds: request.office_ids ?? [],
  expiresAt: new Date(Date.now() + (request.days ?? BOOKING_LINK_DAYS.usual) * DAY_MS),
  channel: request.channel ?? null,
});

export const fromLink = (link: BookingLink): z.input<typeof BookingLinkShape> => ({
  uuid: link.id,
  patient_id: link.patientId,
  appointment_type_ids: link.typeIds,
  provider_ids: link.providerIds,
  office_ids: link.officeIds,
  appointment_id: link.appointmentId,
  channel: link.channel === null ? null : channels.parse(link.channel),
  expires_at: writeInstant(link.expiresAt),
  created_at: writeInstant(link.createdAt),
});

export const fromMadeLink = ({ link, url }: MadeLink) => ({ ...fromLink(link), url });
