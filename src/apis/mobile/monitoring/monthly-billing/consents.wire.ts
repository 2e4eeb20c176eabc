import { z } from 'zod';
import {
  CONSENT_WAYS,
  checkConsentTime,
  type MonitoringConsent,
  type NewConsent,
} from '../../../../domain/monitoring/monthly-billing/consents.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { flag, id, instant, moment, multilineText, optional, paging, text } from '../../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { one, wrapList } from '../../shared.wire.ts';

const MonitoringConsentShape = z
  .strictObject({
    uuid: z.int(),
    patient_uuid: z.int(),
    given_at: instant().describe('When it was given or revoked'),
    revoked: z.boolean().describe('True: the patient wants no more monitoring from that day on'),
    how: z.enum(CONSENT_WAYS),
    by: z.string().describe('“patient”, or the name of a representative'),
    note: z.string().nullable(),
    recorded_by: PersonShape.nullable().describe('User who recorded it'),
    recorded_at: instant(),
  })
  .meta({ id: 'MonitoringConsent' });

export const MonitoringConsentResponse = one(MonitoringConsentShape).meta({ id: 'MonitoringConsentResponse' });
export const MonitoringConsentList = wrapList(MonitoringConsentShape).meta({ id: 'MonitoringConsentList' });

export const NewMonitoringConsentRequest = withChecks(
  z
    .object({
      given_at: optional(moment(40)).describe(
        'ISO 8601; values without an offset are in the organization’s time zone. The current time by default; never in the future',
      ),
      how: z.enum(CONSENT_WAYS).describe('How the consent was given or revoked'),
      by: optional(text(200)).describe('Name of a representative; the patient by default'),
      note: optional(multilineText(1_000)),
      revoked: optional(flag()).describe('True: the consent is revoked; false by default'),
    })
    .meta({ id: 'MonitoringConsentCreate' }),
  { besideOthers: { given_at: checkConsentTime } },
);

export const consentParams = z.object({ patient: id().describe('Patient id') });
export const consentsQuery = z.object(paging);

export const toConsent = ({ given_at: givenAt, how, by, note, revoked }: z.output<typeof NewMonitoringConsentRequest>): NewConsent => ({
  how,
  note: note ?? null,
  revoked: revoked ?? false,
  givenAt: givenAt ?? undefined,
  by: by ?? undefined,
});

export const fromConsent = (consent: MonitoringConsent): z.input<typeof MonitoringConsentShape> => ({
  uuid: consent.id,
  patient_uuid: consent.patientId,
  given_at: writeInstant(consent.givenAt),
  revoked: consent.revoked,
  how: z.enum(CONSENT_WAYS).parse(consent.how),
  by: consent.givenBy,
  note: consent.note,
  recorded_by: consent.recordedBy && fromPerson(consent.recordedBy),
  recorded_at: writeInstant(consent.recordedAt),
});
