import { z } from 'zod';
import { type PrivacyRestriction, RESTRICTION_KINDS } from '../../../domain/patients/restrictions/patient-restrictions.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { one, wrapList } from '../../../http/wire/envelopes.ts';
import { id, instant, optional, paging, text } from '../../../http/wire/wire-types.ts';

const kind = () =>
  z
    .enum(RESTRICTION_KINDS)
    .describe('record: the chart is restricted; blocked: the patient is blocked; portal: the patient may not have a portal account');

const RestrictionShape = z
  .strictObject({
    uuid: z.int().describe('Id of the restriction'),
    patient_uuid: z.int().describe('Patient of the chart'),
    kind: kind(),
    reason: z.string().nullable().describe('Reason as written by the privacy officer'),
    created_at: instant().describe('When it began'),
    ended_at: instant().nullable().describe('When it ended; null while it is in force'),
  })
  .meta({ id: 'PrivacyRestriction' });

export const RestrictionResponse = one(RestrictionShape).meta({ id: 'PrivacyRestrictionResponse' });
export const RestrictionList = wrapList(RestrictionShape).meta({ id: 'PrivacyRestrictionList' });

export const RestrictionRequest = z
  .object({ kind: kind(), reason: optional(text(500)).describe('Reason, kept on record') })
  .meta({ id: 'PrivacyRestrictionRequest' });

const patient = { uuid: id().describe('Patient id') };
export const patientParams = z.object(patient);
export const restrictionParams = z.object({ ...patient, restriction: id().describe('Id of the restriction') });
export const restrictionsQuery = z.object(paging);

export const fromRestriction = (restriction: PrivacyRestriction): z.input<typeof RestrictionShape> => ({
  uuid: restriction.id,
  patient_uuid: restriction.patientId,
  kind: restriction.kind,
  reason: restriction.reason,
  created_at: writeInstant(restriction.createdAt),
  ended_at: writeInstant(restriction.liftedAt),
});
