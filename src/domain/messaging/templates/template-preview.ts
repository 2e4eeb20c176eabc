import { whereVisiblePatient } from '../../patients/chart/find-patient.ts';
import { readAppointment } from '../../scheduling/appointment/appointment-reader.ts';
import type { Appointment } from '../../scheduling/appointment/appointment-view.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { findRecipientLanguage } from '../recipients/recipient-language.ts';
import { longMoment, shortAppointmentTime } from './appointment-times.ts';
import { findPlaceholderValues, type RenderedTemplate, renderWording } from './template-values.ts';
import { allWordings } from './template-wordings.ts';
import type { SmsTemplate } from './templates.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

export interface TemplatePreview {
  /** Null where the practice has no appointment to come. */
  appointment: Appointment | null;
  /** Every wording, that of the template's own body first. */
  renderings: RenderedTemplate[];
}

/**
 * Every wording of a template with an appointment's values, and with examples of what is made when a text is sent: a link, a code.
 * @param options.appointmentId unless given, the next appointment of a patient whom the caller may see
 * @param options.origin of the links of this server
 * @throws Failure not_found for an appointment that the practice does not have
 */
export async function previewTemplate(
  tx: Tx,
  template: SmsTemplate,
  options: { appointmentId?: number | undefined; origin: string },
): Promise<TemplatePreview> {
  const id = options.appointmentId ?? (await findNextAppointment(tx));
  const appointment = id === null ? undefined : await readAppointment(tx, id, 'appointmentId');
  const recipient = await findRecipientLanguage(tx, appointment?.patientId ?? null);
  const values = await findPlaceholderValues(tx, { appointment, url: `${options.origin}/c/${'x'.repeat(32)}` });
  const weekFromNow = new Date(Date.now() + WEEK_MS);
  const timeZone = appointment?.timeZone ?? 'UTC';
  const startsAt = appointment?.startsAt ? new Date(appointment.startsAt) : weekFromNow;
  const renderings = allWordings(template).map((wording) =>
    renderWording(
      wording,
      template,
      (written) => ({
        ...values(written),
        minutes: '10',
        code: '123456',
        expires: longMoment(weekFromNow, timeZone, written.tag),
        visit: shortAppointmentTime(startsAt, timeZone, written.tag),
        'former visit': shortAppointmentTime(weekFromNow, timeZone, written.tag),
      }),
      recipient,
    ),
  );
  return { appointment: appointment ?? null, renderings };
}

async function findNextAppointment(tx: Tx): Promise<number | null> {
  const next = await tx.prisma.appointment.findFirst({
    where: {
      ...tx.practice,
      startsAt: { gt: nowIn(tx.organizationId) },
      status: 'scheduled',
      patient: whereVisiblePatient(tx),
    },
    orderBy: [{ startsAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  return next?.id ?? null;
}
