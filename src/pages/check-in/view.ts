import type { CheckInPage, ReviewComment } from '../../domain/messaging/check-ins/check-in-page.ts';
import { formatMoment } from '../../domain/messaging/templates/placeholder-values.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { callLink } from '../call-link.ts';
import { alert } from '../design/alert.ts';
import { writePage } from '../design/page.ts';
import { EMERGENCY, practiceContact } from '../design/practice-contact.ts';
import { html } from '../html.ts';
import { type FormState, writeForm } from './form.ts';

const EMPTY_FORM: FormState = { values: {}, errors: [] };

/**
 * The page behind a link of a check-in, in its present state.
 * @param address of the page, to which its form is sent
 * @param again whether answers were submitted a second time and discarded
 */
export function checkInView(visit: CheckInPage, address: string, { form = EMPTY_FORM, again = false } = {}): string {
  const { practice } = visit;
  switch (visit.state) {
    case 'open':
      return writePage({
        title: form.errors.length > 0 ? `Please look again: ${visit.survey}` : visit.survey,
        practice,
        content: html`
<p class="lead">!${greeting(visit.patientName)}${practice.name} would like to know how you are.</p>
!${writeForm(address, visit.questions, form)}`,
        foot: html`<p>Your answers may not be read right away. !${EMERGENCY}</p>!${practiceContact(practice)}`,
      });
    case 'answered':
      return answeredPage(visit, again);
    case 'expired':
      return writePage({
        title: 'This link has expired',
        mark: { icon: 'clock' },
        practice,
        content: html`
<p>It could be used until ${formatMoment(visit.expiresAt, practice.timeZone)}.</p>
<p>If there is something that we should know, please !${callLink(practice)}.</p>`,
      });
    case 'over':
      return writePage({
        title: 'This is not needed any more',
        mark: { icon: 'info' },
        practice,
        content: html`<p>Nobody waits for these answers now. If you have a question, please !${callLink(practice)}.</p>`,
      });
  }
}

function answeredPage({ practice, patientName, answeredAt, comments }: CheckInPage & { state: 'answered' }, again: boolean): string {
  const when = formatMoment(answeredAt, practice.timeZone);
  const notice = alert({
    kind: 'warning',
    content: html`<p>We have your answers already, so what you sent just now was not kept. If something has changed, please !${callLink(practice)}.</p>`,
    attributes: { role: 'alert' },
  });
  const said = comments.map((remark) => remarkFigure(remark, practice));
  return writePage({
    title: patientName === null ? 'Thank you' : `Thank you, ${patientName}`,
    mark: { icon: 'check', kind: 'success' },
    practice,
    content: html`
!${again ? notice : ''}
<p>${practice.name} got your answers on ${when}.</p>
!${said.length === 0 ? '' : html`<h2>What ${practice.name} says</h2>!${said.join('')}`}
`,
    foot: html`!${practiceContact(practice)}<p>!${EMERGENCY}</p>`,
  });
}

const remarkFigure = ({ message, by, at }: ReviewComment, { timeZone }: LinkPractice): string => html`
<figure><blockquote class="message" dir="auto">${message}</blockquote>
<figcaption class="hint">${by === '' ? '' : `${by}, `}${formatMoment(at, timeZone)}</figcaption></figure>`;

const greeting = (name: string | null): string => (name === null ? '' : html`Hello <bdi>${name}</bdi>, `);
