import type { Keyring } from '../../../database/encryption/keyring.ts';
import { inviteToBook } from '../../../domain/messaging/offers/booking-invitations.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { originOf } from '../../../http/wire/links.ts';
import { BookingLinkRequest, BookingLinkResponse, bookingLinkParams, fromMadeLink, toInvitation } from './booking-links.wire.ts';

/** Links at which patients book. */
export function bookingLinkRoutes({ post }: Endpoints, { keyring }: { keyring: Keyring }): void {
  post('/patients/:uuid/booking-links', {
    tag: 'Slots',
    beyondDocument: true,
    operationId: 'createBookingLink',
    summary: 'Create a link at which a patient books a visit',
    description: 'The page offers the free times that patients may book, and one visit is booked, moved and cancelled at it.',
    params: bookingLinkParams,
    body: BookingLinkRequest,
    bodyOptional: true,
    response: BookingLinkResponse,
    status: 201,
    handle: async ({ db, caller, params, body, request }) => ({
      data: fromMadeLink(await inviteToBook(db, caller, toInvitation(params.uuid, body), { keyring, origin: originOf(request) })),
    }),
  });
}
