import type { FastifyRequest } from 'fastify';
import type { Prepared } from '../../../../database/statements/statement.ts';
import type { Caller, CallerIdentity } from '../../../../domain/caller.ts';
import { findCanText } from '../../../../domain/messaging/recipients/can-text.ts';
import type { Appointment } from '../../../../domain/scheduling/appointment/appointment-view.ts';
import { findVisitSeries } from '../../../../domain/scheduling/appointment/series-of-appointments.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import { writePage } from '../../shared.wire.ts';
import { fromAppointment, type ShownBeside } from './appointments.wire.ts';

/** Finds what appointments show beside their own records: whether texts to their patients would leave, and their series. */
export async function findBeside(prepared: Prepared, caller: CallerIdentity, appointments: readonly Appointment[]): Promise<ShownBeside> {
  const [canText, seriesIds] = await Promise.all([
    findCanText(prepared, caller, { patientIds: appointments.map(({ patient }) => patient?.id ?? null) }),
    findVisitSeries(prepared, caller, appointments),
  ]);
  return { canText, seriesIds };
}

export const showAppointment = async (prepared: Prepared, caller: CallerIdentity, appointment: Appointment) => ({
  data: fromAppointment(appointment, await findBeside(prepared, caller, [appointment])),
});

/** The same after a write, with what is unusual about it. */
export const showSaved = async (prepared: Prepared, caller: Caller, appointment: Appointment) => ({
  ...(await showAppointment(prepared, caller, appointment)),
  warnings: caller.journal.cautions,
});

export async function showAppointments(
  { prepared, caller, request }: { prepared: Prepared; caller: CallerIdentity; request: FastifyRequest },
  page: Page<Appointment>,
) {
  const beside = await findBeside(prepared, caller, page.items);
  return writePage(request, page, (appointment) => fromAppointment(appointment, beside));
}
