import { z } from 'zod';
import type { FoundPatients, PatientQuery, SearchWindow } from '../../../domain/patients/search/search.ts';
import { id, optional, text } from '../../../http/wire/wire-types.ts';
import { pageLinkShapes, paging } from '../paging.ts';
import type { StringTypes } from '../string-types.wire.ts';
import { fromPatientRecord } from './patient-record.wire.ts';

/** The parameters of a patient search. An empty value counts as absent. */
export const searchShape = z.object({
  departmentid: optional(id()).describe('Primary department'),
  lastname: optional(text(200)).describe('Prefix of the last name, or of a word in it'),
  firstname: optional(text(200)).describe('Prefix of the first name'),
  ...paging,
  after: optional(id()).describe('Used by `next`: id of the last patient on the previous page'),
});

export const patientListShape = ({ patient }: StringTypes) =>
  z.strictObject({
    totalcount: z.int().describe('Number of patients in the whole list'),
    ...pageLinkShapes,
    patients: z.array(patient).describe('The patients of this page'),
  });

type PatientList = z.input<ReturnType<typeof patientListShape>>;
type Search = z.output<typeof searchShape>;

export const toPatientQuery = ({ departmentid, lastname, firstname }: Search): PatientQuery => ({
  lastName: lastname ?? null,
  firstName: firstname ?? null,
  officeId: departmentid ?? null,
});

export const toWindow = ({ limit, offset, after }: Search): SearchWindow => ({ limit, offset, after: after ?? null });

/** @param links the addresses of the pages around this one */
export function fromFoundPatients(
  types: StringTypes,
  { total, records }: FoundPatients,
  links: Pick<PatientList, 'next' | 'previous'>,
): PatientList {
  return { totalcount: total, ...links, patients: records.map((record) => types.write(fromPatientRecord(record))) };
}
