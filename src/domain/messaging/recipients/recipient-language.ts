import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { CallerIdentity } from '../../caller.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
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
export async function findRecipientLanguage(
  db: Db,
  caller: Pick<CallerIdentity, 'organizationId'>,
  patientId: number | null,
): Promise<RecipientLanguage> {
  const [reach, practice] = await Promise.all([
    patientId === null ? undefined : findPatientReach(preparedIn(db), caller, patientId),
    db.organization.findUnique({ where: { id: caller.organizationId }, select: { languageId: true } }),
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
