import { z } from 'zod';
import { invalid } from '../../../../domain/errors.ts';
import { readCategory } from '../../../../domain/messaging/templates/categories.ts';
import { PLACEHOLDERS, placeholdersIn, renderTemplate } from '../../../../domain/messaging/templates/placeholders.ts';
import { MAX_TEXT_LENGTH } from '../../../../domain/messaging/templates/sms-segments.ts';
import type { RenderContext, RenderedTemplate } from '../../../../domain/messaging/templates/template-values.ts';
import {
  ALL_PLACEHOLDERS,
  placeholdersLacking,
  requireKnownPlaceholders,
  type Wording,
} from '../../../../domain/messaging/templates/template-wordings.ts';
import type { SmsTemplate, TemplateFilter, TemplateInput } from '../../../../domain/messaging/templates/templates.ts';
import { readLanguageTag } from '../../../../domain/values/languages.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { bit, id, ignoredId, instant, longId, multilineText, optional, paging, text } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

/** More languages than any practice writes in. */
const MAX_VARIANTS = 40;

export const encoding = z
  .enum(['GSM-7', 'UCS-2'])
  .describe('UCS-2 if a character is not in GSM-7; a segment then holds less than half as many');

const countsOfWording = {
  placeholders: z.array(z.string()).describe('Placeholders that need a value'),
  segments: z.int().describe('Segments of the body before placeholders are filled in; a text has at least as many'),
  encoding,
};

const SmsTemplateVariantShape = z
  .strictObject({
    language: z.string(),
    body: z.string(),
    ...countsOfWording,
    lacks: z.array(z.string()).describe('Placeholders of the template’s own body that this wording lacks'),
  })
  .meta({ id: 'SmsTemplateVariant' });

export const SmsTemplateShape = z
  .strictObject({
    uuid: z.int(),
    category: z.string(),
    name: z.string(),
    body: z.string(),
    tracks_response: z.int().describe('1 for a text that asks for a yes or no and whose reply is tracked, else 0'),
    active: z.int().describe('1 for the one template of its category that is in use, else 0'),
    ...countsOfWording,
    language: z.string().describe('Language of the body: the primary subtag of BCP 47, such as en or es'),
    variants: z
      .array(SmsTemplateVariantShape)
      .describe('The wording in other languages. A patient gets the chart’s language, otherwise the practice’s, otherwise the body'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'SmsTemplate' });

export const SmsTemplateResponse = one(SmsTemplateShape).meta({ id: 'SmsTemplateResponse' });
export const SmsTemplateList = wrapList(SmsTemplateShape).meta({ id: 'SmsTemplateList' });

export const RenderedSmsShape = z
  .strictObject({
    template: SmsTemplateShape,
    text: z.string().describe('The text as it would be sent, without placeholders that have no value'),
    language: z.string().describe('Language of the wording that was rendered'),
    missing: z.array(z.string()).describe('Placeholders without a value; a text with one is not sent'),
    segments: z.int().describe('Number of segments, which determine its cost'),
    encoding,
  })
  .meta({ id: 'RenderedSms' });

export const RenderedSmsResponse = one(RenderedSmsShape).meta({ id: 'RenderedSmsResponse' });

const category = () => text(60).min(1).transform(readCategory);

const languageTag = () =>
  text(35)
    .min(1)
    .transform((written, context) => {
      const tag = readLanguageTag(written);
      if (tag !== null) return tag;
      context.addIssue({ code: 'custom', message: 'must be a language such as en, es or vi', params: { code: 'unknown_language' } });
      return z.NEVER;
    })
    .meta({ pattern: '^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$' });

const body = () =>
  multilineText(MAX_TEXT_LENGTH)
    .min(1)
    .transform((written) => written.replaceAll(/\r\n?/g, '\n'))
    .describe(
      `May contain, in any case: ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}. Categories that the server sends automatically have more`,
    );

const variants = z.array(z.object({ language: languageTag(), body: body() }).meta({ id: 'SmsTemplateVariantInput' })).max(MAX_VARIANTS);

const described = {
  language: optional(languageTag()).describe('Language of the body, as ISO 639 or BCP 47 code; the practice’s by default'),
  variants: optional(variants).describe(
    'All wordings in other languages, each with the links of the body; those that are not listed are deleted',
  ),
  tracks_response: optional(bit()).describe('1 or 0; 0 by default'),
  active: optional(bit()).describe('1 or 0; 0 by default. An active template replaces the active one of its category'),
};

export const SmsTemplateCreate = withChecks(
  z
    .object({
      uuid: ignoredId('Ignored: set by the server'),
      category: category(),
      name: text(200).min(1),
      body: body(),
      ...described,
    })
    .meta({ id: 'SmsTemplateCreate' }),
  { besideOthers: { body: (written) => requireKnownPlaceholders(written, 'body', ALL_PLACEHOLDERS) } },
);

export const SmsTemplateUpdate = withChecks(
  z
    .object({
      uuid: ignoredId('Ignored: the template is named in the path'),
      category: category().optional(),
      name: text(200).min(1).optional(),
      body: body().optional(),
      ...described,
    })
    .meta({ id: 'SmsTemplateUpdate' }),
  { besideOthers: { body: (written) => requireKnownPlaceholders(written, 'body', ALL_PLACEHOLDERS) } },
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
  language: languageTag().optional().describe('Language to render instead of the patient’s'),
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

export const toRenderContext = ({
  appointment_id: appointmentId,
  patient_id: patientId,
  language,
}: z.output<typeof renderQuery>): RenderContext & { language?: string | undefined } => ({ appointmentId, patientId, language });

/** Null sets a field to its default. */
export function toTemplate(request: z.output<typeof SmsTemplateUpdate>): TemplateInput {
  const { category: ofCategory, name, body: words, language, variants: others, tracks_response: tracks, active } = request;
  return {
    category: ofCategory,
    name,
    body: words,
    language: language ?? undefined,
    variants: others === null ? [] : others,
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
  if (named === null) throw invalid('uuid', 'is missing: name the template in the query or in the body', 'missing');
  if (sent !== undefined && sent !== null && sent !== named) throw invalid('uuid', 'differs between the query and the body', 'ambiguous');
  return named;
}

const fromWording = ({ body: words, language }: Wording, asks: boolean) => {
  const { segments, encoding: needed } = renderTemplate(words, {}, { asks, tag: language });
  return { language, body: words, placeholders: placeholdersIn(words).known, segments, encoding: needed };
};

export function fromTemplate(template: SmsTemplate): z.input<typeof SmsTemplateShape> {
  const { tracksResponse } = template;
  return {
    uuid: template.id,
    category: template.category,
    name: template.name,
    tracks_response: Number(tracksResponse),
    active: Number(template.active),
    ...fromWording(template, tracksResponse),
    variants: template.variants.map((one) => ({ ...fromWording(one, tracksResponse), lacks: placeholdersLacking(one, template) })),
    created_at: writeInstant(template.createdAt),
    updated_at: writeInstant(template.updatedAt),
  };
}

export function fromRendered(
  template: SmsTemplate,
  { text: words, language, missing, segments, encoding: needed }: RenderedTemplate,
): z.input<typeof RenderedSmsShape> {
  return { template: fromTemplate(template), text: words, language, missing, segments, encoding: needed };
}
