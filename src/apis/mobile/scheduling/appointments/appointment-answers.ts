import type { FastifyRequest } from 'fastify';
import type { Prepared } from '../../../../database/statements/statement.ts';
import type { Caller, CallerIdentity } from '../../../../domain/caller.ts';
import { type CanTextOf, findCanText } from '../../../../domain/messaging/recipients/can-text.ts';
import type { Appointment } from '../../../../domain/scheduling/lists/appointment-view.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import { writePage } from '../../shared.wire.ts';
import { fromAppointment } from './appointments.wire.ts';

/** Whether texts to the patients of these appointments would leave. */
export const findCanTextAbout = (prepared: Prepared, caller: CallerIdentity, appointments: readonly Appointment[]): Promise<CanTextOf> =>
  findCanText(prepared, caller, { patientIds: appointments.map(({ patient }) => patient?.id ?? null) });

/** One appointment with whether a text to its patient would leave. */
export const showAppointment = async (prepared: Prepared, caller: CallerIdentity, appointment: Appointment) => ({
  data: fromAppointment(appointment, await findCanTextAbout(prepared, caller, [appointment])),
});

/** The same after a write, with what is unusual about it. */
export const showSaved = async (prepared: Prepared, caller: Caller, appointment: Appointment) => ({
  ...(await showAppointment(prepared, caller, appointment)),
  warnings: caller.journal.cautions,
});

/** A page of them. */
export async function showAppointments(
  { prepared, caller, request }: { prepared: Prepared; caller: CallerIdentity; request: FastifyRequest },
  page: Page<Appointment>,
) {
  const canText = await findCanTextAbout(prepared, caller, page.items);
  return writePage(request, page, (appointment) => fromAppointment(appointment, canText));
}
