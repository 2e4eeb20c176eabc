import { listContacts, readContact } from '../../../../domain/messaging/contacts/contacts.ts';
import type { Endpoints } from '../../../../http/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { contactTagLinkRoutes } from './contact-tag-links.ts';
import { contactTagRoutes } from './contact-tags.ts';
import {
  ContactList,
  ContactResponse,
  contactParams,
  contactsQuery,
  fromContact,
  toContactSearch,
  toContactSort,
} from './contacts.wire.ts';

/** Contacts and their tags. */
export function contactRoutes(endpoints: Endpoints): void {
  const { get } = endpoints;

  get('/contacts', {
    operationId: 'listContacts',
    summary: 'List or search contacts',
    description:
      'Every patient is one, and so is every number that called or wrote and is no patient’s. Deleted, restricted and blocked charts are never listed.',
    tag: 'Contacts',
    query: contactsQuery,
    response: ContactList,
    handle: async ({ prepared, caller, query, request }) =>
      writePage(request, await listContacts(prepared, caller, toContactSearch(query), toContactSort(query), query), fromContact),
  });

  get('/contacts/:id', {
    operationId: 'getContact',
    summary: 'Read a contact',
    description: 'A patient’s contact has the patient’s id.',
    tag: 'Contacts',
    params: contactParams,
    response: ContactResponse,
    etag: true,
    handle: async ({ prepared, caller, params }) => ({ data: fromContact(await readContact(prepared, caller, params.id)) }),
  });

  contactTagRoutes(endpoints);
  contactTagLinkRoutes(endpoints);
}
