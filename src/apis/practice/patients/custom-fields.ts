import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { listCustomFields, setCustomFields } from '../../../domain/patients/record/custom-fields.ts';
import { readPatientRecord } from '../../../domain/patients/record/record.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import {
  CustomFieldDefinition,
  CustomFieldsAnswer,
  CustomFieldsForm,
  customFieldsQuery,
  fromCustomFieldDefinition,
  toAnswers,
} from './custom-fields.wire.ts';
import { NO_SECTIONS, patientParams } from './patient.wire.ts';
import { customFieldShape, fromCustomField } from './record/patient-sections.wire.ts';

/** The fields that a practice keeps on its charts beside the usual. */
export function customFieldRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { get, put } = endpoints.group({ tag: 'Patients', beyondDocument: true });
  get('/customfields', {
    operationId: 'listCustomFields',
    summary: 'List the custom fields of the practice',
    description: 'Active fields, sorted by id.',
    response: z.array(CustomFieldDefinition),
    handle: async ({ tx }) => (await listCustomFields(tx)).filter(({ active }) => active).map(fromCustomFieldDefinition),
  });

  get('/patients/:patientId/customfields', {
    operationId: 'listPatientCustomFields',
    summary: 'List the custom fields of a patient',
    description: 'Fields with a value.',
    params: patientParams,
    query: customFieldsQuery,
    response: z.array(customFieldShape),
    handle: async ({ tx, params, query }) => {
      const request = { ...NO_SECTIONS, officeId: query.departmentid ?? null, customFields: true };
      const { customFields } = await readPatientRecord(tx, keyring, params.patientId, request);
      return (customFields ?? []).map(fromCustomField);
    },
  });

  put('/patients/:patientId/customfields', {
    operationId: 'updatePatientCustomFields',
    summary: 'Update custom fields of a patient',
    description: 'Fields not in the request stay unchanged.',
    params: patientParams,
    body: CustomFieldsForm,
    response: CustomFieldsAnswer,
    handle: async ({ tx, params, body }) => {
      const answers = toAnswers(body);
      await setCustomFields(tx, params.patientId, answers);
      return { success: true as const, updatedcount: answers.length, disallowedcount: 0 };
    },
  });
}
