import { z } from 'zod';
import { type PrivacyItemKind, type PrivacyState, setPrivacyForms } from '../../../domain/patients/restrictions/patient-restrictions.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { birthDay, id, optional, text } from '../../../http/wire/wire-types.ts';
import { yesNo } from '../parameters.ts';
import { SUCCESS, Success } from './images.wire.ts';
import { patientParams } from './patient.wire.ts';
import { givenUsDay, usDayField } from './record/patient-form.wire.ts';

/** The day of a time `mm/dd/yyyy hh24:mi:ss`, or a day. */
const signedOn = () =>
  birthDay(
    z
      .string()
      .transform((sent) => sent.trim().replace(/ +\d{1,2}:\d{2}(:\d{2})?$/, ''))
      .pipe(givenUsDay())
      .meta({ pattern: '^\\d{1,2}/\\d{1,2}/\\d{4}( \\d{1,2}:\\d{2}(:\\d{2})?)?$' }),
  );

const PrivacyForm = z
  .object({
    departmentid: optional(id()).describe('Has no effect: the forms apply to the whole practice'),
    privacynotice: yesNo().describe('Whether the patient received the notice of privacy practices'),
    patientsignature: yesNo().describe('Whether the patient signed the release of billing information'),
    insuredsignature: yesNo().describe('Whether the insured signed the assignment of benefits'),
    expirationdate: usDayField(),
    signaturedatetime: optional(signedOn()).describe('mm/dd/yyyy hh24:mi:ss, or a day; today by default'),
    signaturename: optional(text(200)).describe('Not kept'),
    reasonpatientunabletosign: optional(text(500)).describe('Not kept'),
    signerrelationshiptopatientid: optional(id()).describe('Not kept'),
  })
  .meta({ id: 'PrivacyInformation' });
type PrivacyForm = z.output<typeof PrivacyForm>;

/** The privacy form that each field is about. */
const KINDS = [
  ['privacynotice', 'notice'],
  ['patientsignature', 'release'],
  ['insuredsignature', 'assignment'],
] as const satisfies readonly (readonly [keyof PrivacyForm, PrivacyItemKind])[];

const NOT_KEPT = ['signaturename', 'reasonpatientunabletosign', 'signerrelationshiptopatientid'] as const;

const listItemKinds = (form: PrivacyForm, verified: boolean): PrivacyItemKind[] =>
  KINDS.flatMap(([name, kind]) => (form[name] === verified ? [kind] : []));

export function privacyFormRoutes({ post }: Endpoints): void {
  post('/patients/:patientId/privacyinformationverified', {
    operationId: 'verifyPrivacyInformation',
    beyondDocument: true,
    summary: 'Verify privacy forms of a patient',
    description: 'Verifies the forms in the request, or all three if there are none. Others stay unchanged.',
    tag: 'Patients',
    params: patientParams,
    body: PrivacyForm,
    bodyOptional: true,
    ignored: (form) => NOT_KEPT.filter((name) => (form[name] ?? null) !== null),
    response: z.array(Success).describe('One entry'),
    handle: async ({ tx, params, body }) => {
      const [verified, missing] = [listItemKinds(body, true), listItemKinds(body, false)];
      const state: PrivacyState = { verified: true, verifiedOn: body.signaturedatetime ?? null, expiresOn: body.expirationdate ?? null };
      if (verified.length > 0 || missing.length === 0)
        await setPrivacyForms(tx, params.patientId, state, verified.length > 0 ? verified : undefined);
      if (missing.length > 0) await setPrivacyForms(tx, params.patientId, { verified: false }, missing);
      return [SUCCESS];
    },
  });
}
