import type { AnswerError } from '../../domain/messaging/check-ins/check-in-answers.ts';
import type { SurveyQuestion } from '../../domain/messaging/check-ins/survey-types.ts';
import { MAX_ANSWER_LENGTH } from '../../domain/messaging/check-ins/surveys.ts';
import { alert } from '../design/alert.ts';
import { button } from '../design/button.ts';
import { choiceField, type Field, textArea, textField } from '../design/field.ts';
import { html } from '../html.ts';

/** Prefix of the names of form fields, before the key of the question. */
const NAME_PREFIX = 'answer_';

/** Reads a submitted form. @returns the values by the keys of the questions */
export function readForm(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null) return {};
  const fields = Object.entries(body).map(
    ([name, value]: [string, unknown]) => [name, Array.isArray(value) ? value.at(-1) : value] as const,
  );
  return Object.fromEntries(
    fields.flatMap(([name, value]) =>
      name.startsWith(NAME_PREFIX) && typeof value === 'string' ? [[name.slice(NAME_PREFIX.length), value]] : [],
    ),
  );
}

/** The values and errors that a form shows: those of a rejected submission, or none when it is shown first. */
export interface FormState {
  values: Readonly<Record<string, string>>;
  errors: readonly AnswerError[];
}

/** The form with all questions. @param address to which it is sent */
export const writeForm = (address: string, questions: readonly SurveyQuestion[], state: FormState): string => html`
!${errorSummary(questions, state)}
<form class="stack" method="post" action="${address}" novalidate>
!${questions.map((question) => writeQuestion(question, fieldOf(question, state))).join('')}
<p>!${button({ label: 'Send my answers', wide: true })}</p>
</form>`;

/** A list of all errors, each with a link to its question. */
function errorSummary(questions: readonly SurveyQuestion[], { errors }: FormState): string {
  if (errors.length === 0) return '';
  const items = errors.map(({ key, message }) => {
    const text = questions.find(({ question }) => question.key === key)?.question.text ?? '';
    return html`<li><a href="#${NAME_PREFIX}${key}">${text}</a>: ${message}</li>`;
  });
  return alert({
    kind: 'danger',
    title: `Please look at ${errors.length === 1 ? 'one answer' : `${errors.length} answers`} again`,
    content: html`<ul>!${items.join('')}</ul>`,
    attributes: { role: 'alert', tabindex: -1, autofocus: true },
  });
}

function fieldOf({ question, item }: SurveyQuestion, { values, errors }: FormState): Field & { value: string } {
  const { key } = question;
  return {
    name: `${NAME_PREFIX}${key}`,
    label: question.text,
    value: Object.hasOwn(values, key) ? (values[key] ?? '') : '',
    error: errors.find((one) => one.key === key)?.message ?? null,
    hint: hintOf({ question, item }),
    required: question.required,
    optional: !question.required,
  };
}

function hintOf({ question, item }: SurveyQuestion): string | null {
  if (question.kind === 'scale') {
    const { min, max, minLabel, maxLabel } = question;
    const ends = [minLabel && `${min} means: ${minLabel}.`, maxLabel && `${max} means: ${maxLabel}.`].filter(Boolean).join(' ');
    return ends === '' ? null : ends;
  }
  if (question.kind !== 'number') return null;
  const { min, max } = question;
  const bounds =
    min !== undefined && max !== undefined
      ? `From ${min} to ${max}`
      : min !== undefined
        ? `${min} or more`
        : max !== undefined
          ? `${max} or less`
          : 'A number';
  return item?.unit ? `${bounds}, in ${item.unit}.` : `${bounds}.`;
}

function writeQuestion({ question }: SurveyQuestion, field: Field & { value: string }): string {
  switch (question.kind) {
    case 'text':
      return textArea({ ...field, attributes: { maxlength: MAX_ANSWER_LENGTH } });
    case 'number': {
      // Decimal keyboards of phones have no minus sign.
      const inputmode = (question.min ?? 0) < 0 ? 'text' : 'decimal';
      return textField({ ...field, attributes: { inputmode, autocomplete: 'off', maxlength: 40 } });
    }
    case 'choice':
      return choiceField({ ...field, choices: question.choices.map((choice) => ({ value: choice, label: choice })) });
    case 'yes_no':
      return choiceField({ ...field, choices: YES_NO });
    case 'scale': {
      const steps = Array.from({ length: question.max - question.min + 1 }, (_, step) => String(question.min + step));
      return choiceField({ ...field, choices: steps.map((step) => ({ value: step, label: step })), scale: true });
    }
  }
}

const YES_NO = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];
