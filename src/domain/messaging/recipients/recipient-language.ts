import { findPatientReach } from '../../patients/guardians/reach.ts';
import type { PracticeTx } from '../../tx.ts';
import { isLanguage, type Language, languageTag } from '../../values/languages.ts';

/** The languages in which somebody is written to. */
export interface RecipientLanguage {
  /** Tag of the patient's language, or their guardian's, such as `es` or `vi`; null where the chart names none. */
  patient: string | null;
  /** Tag of the practice's language. */
  practice: string;
  /** The language of the server's own words to this person: the patient's where the server has it, else the practice's, else English. */
  own: Language;
  /** The zone of the patient's clock; null for nobody's. */
  zone: string | null;
  /** The patient's name, where their guardian is written to; else null. */
  nameToGuardian: string | null;
}

/** The languages in which a practice writes to a patient or their guardian, or to somebody without a chart. */
export async function findRecipientLanguage(tx: PracticeTx, patientId: number | null): Promise<RecipientLanguage> {
  const [reach, practice] = await Promise.all([
    patientId === null ? undefined : findPatientReach(tx, patientId),
    tx.prisma.organization.findUnique({ where: { id: tx.organizationId }, select: { languageId: true } }),
  ]);
  return recipientLanguage(reach?.languageCode ?? null, practice?.languageId ?? null, reach);
}

/** The same, of codes of languages, and of the person who is reached. */
export function recipientLanguage(
  patientCode: string | null,
  practiceCode: string | null,
  { zone = null, nameToGuardian = null }: { zone?: string | null; nameToGuardian?: string | null } = {},
): RecipientLanguage {
  const patient = languageTag(patientCode);
  const practice = languageTag(practiceCode) ?? 'en';
  const own = [patient, practice].find((tag) => tag !== null && isLanguage(tag)) ?? 'en';
  return { patient, practice, own, zone, nameToGuardian };
}
