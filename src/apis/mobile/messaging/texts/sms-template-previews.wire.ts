import { z } from 'zod';
import type { CategoryInUse } from '../../../../domain/messaging/templates/categories.ts';
import { countSegments } from '../../../../domain/messaging/templates/sms-segments.ts';
import type { TemplatePreview } from '../../../../domain/messaging/templates/template-preview.ts';
import type { SmsTemplate } from '../../../../domain/messaging/templates/templates.ts';
import { LANGUAGES } from '../../../../domain/values/languages.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { instant, longId } from '../../../../http/wire/wire-types.ts';
import { one } from '../../shared.wire.ts';
import { encoding, fromTemplate, SmsTemplateShape } from './sms-templates.wire.ts';

const PreviewShape = z
  .strictObject({
    template: SmsTemplateShape,
    appointment: z
      .strictObject({
        uuid: z.int(),
        appointment_date: instant().nullable(),
        appointment_timezone: z.string(),
        patient_id: z.int().nullable(),
      })
      .nullable()
      .describe('The appointment used to render the wordings; null if there is no upcoming one'),
    variants: z
      .array(
        z.strictObject({
          language: z.string(),
          text: z.string().describe('The text as it would be sent'),
          missing: z.array(z.string()).describe('Placeholders without a value'),
          segments: z.int().describe('Number of segments'),
          encoding,
        }),
      )
      .describe('All wordings, starting with the template’s own body'),
  })
  .meta({ id: 'SmsTemplatePreview' });

export const TemplatePreviewResponse = one(PreviewShape).meta({ id: 'SmsTemplatePreviewResponse' });

export const previewQuery = z.object({
  appointment_id: alsoNamed(longId().optional(), ...filterNames('appointment')).describe(
    'Appointment id; by default the next appointment of the practice',
  ),
});

export function fromPreview(template: SmsTemplate, { appointment, renderings }: TemplatePreview): z.input<typeof PreviewShape> {
  return {
    template: fromTemplate(template),
    appointment: appointment && {
      uuid: appointment.id,
      appointment_date: appointment.startsAt === null ? null : writeInstant(new Date(appointment.startsAt)),
      appointment_timezone: appointment.timeZone,
      patient_id: appointment.patientId,
    },
    variants: renderings.map(({ language, text, missing, segments, encoding: needed }) => ({
      language,
      text,
      missing,
      segments,
      encoding: needed,
    })),
  };
}

const CategoryShape = z
  .strictObject({
    category: z.string(),
    description: z.string(),
    needs: z.array(z.string()).describe('Placeholders that an active template must have'),
    placeholders: z.array(z.string()).describe('Placeholders that can have a value'),
    tracks_response: z.int().describe('1 if an active template may ask for a yes or no'),
    active_template_id: z.int().nullable().describe('The template that is sent; null for the server’s own words'),
    default: z
      .array(z.strictObject({ language: z.string(), body: z.string(), segments: z.int(), encoding }))
      .describe('The server’s own words'),
  })
  .meta({ id: 'SmsTemplateCategory' });

export const CategoriesResponse = z
  .strictObject({ data: z.array(CategoryShape).describe('In a fixed order, on one page') })
  .meta({ id: 'SmsTemplateCategories' });

export const fromCategory = (category: CategoryInUse): z.input<typeof CategoryShape> => ({
  category: category.name,
  description: category.description,
  needs: [...category.needs],
  placeholders: [...category.values],
  tracks_response: Number(category.mayAsk),
  active_template_id: category.activeTemplateId,
  default: LANGUAGES.map((language) => ({ language, body: category.text[language], ...countSegments(category.text[language]) })),
});
