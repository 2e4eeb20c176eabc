import type { MeasuredAnswer, ReportedCheckIn } from '../../../../domain/monitoring/reviews/check-ins.ts';
import { judgeSeverity } from '../../../../domain/monitoring/targets.ts';
import { inUnit, writeDanger, writeMoment, writeTarget } from '../../../../http/trend-figures/words.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { html } from '../../../html.ts';

/** Words for a tracked condition by its id: its code. */
export type ConditionNames = ReadonlyMap<number, string>;

/** The answers of a check-in, each with the target that was applied to it. */
export const answersList = ({ answers }: ReportedCheckIn, conditions: ConditionNames): string => html`
<dl class="answers">!${answers.map((answer) => writeAnswer(answer, conditions)).join('')}</dl>`;

const writeAnswer = (measured: MeasuredAnswer, conditions: ConditionNames): string => html`
<div><dt>${measured.question.text}</dt>
<dd><strong><bdi>${writeAnswerValue(measured)}</bdi></strong> !${renderMarks(measured)}
!${describeTarget(measured, conditions)
  .map((line) => html`<span class="hint">${line}</span>`)
  .join('')}</dd></div>`;

function writeAnswerValue({ answer, item }: MeasuredAnswer): string {
  if (answer === null) return 'not answered';
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No';
  return typeof answer === 'number' ? inUnit(answer, item?.unit ?? null) : answer;
}

function renderMarks({ answer, target, isUrgent }: MeasuredAnswer): string {
  const severity = target === null || typeof answer !== 'number' ? null : judgeSeverity(target, answer);
  return [
    severity === 'danger' ? badge('danger', 'danger', 'danger') : '',
    severity === 'watch' ? badge('out of target', 'warning', 'warning') : '',
    isUrgent === true ? badge('urgent', 'warning', 'warning') : '',
  ].join('');
}

/** The target in words, and whose it is; nothing for a question that measures nothing. */
function describeTarget({ item, target }: MeasuredAnswer, conditions: ConditionNames): string[] {
  if (item === null) return [];
  const source = 'Reported by the patient';
  if (target === null) return [`${source}. No target.`];
  const range = writeTarget(target, item.unit);
  const danger = writeDanger(target, item.unit);
  const names = target.conditionIds.map((id) => conditions.get(id) ?? `an ended condition (${id})`);
  const origin = target.source === 'item' ? `the practice’s own for ${item.name}` : `of ${names.join(' and ')}`;
  return [`${[range && `Target ${range}`, danger && `danger ${danger}`].filter(Boolean).join('; ')}: ${origin}. ${source}.`];
}

/** `Answered Nov 3, 2026, 6:15 AM`, or that nobody answered yet. */
export const answeredWords = ({ answeredAt, sentAt }: ReportedCheckIn, timeZone: string): string =>
  answeredAt === null ? `Sent ${writeMoment(sentAt, timeZone)}, not answered` : `Answered ${writeMoment(answeredAt, timeZone)}`;
