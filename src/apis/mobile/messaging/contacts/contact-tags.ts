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
    handle: async ({ prepared, caller, query, request }) =>
      writePage(request, await listTags(prepared, caller, toTagSort(query), query), fromTag),
  });

  post('/contact-tags', {
    operationId: 'createContactTag',
    summary: 'Create a contact tag',
    description: 'Its name is unique in the practice; case and accents are ignored.',
    body: ContactTagCreate,
    response: ContactTagResponse,
    status: 201,
    etag: true,
    handle: async ({ db, caller, body }) => ({ data: fromTag(await createTag(db, caller, { ...toTag(body), name: body.name })) }),
  });

  put('/contact-tags/:uuid', {
    operationId: 'updateContactTag',
    summary: 'Update a contact tag',
    description: 'Only the fields sent are changed.',
    params: contactTagParams,
    body: ContactTagUpdate,
    response: ContactTagResponse,
    etag: true,
    current: async ({ db, caller, params }) => ({ data: fromTag(await findTag(db, caller, params.uuid)) }),
    handle: async ({ db, caller, params, body }) => ({
      data: fromTag(await updateTag(db, caller, params.uuid, toTag(body))),
    }),
  });

  remove('/contact-tags/:uuid', {
    operationId: 'deleteContactTag',
    summary: 'Delete a contact tag',
    description: 'Also removes it from every contact.',
    params: contactTagParams,
    current: async ({ db, caller, params }) => ({ data: fromTag(await findTag(db, caller, params.uuid)) }),
    handle: ({ db, caller, params }) => deleteTag(db, caller, params.uuid),
  });
}
