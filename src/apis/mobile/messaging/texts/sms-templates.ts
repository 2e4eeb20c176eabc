import {
  createTemplate,
  deleteTemplate,
  findTemplate,
  findTrackingTemplate,
  listTemplates,
  renderWithContext,
  updateTemplate,
} from '../../../../domain/messaging/templates/templates.ts';
import type { Endpoints } from '../../../../http/declare-endpoints.ts';
import { NoContent, writePage } from '../../shared.wire.ts';
import {
  activationParams,
  fromRendered,
  fromTemplate,
  NewSmsTemplate,
  RenderedSmsResponse,
  removalQuery,
  renderQuery,
  SmsTemplateChange,
  SmsTemplateList,
  SmsTemplateRemoval,
  SmsTemplateResponse,
  templateParams,
  templatesQuery,
  toRemovedId,
  toRenderContext,
  toTemplate,
  toTemplateFilter,
} from './sms-templates.wire.ts';

/** Templates of texts. */
export function smsTemplateRoutes({ get, post, put, delete: remove }: Endpoints): void {
  get('/sms-message-template', {
    operationId: 'listSmsTemplates',
    summary: 'List templates of texts',
    description: 'By id.',
    tag: 'SMS templates',
    query: templatesQuery,
    response: SmsTemplateList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listTemplates(db, caller, toTemplateFilter(query), query), fromTemplate),
  });

  post('/sms-message-template', {
    operationId: 'createSmsTemplate',
    summary: 'Create a template of texts',
    description: 'A body with an unknown placeholder is refused, by its name. An active template takes the place of its category’s.',
    tag: 'SMS templates',
    roles: ['admin'],
    body: NewSmsTemplate,
    response: SmsTemplateResponse,
    status: 201,
    tagged: true,
    handle: async ({ db, caller, body }) => {
      const { category, name, body: text } = body;
      return { data: fromTemplate(await createTemplate(db, caller, { ...toTemplate(body), category, name, body: text })) };
    },
  });

  put('/sms-message-template/:uuid/', {
    operationId: 'updateSmsTemplate',
    summary: 'Update a template of texts',
    description: 'Only what is sent changes. Texts that were queued keep their words.',
    tag: 'SMS templates',
    roles: ['admin'],
    params: templateParams,
    body: SmsTemplateChange,
    response: SmsTemplateResponse,
    tagged: true,
    current: async ({ db, caller, params }) => ({ data: fromTemplate(await findTemplate(db, caller, params.uuid)) }),
    handle: async ({ db, caller, params, body }) => ({
      data: fromTemplate(await updateTemplate(db, caller, params.uuid, toTemplate(body))),
    }),
  });

  remove('/sms-message-template', {
    operationId: 'deleteSmsTemplate',
    summary: 'Delete a template of texts',
    description: 'The query or the body says which. Of an active one nothing takes the place.',
    tag: 'SMS templates',
    roles: ['admin'],
    query: removalQuery,
    body: SmsTemplateRemoval,
    bodyOptional: true,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, query, body }) => {
      await deleteTemplate(db, caller, toRemovedId(query, body));
      return null;
    },
  });

  post('/sms-message-template/category/activate/:template__uuid', {
    operationId: 'activateSmsTemplate',
    summary: 'Put a template in use',
    description: 'In the place of the one that is active in its category.',
    tag: 'SMS templates',
    roles: ['admin'],
    params: activationParams,
    response: SmsTemplateResponse,
    tagged: true,
    handle: async ({ db, caller, params }) => ({
      data: fromTemplate(await updateTemplate(db, caller, params.template__uuid, { active: true })),
    }),
  });

  get('/sms-message-template/:uuid/render', {
    operationId: 'renderSmsTemplate',
    summary: 'Show the text that a template makes',
    description: 'Nothing is sent.',
    tag: 'SMS templates',
    params: templateParams,
    query: renderQuery,
    response: RenderedSmsResponse,
    handle: async ({ db, caller, params, query }) => {
      const template = await findTemplate(db, caller, params.uuid);
      return { data: fromRendered(template, await renderWithContext(db, caller, template, toRenderContext(query))) };
    },
  });

  get('/sms-message-track-response-template/:uuid/render', {
    operationId: 'renderTrackingSmsTemplate',
    summary: 'Show the text that a template makes which asks for a yes or no',
    description: 'Nothing is sent. How to answer is added where the template does not say. 404 for a template that does not ask.',
    tag: 'SMS templates',
    params: templateParams,
    query: renderQuery,
    response: RenderedSmsResponse,
    handle: async ({ db, caller, params, query }) => {
      const template = await findTrackingTemplate(db, caller, params.uuid);
      return { data: fromRendered(template, await renderWithContext(db, caller, template, toRenderContext(query))) };
    },
  });
}
