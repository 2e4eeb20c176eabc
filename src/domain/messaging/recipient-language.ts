import type { Db } from '../../database/database.ts';
import { NONE } from '../../database/statements/no-id.ts';
import type { CallerIdentity } from '../caller.ts';
import { patientZone } from '../patients/patient-clock.sql.ts';
import { isLanguage, type Language, languageTag } from '../values/languages.ts';

/** The languages in which somebody is written to. */
export interface RecipientLanguage {
  /** Tag of the patient's language, such as `es` or `vi`; null where the chart names none. */
  patient: string | null;
  /** Tag of the practice's language. */
  practice: string;
  /** The language of the server's own words to this person: the patient's where the server has it, else the practice's, else English. */
  own: Language;
  /** The zone of the patient's clock; null for nobody's. */
  zone: string | null;
}

/** The languages in which a practice writes to a patient, or to somebody without a chart. */
export async function findRecipientLanguage(
  db: Db,
  { organizationId }: Pick<CallerIdentity, 'organizationId'>,
  patientId: number | null,
): Promise<RecipientLanguage> {
  const [found] = await db.$queryRaw<{ patient: string | null; practice: string; zone: string | null }[]>`
    SELECT p.language_code AS patient, o.language_id AS practice,
           CASE WHEN p.id IS NOT NULL THEN ${patientZone} END AS zone
      FROM organization o
      LEFT JOIN patient p ON p.organization_id = ${organizationId} AND p.id = ${patientId ?? NONE}::int
      LEFT JOIN office f ON f.organization_id = ${organizationId} AND f.id = p.primary_office_id
     WHERE o.id = ${organizationId}`;
  return recipientLanguage(found?.patient ?? null, found?.practice ?? null, found?.zone ?? null);
}

/** The same, of a chart's and a practice's codes and of the zone of the patient's clock. */
export function recipientLanguage(patientCode: string | null, practiceCode: string | null, zone: string | null = null): RecipientLanguage {
  const patient = languageTag(patientCode);
  const practice = languageTag(practiceCode) ?? 'en';
  return { patient, practice, own: [patient, practice].find((tag) => tag !== null && isLanguage(tag)) ?? 'en', zone };
}
