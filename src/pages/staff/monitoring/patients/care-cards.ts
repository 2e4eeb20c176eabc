import { defaultChannel } from '../../../../domain/messaging/check-ins/check-ins.ts';
import type { SurveyTypeView } from '../../../../domain/messaging/check-ins/survey-types.ts';
import type { Condition } from '../../../../domain/monitoring/patients/conditions.ts';
import type { Enrolment } from '../../../../domain/monitoring/programs/enrolments.ts';
import type { CatalogueItem } from '../../../../domain/monitoring/programs/items.ts';
import type { Program } from '../../../../domain/monitoring/programs/programs.ts';
import type { Reach } from '../../../../domain/patients/guardians/reach.ts';
import { fullName } from '../../../../domain/values/person-names.ts';
import { writeDanger, writeMoment, writeTarget } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { button } from '../../../design/forms/button.ts';
import { confirmedButton } from '../../../design/forms/confirmed-button.ts';
import { checkField, selectField, selectOptions, textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { type FormState, formState, type RefusedForm } from '../../forms/form-state.ts';
import { LIMITS, limitField } from './care-forms.ts';

/** The choices of the forms on the page of a patient. */
export interface CareChoices {
  programs: readonly Program[];
  surveys: readonly SurveyTypeView[];
  items: readonly CatalogueItem[];
}

const toPath = (patientId: number, path: string): string => `/monitoring/patients/${patientId}/${path}`;

const renderChoices = (named: readonly { id: number; name: string }[], chosen?: string): string =>
  selectOptions(
    named.map(({ id, name }) => ({ value: String(id), label: name })),
    chosen,
  );

interface ProgramsCard {
  patientId: number;
  enrolments: readonly Enrolment[];
  programs: readonly Program[];
  timeZone: string;
}

/** The programs that a patient is in, each with the way out of it, and those to enrol in. */
export function programsCard({ patientId, enrolments, programs, timeZone }: ProgramsCard): string {
  const current = enrolments.filter(({ removed_at }) => removed_at === null);
  const offered = programs.filter(({ id }) => !current.some(({ program_id }) => program_id === id));
  const rows = current.map(
    ({ program_id: id, program_name: name, step_name, position, added_at }) => html`
<li class="monitoring-item"><div class="list-text"><bdi class="list-title">${name}</bdi><span class="hint">${step_name === null ? '' : `${step_name} · `}since ${writeMoment(new Date(added_at), timeZone)}</span></div>
!${stepForm(
      toPath(patientId, `programs/${id}/step`),
      position,
      programs.find((program) => program.id === id),
    )}
!${confirmedButton({ id: `leave-${id}`, label: 'Remove', kind: 'plain', question: `Remove the patient from ${name}?`, words: 'The enrolment ends now. Its history and all readings are kept.', form: { action: toPath(patientId, `programs/${id}/leave`) } })}</li>`,
  );
  return card({
    title: 'Programs',
    attributes: { id: 'programs' },
    content: html`!${rows.length === 0 ? html`<p>The patient is not in a program.</p>` : html`<ul class="list">!${rows.join('')}</ul>`}
!${
      offered.length === 0
        ? ''
        : html`<form class="search-form" method="post" action="${toPath(patientId, 'programs')}">
!${selectField({ name: 'program', label: 'Enrol in', options: renderChoices(offered) })}
!${button({ label: 'Enrol', kind: 'plain' })}</form>`
    }`,
  });
}

/** Moves to the next step, or back to an earlier one. @param position of the present step, from 1; 0 before the first */
function stepForm(action: string, position: number, program: Program | undefined): string {
  const [next, ...earlier] = [
    ...(program?.steps.slice(position, position + 1) ?? []),
    ...(program?.steps.slice(0, Math.max(position - 1, 0)) ?? []),
  ];
  if (program === undefined || next === undefined) return '';
  return html`
<form class="search-form" method="post" action="${action}">
!${selectField({ name: 'step', label: 'Step', options: renderChoices([next, ...earlier]), attributes: { id: `step-${program.id}`, 'aria-label': `Step of ${program.name}` } })}
!${button({ label: 'Move', kind: 'plain', attributes: { 'aria-label': `Move to this step of ${program.name}` } })}</form>`;
}

/** Sends a check-in now; nothing for a practice without surveys. */
export function checkInForm(patient: Reach, surveys: readonly SurveyTypeView[], refused: RefusedForm | undefined): string {
  if (surveys.length === 0) return html`<p class="hint">The practice has no surveys to send.</p>`;
  const channels = [
    ...(patient.mobilePhone === null ? [] : [{ value: 'sms', label: 'Text message' }]),
    ...(patient.email === null ? [] : [{ value: 'email', label: 'Email' }]),
  ];
  if (channels.length === 0) return html`<p class="hint">The chart has neither a mobile number nor an email address for a check-in.</p>`;
  const present = { survey: '', channel: defaultChannel(patient) };
  const form = formState({ action: toPath(patient.id, 'check-ins'), present, refused });
  return html`
<form class="search-form" method="post" action="${form.action}">
!${selectField({ ...form.field('survey'), label: 'Survey', options: renderChoices(surveys, form.field('survey').value) })}
!${selectField({ ...form.field('channel'), label: 'By', options: selectOptions(channels, form.field('channel').value) })}
!${button({ label: 'Send a check-in', kind: 'plain' })}</form>`;
}

interface ConditionsCard {
  patientId: number;
  conditions: readonly Condition[];
  items: readonly CatalogueItem[];
  refused: RefusedForm | undefined;
}

/** The conditions that are tracked, with the targets of their items, which are changed here. */
export function conditionsCard({ patientId, conditions, items, refused }: ConditionsCard): string {
  const form = formState({ action: toPath(patientId, 'conditions'), present: { code: '' }, refused, aliases: { icdCode: 'code' } });
  return card({
    title: 'Conditions and targets',
    attributes: { id: 'conditions' },
    content: html`!${conditions.length === 0 ? html`<p>No condition is tracked. The practice’s own targets apply.</p>` : conditions.map((condition) => conditionPart(patientId, condition, items, refused)).join('')}
<form class="search-form" method="post" action="${form.action}">
!${textField({ ...form.field('code', { maxlength: 20, required: true, autocomplete: 'off' }), label: 'Track a condition (ICD-10 code)' })}
!${button({ label: 'Track', kind: 'plain' })}</form>`,
  });
}

function conditionPart(patientId: number, condition: Condition, items: readonly CatalogueItem[], refused: RefusedForm | undefined): string {
  const { id, icdCode, icdLexCode } = condition;
  const code = icdCode ?? `Condition ${icdLexCode ?? id}`;
  const path = toPath(patientId, `conditions/${id}`);
  const form = formState({ action: path, present: typedTargets(condition), refused });
  const further = items.filter((item) => !condition.items.some((one) => one.item.id === item.id));
  const provider = condition.provider && (condition.provider.displayName ?? fullName(condition.provider));
  const team = [provider, condition.user && fullName(condition.user)].filter(Boolean).join(', ');
  return html`
<section class="check-in" aria-labelledby="condition-${id}">
<h3 id="condition-${id}">${code}</h3>
!${team === '' ? '' : html`<p class="hint"><bdi>${team}</bdi></p>`}
<ul class="reviews">!${condition.items.map(targetLine).join('')}</ul>
<details!${form.isRefused ? ' open' : ''}><summary>Change the targets of ${code}</summary>
<form class="stack" method="post" action="${path}">
<p class="hint">An empty field sets no limit; for an empty danger limit, the practice’s own applies. A changed target applies from now on.</p>
!${condition.items.map((measured) => targetFields(id, measured, form)).join('')}
!${further.length === 0 ? '' : selectField({ name: 'add', label: 'Also measure', options: html`<option value="">Nothing more</option>!${renderChoices(further)}`, attributes: { id: `add-${id}` } })}
<p class="row">!${button({ label: 'Save the targets' })}</p></form></details>
<div>!${confirmedButton({ id: `end-${id}`, label: `Stop tracking ${code}`, kind: 'plain', question: `Stop tracking ${code}?`, words: 'Its targets no longer apply. Measurements are kept.', form: { action: `${path}/end` } })}</div>
</section>`;
}

type Measured = Condition['items'][number];
const toLimits = ({ minTarget, maxTarget, dangerMin, dangerMax }: Measured) => ({
  min: minTarget?.toNumber() ?? null,
  max: maxTarget?.toNumber() ?? null,
  dangerMin: dangerMin?.toNumber() ?? null,
  dangerMax: dangerMax?.toNumber() ?? null,
});

function targetLine(measured: Measured): string {
  const { name, unit } = measured.item;
  const limits = toLimits(measured);
  const danger = writeDanger(limits, unit);
  const words = [writeTarget(limits, unit), danger && `danger ${danger}`].filter(Boolean).join('; ');
  return html`<li><bdi>${name}</bdi>: ${words || 'no target'}</li>`;
}

/** The fields of the targets of a condition, with the limits as they are. */
const typedTargets = ({ items }: Condition): Record<string, string> =>
  Object.fromEntries(
    items.flatMap((measured) => [
      [limitField('item', measured.item.id), 'yes'],
      ...ORDER.map((limit) => [limitField(limit, measured.item.id), String(toLimits(measured)[limit] ?? '')]),
    ]),
  );

const ORDER = ['dangerMin', 'min', 'max', 'dangerMax'] as const;

function targetFields(conditionId: number, { item: { id: itemId, name, unit } }: Measured, form: FormState): string {
  const keys = ORDER.map((limit) => {
    const id = `${limit}-${conditionId}-${itemId}`;
    const field = form.field(limitField(limit, itemId), { id, inputmode: 'decimal', autocomplete: 'off' });
    return textField({ ...field, label: LIMITS[limit] });
  });
  return html`
<fieldset class="target"><legend class="label"><bdi>${name}</bdi>${unit === null ? '' : ` (${unit})`}</legend>
<div class="search-form">!${keys.join('')}</div>
!${checkField({ ...form.box(limitField('item', itemId), { id: `item-${conditionId}-${itemId}` }), label: 'Measured for this condition' })}</fieldset>`;
}
