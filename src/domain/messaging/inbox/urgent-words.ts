import type { Db } from '../../../database/database.ts';
import { preparedIn, statement } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import { hasWords } from '../../values/same-text.ts';

/** Words of an emergency. As in the answers of a check-in, a negation is not understood: one too many is closed, one too few is found too late. */
const EMERGENCIES =
  `chest pain, pain in my chest, pain in the chest, chest hurts, chest is tight, tight chest, pressure in my chest, can’t breathe,
  cannot breathe, trouble breathing, hard to breathe, difficulty breathing, short of breath, shortness of breath, heart attack, stroke, seizure,
  unconscious, passed out, fainted, overdose, overdosed, suicide, suicidal, kill myself, end my life, hurt myself, bleeding, allergic reaction,
  emergency, ambulance, 911,
  dolor de pecho, dolor en el pecho, me duele el pecho, opresión en el pecho, no puedo respirar, dificultad para respirar, me cuesta respirar,
  falta de aire, me falta el aire, infarto, ataque al corazón, derrame, convulsión, convulsiones, inconsciente, me desmayé, sobredosis, suicidio,
  suicidarme, matarme, quitarme la vida, hacerme daño, sangrando, hemorragia, reacción alérgica, emergencia, urgencia, ambulancia`
    .split(',')
    .map((words) => words.trim());

/** The words that the practice's surveys mark as urgent. Values: organization. */
const SURVEY_WORDS = statement<{ words: string | null }>(
  'urgent_words',
  `SELECT DISTINCT jsonb_path_query(s.questions, '$[*].urgentWords[*]') #>> '{}' AS words FROM survey_type s WHERE s.organization_id = $1 AND s.active`,
);

/** Whether a person should see first what somebody wrote: it has words of an emergency, or those of an urgent answer to a survey of the practice. */
export async function soundsUrgent(db: Db, { organizationId }: Caller, text: string): Promise<boolean> {
  if (EMERGENCIES.some((words) => hasWords(text, words))) return true;
  const ofSurveys = await preparedIn(db).rows(SURVEY_WORDS, [organizationId]);
  return ofSurveys.some(({ words }) => words !== null && hasWords(text, words));
}
