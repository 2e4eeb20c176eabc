import { findRecipientLanguage, type RecipientLanguage } from '../../messaging/recipients/recipient-language.ts';
import { type AutomaticText, renderFrom } from '../../messaging/templates/automatic-texts.ts';
import { patientNameValues, practiceValues } from '../../messaging/templates/placeholder-values.ts';
import { allWordings } from '../../messaging/templates/template-wordings.ts';
import { findActiveTemplate, type SmsTemplate } from '../../messaging/templates/templates.ts';
import type { Tx } from '../../tx.ts';
import { isLanguage, type Language } from '../../values/languages.ts';

/** Hours for which the page of a check-in says what to do now. */
const GUIDANCE_HOURS = 24;

/** Words about what to do now. */
export interface PatientGuidance {
  body: string;
  /** Primary subtag of BCP 47, such as `es`. */
  language: string;
}

/**
 * The words about what to do now, for the page of a check-in in which a danger value or an urgent symptom was answered during the last day; else null.
 * @param language of the page
 */
export async function findPatientGuidance(tx: Tx, checkInId: number, language: Language): Promise<PatientGuidance | null> {
  const raisedAt = { gt: new Date(Date.now() - GUIDANCE_HOURS * 3_600_000) };
  const alert = await tx.prisma.monitoringAlert.findFirst({
    where: { ...tx.practice, checkInId, severity: { in: ['urgent', 'danger'] }, raisedAt },
    select: { patientId: true },
  });
  return alert && (await guidanceInLanguage(tx, alert.patientId, language));
}

/** The same for a patient of whom it is known that it is urgent. */
export async function guidanceInLanguage(tx: Tx, patientId: number, language: Language): Promise<PatientGuidance> {
  const recipient = await findRecipientLanguage(tx, patientId);
  return renderGuidance(tx, patientId, { ...recipient, patient: language, own: language });
}

/**
 * The practice's words in the language of the reader. Where the practice has none in it, the server's own: the words must be understood,
 * so they are never in another language while there are any.
 */
export async function renderGuidance(tx: Tx, patientId: number, language: RecipientLanguage): Promise<AutomaticText> {
  const practice = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { name: true, phone: true },
  });
  const patient = await tx.prisma.patient.findUniqueOrThrow({
    where: tx.key(patientId),
    select: { firstName: true, lastName: true },
  });
  const values = () => ({ ...practiceValues(practice), ...patientNameValues(patient) });
  const template = await findActiveTemplate(tx, 'danger-value');
  return renderFrom(template && isIn(template, language) ? template : null, tx, 'danger-value', { language, values });
}

/** Whether a template has words in the reader's language, or the server has none either. */
function isIn(template: SmsTemplate, { patient, practice }: RecipientLanguage): boolean {
  const wanted = patient ?? practice;
  return !isLanguage(wanted) || allWordings(template).some(({ language }) => language === wanted);
}
