import { z } from 'zod';
import type { FoundPatients, PatientQuery, SearchWindow } from '../../domain/patients/search.ts';
import { id, optional, text } from '../../http/wire-types.ts';
import { pageLinkShapes, paging } from './paging.ts';
import { fromPatientRecord, PatientShape } from './patient-record.wire.ts';

/** The parameters of a patient search. An empty value counts as absent. */
export const searchShape = z.object({
  departmentid: optional(id()).describe('Primary department'),
  lastname: optional(text(200)).describe('Prefix of the last name, or of a word in it'),
  firstname: optional(text(200)).describe('Prefix of the first name'),
  ...paging,
  after: optional(id()).describe('Used by `next`: id of the last patient on the previous page'),
});

export const PatientListShape = z.strictObject({
  totalcount: z.int().describe('Number of patients in the whole list'),
  ...pageLinkShapes,
  patients: z.array(PatientShape),
});

type Search = z.output<typeof searchShape>;

export const toPatientQuery = ({ departmentid, lastname, firstname }: Search): PatientQuery => ({
  lastName: lastname ?? null,
  firstName: firstname ?? null,
  officeId: departmentid ?? null,
});

export const toWindow = ({ limit, offset, after }: Search): SearchWindow => ({ limit, offset, after: after ?? null });

/** @param links the addresses of the pages around this one */
export function fromFoundPatients(
  { total, records }: FoundPatients,
  links: Pick<z.input<typeof PatientListShape>, 'next' | 'previous'>,
): z.input<typeof PatientListShape> {
  return { totalcount: total, ...links, patients: records.map(fromPatientRecord) };
}
