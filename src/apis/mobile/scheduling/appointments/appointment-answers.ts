import type { FastifyRequest } from 'fastify';
import { findCanText } from '../../../../domain/messaging/recipients/can-text.ts';
import type { Appointment } from '../../../../domain/scheduling/appointment/appointment-view.ts';
import { findSeriesOfAppointments } from '../../../../domain/scheduling/appointment/series-of-appointments.ts';
import type { Tx } from '../../../../domain/tx.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import { writePage } from '../../shared.wire.ts';
import { fromAppointment, type ShownBeside } from './appointments.wire.ts';

/** Finds what appointments show beside their own records: whether texts to their patients would leave, and their series. */
export async function findBeside(tx: Tx, appointments: readonly Appointment[]): Promise<ShownBeside> {
  const [canText, seriesIds] = await Promise.all([
    findCanText(tx, { patientIds: appointments.map(({ patient }) => patient?.id ?? null) }),
    findSeriesOfAppointments(tx, appointments),
  ]);
  return { canText, seriesIds };
}

export const showAppointment = async (tx: Tx, appointment: Appointment) => ({
  data: fromAppointment(appointment, await findBeside(tx, [appointment])),
});

/** The same after a write, with what is unusual about it. */
export const showSaved = async (tx: Tx, appointment: Appointment) => ({
  ...(await showAppointment(tx, appointment)),
  warnings: tx.journal.cautions,
});

export async function showAppointments({ tx, request }: { tx: Tx; request: FastifyRequest }, page: Page<Appointment>) {
  const beside = await findBeside(tx, page.items);
  return writePage(request, page, (appointment) => fromAppointment(appointment, beside));
}
