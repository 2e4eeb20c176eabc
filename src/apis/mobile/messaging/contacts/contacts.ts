import { listContacts, readContact } from '../../../../domain/messaging/contacts/contacts.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { contactConsentRoutes } from './contact-consent.ts';
import { contactTagLinkRoutes } from './contact-tag-links.ts';
import { contactTagRoutes } from './contact-tags.ts';
import {
  ContactList,
  ContactResponse,
  contactParams,
  contactsQuery,
  findCanTextOfContacts,
  fromContact,
  showContact,
  toContactSearch,
  toContactSort,
} from './contacts.wire.ts';

export function contactRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Contacts' });

  get('/contacts', {
    operationId: 'listContacts',
    summary: 'List or search contacts',
    description:
      'Every patient is a contact, and so is every other number that called or wrote. Deleted, restricted and blocked charts are never listed.',
    query: contactsQuery,
    response: ContactList,
    handle: async ({ tx, query, request }) => {
      const contacts = await listContacts(tx, toContactSearch(query), toContactSort(query), query);
      const canText = await findCanTextOfContacts(tx, contacts.items);
      return writePage(request, contacts, (contact) => fromContact(contact, canText));
    },
  });

  get('/contacts/:id', {
    operationId: 'getContact',
    summary: 'Read a contact',
    description: 'A patient’s contact has the patient’s id.',
    params: contactParams,
    response: ContactResponse,
    etag: true,
    handle: async ({ tx, params }) => showContact(tx, await readContact(tx, params.id)),
  });

  contactConsentRoutes(endpoints);
  contactTagRoutes(endpoints);
  contactTagLinkRoutes(endpoints);
}
