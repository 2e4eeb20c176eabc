import { findOffice } from '../../../domain/practices/offices.ts';
import { requireProvider } from '../../../domain/practices/providers/providers.ts';
import { listActiveTypeRecords } from '../../../domain/scheduling/types/appointment-type-records.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { pageLinks } from '../paging.ts';
import { CancelReasonList, CustomFieldList, fromCancelReasons, fromReason, ReasonList, reasonsQuery } from './reasons.wire.ts';

export function reasonRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Appointment types', beyondDocument: true });
  get('/patientappointmentreasons', {
    operationId: 'listPatientAppointmentReasons',
    summary: 'List the reasons for booking an appointment',
    description: 'Each active appointment type is a reason, for every department and provider.',
    query: reasonsQuery,
    response: ReasonList,
    handle: async ({ tx, query, request }) => {
      await findOffice(tx, query.departmentid);
      await requireProvider(tx, query.providerid);
      const { items, total } = await listActiveTypeRecords(tx, query);
      return { totalcount: total, ...pageLinks(request, query, total), patientappointmentreasons: items.map(fromReason) };
    },
  });

  get('/appointmentcancelreasons', {
    operationId: 'listAppointmentCancelReasons',
    summary: 'List the reasons for cancelling an appointment',
    description: 'One of them means that the patient did not come.',
    response: CancelReasonList,
    handle: async () => fromCancelReasons(),
  });

  get('/appointments/customfields', {
    operationId: 'listAppointmentCustomFields',
    summary: 'List the custom fields of appointments',
    description: 'Always empty: appointments have no custom fields.',
    response: CustomFieldList,
    handle: async () => ({ totalcount: 0 as const, appointmentcustomfields: [] }),
  });
}
