import type { CheckInPage, ReviewComment } from '../../../domain/messaging/check-ins/check-in-page.ts';
import { surveyInLanguage } from '../../../domain/messaging/check-ins/survey-wordings.ts';
import { longMoment } from '../../../domain/messaging/templates/appointment-times.ts';
import type { PatientGuidance } from '../../../domain/monitoring/alerts/patient-guidance.ts';
import type { AnsweredValue } from '../../../domain/monitoring/readings/answered-values.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { alert } from '../../design/feedback/alert.ts';
import { linkButton } from '../../design/forms/button.ts';
import { writePage } from '../../design/layout/page.ts';
import { emergencyCall, practiceContact } from '../../design/layout/practice-contact.ts';
import { html } from '../../html.ts';
import { callLink } from '../../links/call-link.ts';
import { CHECK_IN_WORDS, type CheckInWords, writeNumber } from './check-in-words.ts';
import { type FormState, writeForm } from './form.ts';

const EMPTY_FORM: FormState = { values: {}, errors: [] };

export interface CheckInView {
  /** Of the page, to which its form is sent. */
  address: string;
  language: Language;
  form?: FormState;
  /** Answers were submitted a second time: `unkept`, or `urgent`, so that the practice knows what is urgent among them. */
  again?: 'unkept' | 'urgent';
  /** Of an answered check-in. */
  values?: readonly AnsweredValue[];
  /** The words about what to do now, where something urgent was answered. */
  guidance?: PatientGuidance | null;
}

/** The page behind a link of a check-in, in its present state. */
export function checkInView(visit: CheckInPage, view: CheckInView): string {
  const { address, language, form = EMPTY_FORM, guidance = null } = view;
  const { practice } = visit;
  const words = CHECK_IN_WORDS[language];
  const page = { practice, language, address };
  const call = callLink(practice, language);
  switch (visit.state) {
    case 'open': {
      const survey = surveyInLanguage(visit.wording, language, visit.patientLanguage);
      return writePage({
        ...page,
        title: form.errors.length > 0 ? words.lookAgain(survey.name) : survey.name,
        content: html`
!${guidance === null ? '' : guidanceAlert(guidance, practice, language)}
<p class="lead">!${words.lead(visit.patientName, practice.name)}</p>
!${writeForm({ ...form, address, language, questions: visit.questions, survey })}`,
        foot: html`<p>${words.notReadAtOnce} !${emergencyCall(language)}</p>!${practiceContact(practice, language)}`,
      });
    }
    case 'answered':
      return answeredPage(visit, view);
    case 'expired':
      return writePage({
        ...page,
        title: words.expired,
        mark: { icon: 'clock' },
        content: html`
!${guidance === null ? '' : guidanceAlert(guidance, practice, language)}
<p>${words.usableUntil(longMoment(visit.expiresAt, practice.timeZone, language))}</p>
<p>!${words.tellUs(call)}</p>`,
      });
    case 'over':
      return writePage({ ...page, title: words.over, mark: { icon: 'info' }, content: html`<p>!${words.nobodyWaits(call)}</p>` });
  }
}

function answeredPage(visit: CheckInPage & { state: 'answered' }, view: CheckInView): string {
  const { address, language, again, values = [], guidance = null } = view;
  const { practice, patientName, answeredAt, comments } = visit;
  const words = CHECK_IN_WORDS[language];
  const call = callLink(practice, language);
  const notice = alert({
    kind: 'warning',
    content: html`<p>!${again === 'urgent' ? words.urgentAgain(call) : words.keptAlready(call)}</p>`,
    attributes: { role: 'alert' },
  });
  const writeLongMoment = (instant: Date) => longMoment(instant, practice.timeZone, language);
  const said = comments.map((remark) => remarkFigure(remark, writeLongMoment(remark.at)));
  return writePage({
    title: words.thanks(patientName),
    mark: guidance !== null ? { icon: 'warning', kind: 'warning' } : { icon: 'check', kind: 'success' },
    practice,
    language,
    address,
    content: html`
!${guidance === null ? '' : guidanceAlert(guidance, practice, language)}
!${again === undefined ? '' : notice}
<p>${words.got(practice.name, writeLongMoment(answeredAt))}</p>
!${renderValues(values, words)}
!${said.length === 0 ? '' : html`<h2>${words.says(practice.name)}</h2>!${said.join('')}`}
`,
    foot: html`!${practiceContact(practice, language)}<p>!${emergencyCall(language)}</p>`,
  });
}

/** The practice's words, and the two numbers to call. */
const guidanceAlert = (guidance: PatientGuidance, practice: LinkPractice, language: Language): string =>
  alert({
    kind: 'danger',
    title: CHECK_IN_WORDS[language].doNow,
    content: html`<p class="message"!${guidance.language === language ? '' : html` lang="${guidance.language}"`}>${guidance.body}</p>
<p class="row">!${practice.phone === null ? '' : linkButton({ href: `tel:${practice.phone}`, label: CHECK_IN_WORDS[language].callPractice, icon: 'phone' })}!${linkButton({ href: 'tel:911', label: CHECK_IN_WORDS[language].call911, icon: 'phone', kind: 'danger' })}</p>`,
    attributes: { role: 'alert' },
  });

/** Each measured value with the target that was applied to it. */
const renderValues = (values: readonly AnsweredValue[], words: CheckInWords): string =>
  values.length === 0
    ? ''
    : html`<h2>${words.values}</h2><ul class="list">!${values
        .map(
          (
            value,
          ) => html`<li><div class="list-text"><p>${value.question}: <strong>${writeNumber(value.value)}${value.item.unit === null ? '' : ` ${value.item.unit}`}</strong></p>
<span class="hint">${words.ofTarget(value)}</span></div></li>`,
        )
        .join('')}</ul>`;

const remarkFigure = ({ message, by }: ReviewComment, when: string): string => html`
<figure><blockquote class="message" dir="auto">${message}</blockquote>
<figcaption class="hint">${by === '' ? '' : `${by}, `}${when}</figcaption></figure>`;
