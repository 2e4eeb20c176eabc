import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { languageTag } from '../../values/languages.ts';
import { readVariants, surveyLanguages } from './survey-wordings.ts';

/** A survey type, and the languages of patients in which it has no words. */
export interface MissingLanguages {
  organizationId: number;
  id: number;
  /** Primary subtags of BCP 47. */
  languages: string[];
}

interface AskedSurvey {
  organizationId: number;
  id: number;
  language: string;
  variants: unknown;
  /** Of the patients' charts. */
  codes: string[];
}

/** The survey types in use, in all practices, that lack a language of patients who were asked them during the last 90 days. */
export async function findMissingLanguages(db: Db): Promise<MissingLanguages[]> {
  const asked = await db.$queryRaw<AskedSurvey[]>`
    SELECT s.organization_id AS "organizationId", s.id, s.language, s.variants, array_agg(DISTINCT p.language_code) AS codes
      FROM survey_type s
      JOIN check_in c ON c.organization_id = s.organization_id AND c.survey_type_id = s.id AND c.sent_at > now() - interval '90 days'
      JOIN patient p ON p.organization_id = c.organization_id AND p.id = c.patient_id AND p.language_code IS NOT NULL
     WHERE s.active GROUP BY s.organization_id, s.id ORDER BY 1, 2 ${overAllPractices('a look at all practices')}`;
  return asked.flatMap(({ organizationId, id, language, variants, codes }) => {
    const known = surveyLanguages({ language, variants: readVariants(variants) });
    const languages = [...new Set(codes.map(languageTag))].filter((tag) => tag !== null && !known.includes(tag));
    return languages.length === 0 ? [] : { organizationId, id, languages: languages.filter((tag) => tag !== null) };
  });
}
