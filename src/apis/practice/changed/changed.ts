import { z } from 'zod';
import { findChangedRecords } from '../../../domain/changes/changed-records.ts';
import { readPatientRecords } from '../../../domain/patients/search/search.ts';
import { findProviderRecords } from '../../../domain/practices/providers/provider-record.ts';
import { readAppointmentRecords } from '../../../domain/scheduling/booked/appointment-records.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { AppointmentShape, fromAppointment } from '../appointments/appointment.wire.ts';
import { fromPatientRecord } from '../patients/record/patient-record.wire.ts';
import { fromListedProvider, ProviderShape } from '../providers.wire.ts';
import type { StringTypes } from '../string-types.wire.ts';
import {
  CHANGES,
  changedAppointmentsQuery,
  changedListShape,
  changedPatientsQuery,
  changedProvidersQuery,
  fromChangedPage,
  fromWithdrawnPatient,
  toChangeQuery,
} from './changed.wire.ts';

const DESCRIPTION =
  'Requires a subscription, otherwise 403. Each changed record is returned once in its current state, in the order of changes. ' +
  'Returned records are not returned again until they change, unless `leaveunprocessed` is set. `offset` applies only with `leaveunprocessed` and to ' +
  'records returned before, which `showprocessedstartdatetime` and `showprocessedenddatetime` show for 30 days.';

export function changedRoutes(endpoints: Endpoints, types: StringTypes): void {
  const { get } = endpoints.group(CHANGES);
  get('/patients/changed', {
    creates: true,
    operationId: 'listChangedPatients',
    summary: 'List changed patients',
    description: `${DESCRIPTION} Restricted and blocked patients are returned only to clients with the scope restricted.read.`,
    query: changedPatientsQuery,
    response: z.strictObject({
      ...changedListShape,
      patients: z
        .array(types.patient)
        .describe('Current state of the patients; for one no longer available to you, only the id and the status deleted'),
    }),
    async handle({ tx, query, request }) {
      const asked = await toChangeQuery(query);
      const page = await findChangedRecords(tx, 'patients', asked);
      const shown = page.recordIds.filter((id) => !page.withdrawnIds.includes(id));
      const charts = await readPatientRecords(tx, shown);
      const byId = new Map(charts.map((record) => [record.id, types.write(fromPatientRecord(record))]));
      const patients = page.recordIds.map((id) => byId.get(id) ?? types.write(fromWithdrawnPatient(id)));
      return { ...fromChangedPage(request, asked, page), patients };
    },
  });

  get('/appointments/changed', {
    creates: true,
    operationId: 'listChangedAppointments',
    summary: 'List changed appointments',
    description: `${DESCRIPTION} Includes cancelled appointments. Appointments without a day are returned once they have one.`,
    query: changedAppointmentsQuery,
    response: z.strictObject({
      ...changedListShape,
      appointments: z.array(AppointmentShape).describe('Current state of the appointments'),
    }),
    async handle({ tx, query, request }) {
      const asked = await toChangeQuery(query);
      const page = await findChangedRecords(tx, 'appointments', asked);
      const records = await readAppointmentRecords(tx, page.recordIds);
      return { ...fromChangedPage(request, asked, page), appointments: records.map((record) => fromAppointment(record, query)) };
    },
  });

  get('/providers/changed', {
    creates: true,
    operationId: 'listChangedProviders',
    summary: 'List changed providers',
    description: DESCRIPTION,
    query: changedProvidersQuery,
    response: z.strictObject({ ...changedListShape, providers: z.array(ProviderShape).describe('Current state of the providers') }),
    async handle({ tx, query, request }) {
      const asked = await toChangeQuery(query);
      const page = await findChangedRecords(tx, 'providers', asked);
      const providers = await findProviderRecords(tx, page.recordIds);
      return { ...fromChangedPage(request, asked, page), providers: providers.map((record) => fromListedProvider(record, query)) };
    },
  });
}
