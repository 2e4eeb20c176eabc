import { findTaggedContactId, listTagLinks, tagContact, untagContact } from '../../../../domain/messaging/contacts/contact-tag-links.ts';
import { readContact } from '../../../../domain/messaging/contacts/contacts.ts';
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
    handle: async ({ tx, query, request }) => writePage(request, await listTagLinks(tx, toTagLinkSearch(query), query), fromTagLink),
  });

  post('/contact-contact-tags/:uuid', {
    operationId: 'createContactContactTag',
    summary: 'Add a tag to a contact',
    description: 'The path names the contact. If the contact already has the tag, the existing link is returned.',
    params: taggedParams,
    body: TagLinkRequest,
    response: TagLinkResponse,
    status: 201,
    current: async ({ tx, params }) => showContact(tx, await readContact(tx, params.uuid)),
    handle: async ({ tx, params, body }) => {
      const { contactId, tagId } = toTagged(params, body);
      return { data: fromTagLink(await tagContact(tx, contactId, tagId)) };
    },
  });

  remove('/contact-contact-tags/:uuid', {
    operationId: 'deleteContactContactTag',
    summary: 'Remove a tag from a contact',
    description: 'The path names the link, not the contact.',
    params: tagLinkParams,
    current: async ({ tx, params }) => {
      const contactId = await findTaggedContactId(tx, params.uuid);
      return showContact(tx, await readContact(tx, contactId));
    },
    handle: ({ tx, params }) => untagContact(tx, params.uuid),
  });
}
