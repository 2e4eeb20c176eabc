import { findTaggedContactId, listTagLinks, tagContact, untagContact } from '../../../../domain/messaging/contacts/contact-tag-links.ts';
import { readContact } from '../../../../domain/messaging/contacts/contacts.ts';
import { preparedForIn } from '../../../../domain/patients/restrictions/opened-charts.sql.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromTagLink,
  TagLinkList,
  TagLinkRequest,
  TagLinkResponse,
  taggedParams,
  tagLinkParams,
  tagLinksQuery,
  toTagged,
  toTagLinkSearch,
} from './contact-tag-links.wire.ts';
import { showContact } from './contacts.wire.ts';

export function contactTagLinkRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Contacts' });
  get('/contact-contact-tags', {
    operationId: 'listContactContactTags',
    summary: 'List which contacts have which tags',
    query: tagLinksQuery,
    response: TagLinkList,
    handle: async ({ prepared, caller, query, request }) =>
      writePage(request, await listTagLinks(prepared, caller, toTagLinkSearch(query), query), fromTagLink),
  });

  post('/contact-contact-tags/:uuid', {
    operationId: 'createContactContactTag',
    summary: 'Add a tag to a contact',
    description: 'The path names the contact. If the contact already has the tag, the existing link is returned.',
    params: taggedParams,
    body: TagLinkRequest,
    response: TagLinkResponse,
    status: 201,
    current: async ({ db, caller, params }) =>
      showContact(preparedForIn(db, caller), caller, await readContact(preparedForIn(db, caller), caller, params.uuid)),
    handle: async ({ db, caller, params, body }) => {
      const { contactId, tagId } = toTagged(params, body);
      return { data: fromTagLink(await tagContact(db, caller, contactId, tagId)) };
    },
  });

  remove('/contact-contact-tags/:uuid', {
    operationId: 'deleteContactContactTag',
    summary: 'Remove a tag from a contact',
    description: 'The path names the link, not the contact.',
    params: tagLinkParams,
    current: async ({ db, caller, params }) => {
      const contactId = await findTaggedContactId(db, caller, params.uuid);
      return showContact(preparedForIn(db, caller), caller, await readContact(preparedForIn(db, caller), caller, contactId));
    },
    handle: ({ db, caller, params }) => untagContact(db, caller, params.uuid),
  });
}
