import { statement } from '../../../database/statements/statement.ts';
import type { Tx } from '../../tx.ts';
import { hasWords } from '../../values/same-text.ts';
import { URGENT_WORDS } from './urgent-word-list.ts';

/** The words that the practice's surveys mark as urgent. Values: organization. */
const SURVEY_WORDS = statement<{ words: string | null }>(
  'urgent_words',
  `SELECT DISTINCT jsonb_path_query(s.questions, '$[*].urgentWords[*]') #>> '{}' AS words FROM survey_type s WHERE s.organization_id = $1 AND s.active`,
);

/** Whether a person should see first what somebody wrote: it has words of an emergency, or those of an urgent answer to a survey of the practice. */
export async function soundsUrgent(tx: Tx, text: string): Promise<boolean> {
  if (hasWords(text, ...URGENT_WORDS)) return true;
  const ofSurveys = await tx.rows(SURVEY_WORDS);
  return hasWords(text, ...ofSurveys.flatMap(({ words }) => words ?? []));
}
