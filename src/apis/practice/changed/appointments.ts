import { z } from 'zod';
import { preparedIn } from '../../../database/statements/statement.ts';
import { findChangedRecords } from '../../../domain/changes/changed-records.ts';
import { readAppointmentRecords } from '../../../domain/scheduling/lists/appointment-records.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { AppointmentShape, fromAppointment } from '../appointments/appointment.wire.ts';
import { changedAppointmentsQuery, changedListShape, fromChangedPage, toChangeQuery } from './changed.wire.ts';
import { CHANGED } from './words.ts';

export function changedAppointmentsRoutes({ getCreating }: Endpoints): void {
  getCreating('/appointments/changed', {
    ...CHANGED,
    operationId: 'listChangedAppointments',
    summary: 'List changed appointments',
    description: `${CHANGED.description} Includes cancelled appointments. Appointments without a day are returned once they have one.`,
    query: changedAppointmentsQuery,
    response: z.strictObject({
      ...changedListShape,
      appointments: z.array(AppointmentShape).describe('Current state of the appointments'),
    }),
    async handle({ db, caller, query, request }) {
      const asked = await toChangeQuery(query);
      const page = await findChangedRecords(db, caller, 'appointments', asked);
      const records = await readAppointmentRecords(preparedIn(db), caller, page.recordIds);
      return { ...fromChangedPage(request, asked, page), appointments: records.map((record) => fromAppointment(record, query)) };
    },
  });
}
