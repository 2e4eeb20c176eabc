import { createTag, deleteTag, findTag, listTags, updateTag } from '../../../../domain/messaging/contacts/contact-tags.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  ContactTagCreate,
  ContactTagList,
  ContactTagResponse,
  ContactTagUpdate,
  contactTagParams,
  contactTagsQuery,
  fromTag,
  toTag,
  toTagSort,
} from './contact-tags.wire.ts';

export function contactTagRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Contacts' });
  get('/contact-tags', {
    operationId: 'listContactTags',
    summary: 'List contact tags',
    query: contactTagsQuery,
    response: ContactTagList,
    handle: async ({ tx, query, request }) => writePage(request, await listTags(tx, toTagSort(query), query), fromTag),
  });

  post('/contact-tags', {
    operationId: 'createContactTag',
    summary: 'Create a contact tag',
    description: 'Its name is unique in the practice; case and accents are ignored.',
    body: ContactTagCreate,
    response: ContactTagResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => ({ data: fromTag(await createTag(tx, { ...toTag(body), name: body.name })) }),
  });

  put('/contact-tags/:uuid', {
    operationId: 'updateContactTag',
    summary: 'Update a contact tag',
    description: 'Only the fields sent are changed.',
    params: contactTagParams,
    body: ContactTagUpdate,
    response: ContactTagResponse,
    etag: true,
    current: async ({ tx, params }) => ({ data: fromTag(await findTag(tx, params.uuid)) }),
    handle: async ({ tx, params, body }) => ({
      data: fromTag(await updateTag(tx, params.uuid, toTag(body))),
    }),
  });

  remove('/contact-tags/:uuid', {
    operationId: 'deleteContactTag',
    summary: 'Delete a contact tag',
    description: 'Also removes it from every contact.',
    params: contactTagParams,
    current: async ({ tx, params }) => ({ data: fromTag(await findTag(tx, params.uuid)) }),
    handle: ({ tx, params }) => deleteTag(tx, params.uuid),
  });
}
