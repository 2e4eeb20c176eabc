import type { AnswerError } from '../../domain/messaging/check-ins/check-in-answers.ts';
import type { SurveyQuestion } from '../../domain/messaging/check-ins/survey-types.ts';
import { MAX_ANSWER_LENGTH } from '../../domain/messaging/check-ins/surveys.ts';
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
<form method="post" action="${address}" novalidate>
!${questions.map((question) => writeQuestion(fieldOf(question, state))).join('')}
<button>Send my answers</button>
</form>`;

/** A list of all errors, each with a link to its question. */
function errorSummary(questions: readonly SurveyQuestion[], { errors }: FormState): string {
  if (errors.length === 0) return '';
  const items = errors.map(({ key, message }) => {
    const text = questions.find(({ question }) => question.key === key)?.question.text ?? '';
    return html`<li><a href="#${NAME_PREFIX}${key}">${text}</a>: ${message}</li>`;
  });
  return html`
<div class="notice alarm" role="alert" aria-labelledby="problems" tabindex="-1" autofocus>
<h2 id="problems">Please look at ${errors.length === 1 ? 'one answer' : `${errors.length} answers`} again</h2>
<ul>!${items.join('')}</ul>
</div>`;
}

interface Field extends SurveyQuestion {
  name: string;
  value: string;
  error: string | null;
  hint: string | null;
}

function fieldOf({ question, item }: SurveyQuestion, { values, errors }: FormState): Field {
  const { key } = question;
  return {
    question,
    item,
    name: `${NAME_PREFIX}${key}`,
    value: Object.hasOwn(values, key) ? (values[key] ?? '') : '',
    error: errors.find((one) => one.key === key)?.message ?? null,
    hint: hintOf({ question, item }),
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

/** Refers to the hint and the error, which screen readers read after the question. */
function describedBy({ name, hint, error }: Field): string {
  const ids = [hint === null ? '' : `${name}-hint`, error === null ? '' : `${name}-fault`].filter(Boolean).join(' ');
  return ids === '' ? '' : html`aria-describedby="${ids}"`;
}

/** The hint and the error below the question. */
const hintAndError = ({ name, hint, error }: Field): string => html`
!${hint === null ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
!${error === null ? '' : html`<p class="alarm" id="${name}-fault">${error}</p>`}`;

const questionLabel = ({ question }: Field): string =>
  html`${question.text}!${question.required ? '' : ' <span class="hint">(optional)</span>'}`;
const invalidAttribute = ({ error }: Field): string => (error === null ? '' : 'aria-invalid="true"');
const requiredAttribute = ({ question }: Field): string => (question.required ? 'aria-required="true"' : '');

function writeQuestion(field: Field): string {
  const { question } = field;
  switch (question.kind) {
    case 'text':
      return textField(
        field,
        html`<textarea id="${field.name}" name="${field.name}" rows="4" maxlength="${MAX_ANSWER_LENGTH}" !${describedBy(field)} !${invalidAttribute(field)} !${requiredAttribute(field)}>
${field.value}</textarea>`,
      );
    case 'number': {
      // Decimal keyboards of phones have no minus sign.
      const keys = (question.min ?? 0) < 0 ? 'text' : 'decimal';
      return textField(
        field,
        html`<input id="${field.name}" name="${field.name}" type="text" inputmode="${keys}" autocomplete="off" maxlength="40" value="${field.value}" !${describedBy(field)} !${invalidAttribute(field)} !${requiredAttribute(field)}>`,
      );
    }
    case 'choice':
      return choiceField(
        field,
        question.choices.map((choice) => ({ value: choice, shown: choice })),
      );
    case 'yes_no':
      return choiceField(field, [
        { value: 'yes', shown: 'Yes' },
        { value: 'no', shown: 'No' },
      ]);
    case 'scale': {
      const steps = Array.from({ length: question.max - question.min + 1 }, (_, step) => String(question.min + step));
      return choiceField(
        field,
        steps.map((step) => ({ value: step, shown: step })),
        'scale',
      );
    }
  }
}

const textField = (field: Field, input: string): string => html`
<div class="asked"><label class="question" for="${field.name}">!${questionLabel(field)}</label>
!${hintAndError(field)}
!${input}</div>`;

function choiceField(field: Field, options: { value: string; shown: string }[], kind = 'options'): string {
  const buttons = options.map(({ value, shown }, index) => {
    // The first option has the plain name as its id, to which the error summary links.
    const id = index === 0 ? field.name : `${field.name}-${index + 1}`;
    const checked = field.value === value ? 'checked' : '';
    return html`<label class="choice" for="${id}"><input type="radio" id="${id}" name="${field.name}" value="${value}" !${checked}> <span>${shown}</span></label>`;
  });
  return html`
<fieldset role="radiogroup" !${describedBy(field)} !${invalidAttribute(field)} !${requiredAttribute(field)}><legend>!${questionLabel(field)}</legend>
!${hintAndError(field)}
<div class="${kind}">!${buttons.join('')}</div></fieldset>`;
}
