import { counted } from '../../database/measures/quantities.ts';
import { findMissingLanguages } from '../../domain/messaging/check-ins/missing-languages.ts';
import { type DatabaseCheck, ok, warn } from './finding.ts';

/** Surveys that are named in one line. */
const MOST_NAMED = 5;

export const SURVEY_CHECK: DatabaseCheck = {
  name: 'survey languages',
  async look({ db }) {
    const lacking = await findMissingLanguages(db);
    const figures = { survey_types_lacking_a_language: lacking.length };
    if (lacking.length === 0) return ok('patients are asked in their own languages', figures);
    const named = lacking
      .slice(0, MOST_NAMED)
      .map(({ organizationId, id, languages }) => `survey ${id} of practice ${organizationId} lacks ${languages.join(', ')}`);
    return warn(
      `${counted(lacking.length, 'survey type lacks', 'survey types lack')} a language of patients who are asked it: ${named.join('; ')}`,
      'In the file of the practice, add the words as "variants" of a new survey, and end the former one',
      figures,
    );
  },
};
