import { z } from 'zod';
import { findTypeRecord, listActiveTypeRecords } from '../../../domain/scheduling/types/appointment-type-records.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { pageLinkShapes, pageLinks } from '../paging.ts';
import { AppointmentTypeShape, appointmentTypeParams, appointmentTypesQuery, fromAppointmentType } from './appointment-types.wire.ts';

export function appointmentTypeRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Appointment types', beyondDocument: true });
  get('/appointmenttypes', {
    operationId: 'listAppointmentTypes',
    summary: 'List appointment types',
    description: 'Active types of the practice and types that all practices share, sorted by id.',
    query: appointmentTypesQuery,
    response: z.strictObject({
      totalcount: z.int().describe('Number of types in the whole list'),
      ...pageLinkShapes,
      appointmenttypes: z.array(AppointmentTypeShape).describe('The types of this page'),
    }),
    handle: async ({ tx, query, request }) => {
      const none = { items: [], total: 0 };
      const { items, total } = query.hidenongeneric ? none : await listActiveTypeRecords(tx, query);
      return { totalcount: total, ...pageLinks(request, query, total), appointmenttypes: items.map(fromAppointmentType) };
    },
  });

  get('/appointmenttypes/:appointmenttypeid', {
    operationId: 'getAppointmentType',
    summary: 'Read an appointment type',
    description: 'Includes inactive types.',
    params: appointmentTypeParams,
    response: z.array(AppointmentTypeShape),
    etag: true,
    handle: async ({ tx, params }) => [fromAppointmentType(await findTypeRecord(tx, params.appointmenttypeid))],
  });
}
