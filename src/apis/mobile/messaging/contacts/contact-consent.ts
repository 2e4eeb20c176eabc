import { listConsent, recordConsent } from '../../../../domain/messaging/contacts/contact-consent.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { ConsentList, ConsentRequest, ConsentResponse, consentParams, consentQuery, fromConsent } from './contact-consent.wire.ts';

export function contactConsentRoutes(endpoints: Endpoints): void {
  const { get, post } = endpoints.group({ tag: 'Contacts', beyondDocument: true });
  get('/contacts/:id/consent', {
    operationId: 'listConsent',
    summary: 'List the consent of a contact to texts',
    description: 'Each STOP and START from the contact’s mobile number and each entry by staff, newest first. The newest one applies.',
    params: consentParams,
    query: consentQuery,
    response: ConsentList,
    handle: async ({ tx, params, query, request }) => writePage(request, await listConsent(tx, params.id, query), fromConsent),
  });

  post('/contacts/:id/consent', {
    operationId: 'recordConsent',
    summary: 'Record a contact’s consent to texts, or its withdrawal',
    description:
      'For consent given in another way than by text, and to undo a misread STOP. Only the person can give consent; note how they did. The entry names you.',
    params: consentParams,
    body: ConsentRequest,
    response: ConsentResponse,
    status: 201,
    handle: async ({ tx, params, body }) => ({ data: fromConsent(await recordConsent(tx, params.id, body)) }),
  });
}
