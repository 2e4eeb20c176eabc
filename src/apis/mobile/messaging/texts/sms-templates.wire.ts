import { z } from 'zod';
import { invalid } from '../../../../domain/errors.ts';
import { PLACEHOLDERS, placeholdersIn, type RenderedText, renderTemplate } from '../../../../domain/messaging/templates/placeholders.ts';
import {
  type RenderContext,
  requireKnownPlaceholders,
  type SmsTemplate,
  type TemplateFilter,
  type TemplateInput,
} from '../../../../domain/messaging/templates/templates.ts';
import { writeInstant } from '../../../../domain/values/time.ts';
import { withChecks } from '../../../../http/checked-shapes.ts';
import { alsoNamed, filterNames } from '../../../../http/query.ts';
import { bit, id, ignoredId, instant, longId, multilineText, optional, paging, text } from '../../../../http/wire-types.ts';
import { listOf, one } from '../../shared.wire.ts';

/** Characters; the limit of the largest carriers for one text. */
const MAX_BODY_LENGTH = 1_600;

const encoding = z
  .enum(['GSM-7', 'UCS-2'])
  .describe('UCS-2 where a character is not in GSM-7: then a segment holds less than half as many');

export const SmsTemplateShape = z
  .strictObject({
    uuid: z.int(),
    category: z.string(),
    name: z.string(),
    body: z.string(),
    tracks_response: z.int().describe('1 for a text that asks for a yes or no and whose reply is tracked, else 0'),
    active: z.int().describe('1 for the one template of its category that is in use, else 0'),
    placeholders: z.array(z.string()).describe('Placeholders that need a value'),
    segments: z.int().describe('Segments of the body itself, before placeholders are filled in; a text has at least as many'),
    encoding,
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'SmsTemplate' });

export const SmsTemplateResponse = one(SmsTemplateShape).meta({ id: 'SmsTemplateResponse' });
export const SmsTemplateList = listOf(SmsTemplateShape).meta({ id: 'SmsTemplateList' });

export const RenderedSmsShape = z
  .strictObject({
    template: SmsTemplateShape,
    text: z.string().describe('As it would be sent; placeholders without a value are left out'),
    missing: z.array(z.string()).describe('Placeholders without a value; a text that lacks one is not sent'),
    segments: z.int().describe('Segments that it is sent in, which determine its cost'),
    encoding,
  })
  .meta({ id: 'RenderedSms' });

export const RenderedSmsResponse = one(RenderedSmsShape).meta({ id: 'RenderedSmsResponse' });

/** Lower case, so that each category has one spelling. */
const category = () =>
  text(60)
    .min(1)
    .transform((written) => written.toLowerCase());

const body = () =>
  multilineText(MAX_BODY_LENGTH)
    .min(1)
    .transform((written) => written.replaceAll(/\r\n?/g, '\n'))
    .describe(`May name, in any case: ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}`);

const described = {
  tracks_response: optional(bit()).describe('1 or 0; 0 by default'),
  active: optional(bit()).describe('1 or 0; 0 by default. An active template replaces the active one of its category'),
};

export const SmsTemplateCreate = withChecks(
  z
    .object({
      uuid: ignoredId('Ignored: the server gives it'),
      category: category(),
      name: text(200).min(1),
      body: body(),
      ...described,
    })
    .meta({ id: 'SmsTemplateCreate' }),
  { besideOthers: { body: requireKnownPlaceholders } },
);

export const SmsTemplateUpdate = withChecks(
  z
    .object({
      uuid: ignoredId('Ignored: the path names the template'),
      category: category().optional(),
      name: text(200).min(1).optional(),
      body: body().optional(),
      ...described,
    })
    .meta({ id: 'SmsTemplateUpdate' }),
  { besideOthers: { body: requireKnownPlaceholders } },
);

export const SmsTemplateRemoval = z.object({ uuid: optional(id()).describe('Template id, unless the query has it') }).meta({
  id: 'SmsTemplateRemoval',
});

export const templateParams = z.object({ uuid: id().describe('Template id') });
export const activationParams = z.object({ template__uuid: id().describe('Template id') });
export const removalQuery = z.object({ uuid: id().optional().describe('Template id, unless the body has it') });
export const renderQuery = z.object({
  appointment_id: alsoNamed(longId().optional(), ...filterNames('appointment')).describe('Appointment id'),
  patient_id: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id; the appointment’s patient by default'),
});
export const templatesQuery = z.object({
  category: category().optional().describe('Only of this category'),
  active: bit().optional().describe('1 or 0'),
  ...paging,
});

export const toTemplateFilter = ({ category: ofCategory, active }: z.output<typeof templatesQuery>): TemplateFilter => ({
  category: ofCategory,
  active,
});

export const toRenderContext = ({ appointment_id: appointmentId, patient_id: patientId }: z.output<typeof renderQuery>): RenderContext => ({
  appointmentId,
  patientId,
});

/** Null sets a field to its default. */
export function toTemplate(request: z.output<typeof SmsTemplateUpdate>): TemplateInput {
  const { category: ofCategory, name, body: words, tracks_response: tracks, active } = request;
  return {
    category: ofCategory,
    name,
    body: words,
    tracksResponse: tracks === null ? false : tracks,
    active: active === null ? false : active,
  };
}

/**
 * The id of the template to delete, from the query or the body; the path has none.
 * @throws Failure invalid where both are missing or differ
 */
export function toRemovedId({ uuid: inQuery }: z.output<typeof removalQuery>, { uuid: sent }: z.output<typeof SmsTemplateRemoval>): number {
  const named = inQuery ?? sent ?? null;
  if (named === null) throw invalid('uuid', 'is missing: the query or the body says which template', 'missing');
  if (sent !== undefined && sent !== null && sent !== named) throw invalid('uuid', 'is another in the query than in the body', 'ambiguous');
  return named;
}

export function fromTemplate(template: SmsTemplate): z.input<typeof SmsTemplateShape> {
  const { segments, encoding: needed } = renderTemplate(template.body, {}, { asks: template.tracksResponse });
  return {
    uuid: template.id,
    category: template.category,
    name: template.name,
    body: template.body,
    tracks_response: Number(template.tracksResponse),
    active: Number(template.active),
    placeholders: placeholdersIn(template.body).known,
    segments,
    encoding: needed,
    created_at: writeInstant(template.createdAt),
    updated_at: writeInstant(template.updatedAt),
  };
}

export function fromRendered(
  template: SmsTemplate,
  { text: words, missing, segments, encoding: needed }: RenderedText,
): z.input<typeof RenderedSmsShape> {
  return {
    template: fromTemplate(template),
    text: words,
    missing,
    segments,
    encoding: needed,
  };
}
