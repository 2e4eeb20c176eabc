import type { AnsweredCheckIn } from '../../messaging/check-ins/check-in-page.ts';
import type { MeasuredItem } from '../../messaging/check-ins/measured-items.sql.ts';
import { withItems } from '../../messaging/check-ins/survey-types.ts';
import type { SurveyWords } from '../../messaging/check-ins/survey-wordings.ts';
import type { Tx } from '../../tx.ts';
import type { Language } from '../../values/languages.ts';
import { findPatientGuidance, guidanceInLanguage, type PatientGuidance } from '../alerts/patient-guidance.ts';
import { type AppliedTarget, judgeSeverity, readTargets } from '../targets.ts';

/** A value that a patient reported, with the target that was applied to it. */
export interface AnsweredValue {
  /** As it was asked. */
  question: string;
  value: number;
  item: MeasuredItem;
  target: AppliedTarget | null;
  isOutOfTarget: boolean;
}

/** The values of an answered check-in for the patient, and the practice's words about what to do now; null where nothing is urgent. */
export interface AnsweredValues {
  guidance: PatientGuidance | null;
  values: AnsweredValue[];
}

/** The page of an answered check-in, to be read. */
interface ReadPage {
  language: Language;
  survey: SurveyWords;
  /** Something urgent was submitted just now, whether it could be stored or not. */
  isUrgent?: boolean;
}

/** Reads what a patient sees of the answers. The check-in was audited when it was opened. */
export async function readAnsweredValues(
  tx: Tx,
  { id, patientId, answeredAt: at, answers }: AnsweredCheckIn,
  { language, survey, isUrgent = false }: ReadPage,
): Promise<AnsweredValues> {
  const items = await withItems(
    tx,
    answers.map(({ question }) => question),
  );
  const measured = answers.flatMap(({ question, answer: value }, index) => {
    const item = items[index]?.item ?? null;
    return item === null || typeof value !== 'number' ? [] : { question: survey.findQuestionWords(question).text, value, item };
  });
  const targets = await readTargets(
    tx,
    measured.map(({ item }) => ({ patientId, itemId: item.id, at })),
  );
  const values = measured.map((one, index): AnsweredValue => {
    const target = targets[index] ?? null;
    return { ...one, target, isOutOfTarget: target !== null && judgeSeverity(target, one.value) !== null };
  });
  const guidance = isUrgent ? await guidanceInLanguage(tx, patientId, language) : await findPatientGuidance(tx, id, language);
  return { guidance, values };
}
