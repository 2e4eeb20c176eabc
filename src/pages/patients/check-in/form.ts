import type { AnswerError } from '../../../domain/messaging/check-ins/check-in-answers.ts';
import type { SurveyQuestion } from '../../../domain/messaging/check-ins/survey-types.ts';
import type { QuestionWords, SurveyWords } from '../../../domain/messaging/check-ins/survey-wordings.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { inLanguage } from '../../../http/pages/page-language.ts';
import { alert } from '../../design/feedback/alert.ts';
import { button } from '../../design/forms/button.ts';
import { choiceField, type Field, textArea, textField } from '../../design/forms/field.ts';
import { PAGE_WORDS } from '../../design/layout/page-words.ts';
import { html } from '../../html.ts';
import { CHECK_IN_WORDS, type CheckInWords, wordsOfProblem } from './check-in-words.ts';

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

interface WrittenForm extends FormState {
  language: Language;
  /** To which it is sent. */
  address: string;
  questions: readonly SurveyQuestion[];
  survey: SurveyWords;
}

export const writeForm = (form: WrittenForm): string => html`
!${errorSummary(form)}
<form class="stack" method="post" action="${inLanguage(form.address, form.language)}" novalidate>
<div class="stack"!${renderLang(form.survey, form.language)}>!${form.questions.map((one) => writeQuestion(one, toField(one, form), form)).join('')}</div>
<p>!${button({ label: CHECK_IN_WORDS[form.language].send, wide: true })}</p>
</form>`;

/** Names the language of the survey where it is not that of the page. */
const renderLang = (survey: SurveyWords, page: Language): string => (survey.language === page ? '' : html` lang="${survey.language}"`);

/** A list of all errors, each with a link to its question. */
function errorSummary({ questions, errors, language, survey }: WrittenForm): string {
  if (errors.length === 0) return '';
  const words = CHECK_IN_WORDS[language];
  const items = errors.map(({ key, problem }) => {
    const asked = questions.find(({ question }) => question.key === key);
    const text = asked ? survey.findQuestionWords(asked.question).text : '';
    return html`<li><a href="#${NAME_PREFIX}${key}">${text}</a>: ${wordsOfProblem(words, problem)}</li>`;
  });
  return alert({
    kind: 'danger',
    title: words.problems(errors.length),
    content: html`<ul>!${items.join('')}</ul>`,
    attributes: { role: 'alert', tabindex: -1, autofocus: true },
  });
}

function toField({ question, item }: SurveyQuestion, { values, errors, language, survey }: WrittenForm): Field & { value: string } {
  const { key } = question;
  const asked = survey.findQuestionWords(question);
  const words = CHECK_IN_WORDS[language];
  const problem = errors.find((one) => one.key === key)?.problem;
  return {
    name: `${NAME_PREFIX}${key}`,
    label: asked.text,
    value: Object.hasOwn(values, key) ? (values[key] ?? '') : '',
    error: problem === undefined ? null : wordsOfProblem(words, problem),
    hint: writeHint({ question, item }, asked, words),
    required: question.required,
    optional: question.required ? undefined : PAGE_WORDS[language].optional,
  };
}

function writeHint({ question, item }: SurveyQuestion, { minLabel, maxLabel }: QuestionWords, words: CheckInWords): string | null {
  if (question.kind === 'scale') {
    const { min, max } = question;
    const ends = [minLabel && words.means(min, minLabel), maxLabel && words.means(max, maxLabel)].filter(Boolean).join(' ');
    return ends === '' ? null : ends;
  }
  if (question.kind !== 'number') return null;
  const bounds = words.bounds(question);
  return item?.unit ? words.inUnit(bounds, item.unit) : `${bounds}.`;
}

function writeQuestion({ question }: SurveyQuestion, field: Field & { value: string }, { language, survey }: WrittenForm): string {
  const { yes, no } = CHECK_IN_WORDS[language];
  switch (question.kind) {
    case 'text':
      return textArea(field);
    case 'number': {
      // Decimal keyboards of phones have no minus sign.
      const inputmode = (question.min ?? 0) < 0 ? 'text' : 'decimal';
      return textField({ ...field, attributes: { inputmode, autocomplete: 'off', maxlength: 40 } });
    }
    case 'choice':
      return choiceField({ ...field, choices: choicesIn(question.choices, survey.findQuestionWords(question)) });
    case 'yes_no':
      return choiceField({
        ...field,
        choices: [
          { value: 'yes', label: yes },
          { value: 'no', label: no },
        ],
      });
    case 'scale': {
      const steps = Array.from({ length: question.max - question.min + 1 }, (_, step) => String(question.min + step));
      return choiceField({ ...field, choices: steps.map((step) => ({ value: step, label: step })), scale: true });
    }
  }
}

/** The answer is stored in the survey's own words, whatever the patient reads. */
const choicesIn = (stored: readonly string[], { choices }: QuestionWords) =>
  stored.map((value, index) => ({ value, label: choices[index] ?? value }));
