import { z } from 'zod';
import { preparedIn } from '../../../database/statements/statement.ts';
import { findChangedRecords } from '../../../domain/changes/changed-records.ts';
import { readPatientRecords } from '../../../domain/patients/search/search.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { fromPatientRecord } from '../patients/record/patient-record.wire.ts';
import type { StringTypes } from '../string-types.wire.ts';
import { changedListShape, changedPatientsQuery, fromChangedPage, fromWithdrawnPatient, toChangeQuery } from './changed.wire.ts';
import { CHANGED } from './words.ts';

export function changedPatientsRoutes({ getCreating }: Endpoints, types: StringTypes): void {
  getCreating('/patients/changed', {
    ...CHANGED,
    operationId: 'listChangedPatients',
    summary: 'List changed patients',
    description: `${CHANGED.description} Restricted and blocked patients are returned only to clients with the scope restricted.read.`,
    query: changedPatientsQuery,
    response: z.strictObject({
      ...changedListShape,
      patients: z
        .array(types.patient)
        .describe('Current state of the patients; for one no longer available to you, only the id and the status deleted'),
    }),
    async handle({ db, caller, query, request }) {
      const asked = await toChangeQuery(query);
      const page = await findChangedRecords(db, caller, 'patients', asked);
      const shown = page.recordIds.filter((id) => !page.withdrawnIds.includes(id));
      const records = await readPatientRecords(preparedIn(db), caller, shown);
      const byId = new Map(records.map((record) => [record.id, types.write(fromPatientRecord(record))]));
      const patients = page.recordIds.map((id) => byId.get(id) ?? types.write(fromWithdrawnPatient(id)));
      return { ...fromChangedPage(request, asked, page), patients };
    },
  });
}
