import { previewTemplate } from '../../../../domain/messaging/templates/template-preview.ts';
import { renderWithContext } from '../../../../domain/messaging/templates/template-values.ts';
import {
  createTemplate,
  deleteTemplate,
  findTemplate,
  findTrackingTemplate,
  listCategories,
  listTemplates,
  updateTemplate,
} from '../../../../domain/messaging/templates/templates.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { writePage } from '../../shared.wire.ts';
import { CategoriesResponse, fromCategory, fromPreview, previewQuery, TemplatePreviewResponse } from './sms-template-previews.wire.ts';
import {
  activationParams,
  fromRendered,
  fromTemplate,
  RenderedSmsResponse,
  removalQuery,
  renderQuery,
  SmsTemplateCreate,
  SmsTemplateList,
  SmsTemplateRemoval,
  SmsTemplateResponse,
  SmsTemplateUpdate,
  templateParams,
  templatesQuery,
  toRemovedId,
  toRenderContext,
  toTemplate,
  toTemplateFilter,
} from './sms-templates.wire.ts';

export function smsTemplateRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'SMS templates' });
  get('/sms-message-template', {
    operationId: 'listSmsTemplates',
    summary: 'List text templates',
    description: 'By id.',
    query: templatesQuery,
    response: SmsTemplateList,
    handle: async ({ tx, query, request }) => writePage(request, await listTemplates(tx, toTemplateFilter(query), query), fromTemplate),
  });

  get('/sms-message-template/categories', {
    operationId: 'listSmsTemplateCategories',
    beyondDocument: true,
    summary: 'List the template categories that the server sends automatically',
    description:
      'In each, the active template is sent in the patient’s language, otherwise the server’s own words. Categories with other names are the practice’s own; their templates are sent only when a request names them.',
    response: CategoriesResponse,
    handle: async ({ tx }) => ({ data: (await listCategories(tx)).map(fromCategory) }),
  });

  post('/sms-message-template', {
    operationId: 'createSmsTemplate',
    summary: 'Create a text template',
    description:
      'A body with an unknown placeholder is refused. An active template replaces the active one of its category; 422 if it lacks what the category needs, such as the link.',
    roles: ['admin'],
    body: SmsTemplateCreate,
    response: SmsTemplateResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => {
      const { category, name, body: text } = body;
      return { data: fromTemplate(await createTemplate(tx, { ...toTemplate(body), category, name, body: text })) };
    },
  });

  put('/sms-message-template/:uuid/', {
    operationId: 'updateSmsTemplate',
    summary: 'Update a text template',
    description: 'Only the fields sent are changed. Queued texts keep their body.',
    roles: ['admin'],
    params: templateParams,
    body: SmsTemplateUpdate,
    response: SmsTemplateResponse,
    etag: true,
    current: async ({ tx, params }) => ({ data: fromTemplate(await findTemplate(tx, params.uuid)) }),
    handle: async ({ tx, params, body }) => ({
      data: fromTemplate(await updateTemplate(tx, params.uuid, toTemplate(body))),
    }),
  });

  remove('/sms-message-template', {
    operationId: 'deleteSmsTemplate',
    summary: 'Delete a text template',
    description: 'Name it in the query or the body. If it was active, no other template takes its place.',
    roles: ['admin'],
    query: removalQuery,
    body: SmsTemplateRemoval,
    bodyOptional: true,
    current: async ({ tx, query, body }) => ({ data: fromTemplate(await findTemplate(tx, toRemovedId(query, body))) }),
    handle: ({ tx, query, body }) => deleteTemplate(tx, toRemovedId(query, body)),
  });

  post('/sms-message-template/category/activate/:template__uuid', {
    operationId: 'activateSmsTemplate',
    summary: 'Activate a template',
    description: 'It replaces the active one of its category. 422 if it lacks what the category needs, such as the link.',
    roles: ['admin'],
    params: activationParams,
    response: SmsTemplateResponse,
    etag: true,
    current: async ({ tx, params }) => ({ data: fromTemplate(await findTemplate(tx, params.template__uuid)) }),
    handle: async ({ tx, params }) => ({
      data: fromTemplate(await updateTemplate(tx, params.template__uuid, { active: true })),
    }),
  });

  get('/sms-message-template/:uuid/render', {
    operationId: 'renderSmsTemplate',
    summary: 'Render a template',
    description: 'Nothing is sent.',
    params: templateParams,
    query: renderQuery,
    response: RenderedSmsResponse,
    handle: async ({ tx, params, query }) => {
      const template = await findTemplate(tx, params.uuid);
      return { data: fromRendered(template, await renderWithContext(tx, template, toRenderContext(query))) };
    },
  });

  get('/sms-message-template/:uuid/preview', {
    operationId: 'previewSmsTemplate',
    beyondDocument: true,
    summary: 'Preview every wording of a template',
    description:
      'Uses an appointment of the practice, and examples for values that exist only when a text is sent, such as a link. Nothing is sent.',
    params: templateParams,
    query: previewQuery,
    response: TemplatePreviewResponse,
    handle: async ({ tx, params, query, request }) => {
      const template = await findTemplate(tx, params.uuid);
      const options = { appointmentId: query.appointment_id, origin: readOrigin(request) };
      return { data: fromPreview(template, await previewTemplate(tx, template, options)) };
    },
  });

  get('/sms-message-track-response-template/:uuid/render', {
    operationId: 'renderTrackingSmsTemplate',
    summary: 'Render a template that asks for a yes or no',
    description:
      'Nothing is sent. A reply instruction is added if the template has none. 404 for a template that does not ask for a reply.',
    params: templateParams,
    query: renderQuery,
    response: RenderedSmsResponse,
    handle: async ({ tx, params, query }) => {
      const template = await findTrackingTemplate(tx, params.uuid);
      return { data: fromRendered(template, await renderWithContext(tx, template, toRenderContext(query))) };
    },
  });
}
