import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { inviteToBook } from '../../../../domain/messaging/offers/booking-invitations.ts';
import { listBookingLinks, revokeBookingLink } from '../../../../domain/messaging/offers/issued-booking-links.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { writePage } from '../../shared.wire.ts';
import {
  BookingLinkList,
  BookingLinkRequest,
  BookingLinkResponse,
  bookingLinkParams,
  bookingLinksQuery,
  fromLink,
  fromMadeLink,
  oneLinkParams,
  toInvitation,
} from './booking-links.wire.ts';

export function bookingLinkRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { get, post, remove } = endpoints.group({ tag: 'Slots', beyondDocument: true });
  get('/patients/:uuid/booking-links', {
    operationId: 'listBookingLinks',
    summary: 'List the booking links of a patient',
    description: 'Newest first, without revoked ones. Includes links sent with offers and after a decline.',
    params: bookingLinkParams,
    query: bookingLinksQuery,
    response: BookingLinkList,
    handle: async ({ tx, params, query, request }) => writePage(request, await listBookingLinks(tx, params.uuid, query), fromLink),
  });

  post('/patients/:uuid/booking-links', {
    operationId: 'createBookingLink',
    summary: 'Create a booking link for a patient',
    description: 'On the page of the link, the patient books one visit from the free times open to patients, and can move or cancel it.',
    params: bookingLinkParams,
    body: BookingLinkRequest,
    bodyOptional: true,
    response: BookingLinkResponse,
    status: 201,
    handle: async ({ tx, params, body, request }) => ({
      data: fromMadeLink(await inviteToBook(tx, toInvitation(params.uuid, body), { keyring, origin: readOrigin(request) })),
    }),
  });

  remove('/patients/:uuid/booking-links/:link', {
    operationId: 'revokeBookingLink',
    summary: 'Revoke a booking link',
    description: 'The link stops working. A visit booked with it is kept; a time offered with it is offered to the next patient.',
    params: oneLinkParams,
    handle: ({ tx, params }) => revokeBookingLink(tx, params.uuid, params.link),
  });
}
