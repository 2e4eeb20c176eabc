import type { Organization } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { invalid } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { readAppointment } from '../../scheduling/appointment/appointment-reader.ts';
import type { Appointment } from '../../scheduling/appointment/appointment-view.ts';
import { findProviderNames } from '../../scheduling/appointment/provider-names.ts';
import type { Tx } from '../../tx.ts';
import type { PersonName } from '../../values/person-names.ts';
import { findRecipientLanguage, type RecipientLanguage } from '../recipients/recipient-language.ts';
import { appointmentValues, patientNameValues, practiceValues, type WrittenFor } from './placeholder-values.ts';
import { type PlaceholderValues, placeholdersIn, type RenderedText, renderTemplate } from './placeholders.ts';
import { chooseWording, type Wording, type Wordings } from './template-wordings.ts';

/** The patient and the appointment that a text is about, and the links in it. */
export interface RenderContext {
  patientId?: number | undefined;
  appointmentId?: number | undefined;
  url?: string | undefined;
  /** The user whose review page is the value of {{review url}}, and of {{url}} where no other is given. */
  reviewUserId?: number | undefined;
}

/** The values of the placeholders as a recipient reads them: dates are in a language, and times on the clock of the visit. */
export type ValuesIn = (written: WrittenFor) => PlaceholderValues;

export interface RenderedTemplate extends RenderedText {
  /** Of the wording. */
  language: string;
}

/**
 * A template with its placeholders replaced, as it would be sent.
 * @param context.language the language to render instead of the patient's
 * @throws Failure as findPlaceholderValues
 */
export async function renderWithContext(
  tx: Tx,
  template: Wordings & { tracksResponse: boolean },
  { appointmentId, language, ...rest }: RenderContext & { language?: string | undefined },
): Promise<RenderedTemplate> {
  const appointment = appointmentId === undefined ? undefined : await readAppointment(tx, appointmentId, 'appointmentId');
  const values = await findPlaceholderValues(tx, { ...rest, appointment });
  const recipient = await findRecipientLanguage(tx, rest.patientId ?? appointment?.patientId ?? null);
  const wording = chooseWording(template, { ...recipient, patient: language ?? recipient.patient });
  return renderWording(wording, template, values, recipient);
}

/** The language and the clock of a wording; where it names the zone, its times do not. */
export const toWrittenFor = ({ body, language }: Wording, patientZone: string | null): WrittenFor => ({
  tag: language,
  patientZone,
  namesZone: placeholdersIn(body).known.includes('appointment time zone'),
});

export function renderWording(
  { body, language }: Wording,
  { tracksResponse }: { tracksResponse: boolean },
  values: ValuesIn,
  { zone }: Pick<RecipientLanguage, 'zone'>,
): RenderedTemplate {
  const rendered = renderTemplate(body, values(toWrittenFor({ body, language }, zone)), { asks: tracksResponse, tag: language });
  return { ...rendered, language };
}

/**
 * Values of the placeholders. Without a patient, the appointment's is used. A patient who is not the appointment's is
 * audited as read; the appointment itself was audited by its reader.
 * @throws Failure not_found naming the field, invalid where the appointment is another patient's
 */
export async function findPlaceholderValues(
  tx: Tx,
  { patientId, appointment, url, reviewUserId }: Omit<RenderContext, 'appointmentId'> & { appointment?: Appointment | undefined },
): Promise<ValuesIn> {
  const organization = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { name: true, phone: true },
  });
  const patient = await findPatientToName(tx, patientId, appointment);
  const provider = appointment ? (await findProviderNames(tx, [appointment.id])).get(appointment.id) : undefined;
  const reviewUrl = reviewUserId === undefined ? '' : await findReviewUrl(tx, reviewUserId);
  return createValues({ organization, patient, appointment, provider, reviewUrl, url });
}

interface KnownValues {
  organization: Pick<Organization, 'name' | 'phone'>;
  patient: PersonName | null;
  appointment: Appointment | undefined;
  /** Name of the appointment's provider. */
  provider: string | undefined;
  reviewUrl: string;
  url?: string | undefined;
}

/** The same of what is known already. */
export function createValues({ organization, patient, appointment, provider = '', reviewUrl, url = reviewUrl }: KnownValues): ValuesIn {
  const inEvery = {
    ...practiceValues(organization),
    ...(patient ? patientNameValues(patient) : {}),
    'review url': reviewUrl,
    url,
  };
  return (written) => ({ ...inEvery, ...(appointment ? appointmentValues(appointment, provider, written) : {}) });
}

async function findPatientToName(tx: Tx, patientId: number | undefined, appointment: Appointment | undefined) {
  const ofAppointment = appointment?.patientId ?? undefined;
  const id = patientId ?? ofAppointment;
  if (id === undefined) return null;
  const patient = appointment?.patient?.id === id ? appointment.patient : await findPatient(tx, id, 'patientId');
  if (ofAppointment === undefined) recordRead(tx, 'patient', [id]);
  else if (id !== ofAppointment) throw invalid('patientId', 'is not the patient of the appointment', 'other_patient');
  return patient;
}

/** Empty where the user has none. */
export async function findReviewUrl(tx: Tx, userId: number): Promise<string> {
  const found = await tx.prisma.userReviewUrl.findFirst({
    where: { ...tx.practice, userId },
    orderBy: { id: 'asc' },
    select: { url: true },
  });
  return found?.url ?? '';
}
