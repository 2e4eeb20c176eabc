import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { writeMoment } from '../../../http/trend-figures/words.ts';
import { alert } from '../../design/feedback/alert.ts';
import { selectOptions } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import type { FormState, RefusedForm } from '../forms/form-state.ts';
import { refusalAlert } from '../forms/refusal.ts';
import { staffBar } from '../sign-in/staff-bar.ts';

const PAGES = {
  '/administration/users': 'Users',
  '/administration/clients': 'API clients',
  '/administration/policies': 'Security policy',
  '/administration/single-sign-on': 'Single sign-on',
  '/administration/audit': 'Audit',
} as const;

/** Nobody else opens these pages. */
const READER = { role: 'admin', privacyOfficer: false } as const;

export interface AdministrationPage {
  practice: LinkPractice;
  /** The page, or the one that it belongs to. */
  current: keyof typeof PAGES;
  /** Of a page that belongs to another one, such as the name of a user. */
  title?: string;
  /** The form that was refused, and the states of the forms on the page. */
  refused?: RefusedForm | undefined;
  forms?: readonly FormState[];
  /** Says that a form was carried out. */
  news?: string | undefined;
  script?: string;
  /** Markup of the sections. */
  content: string;
}

export const administrationPage = ({ practice, current, title, refused, forms = [], news, script, content }: AdministrationPage): string =>
  writePage({
    title: title ?? PAGES[current],
    practice,
    layout: 'wide',
    ...(script === undefined ? {} : { script }),
    ...(title === undefined ? {} : { back: { href: current, label: PAGES[current] } }),
    content: html`
!${staffBar('/administration', READER)}
<nav class="section-nav" aria-label="Administration"><ul>!${Object.entries(PAGES)
      .map(([address, label]) => html`<li><a href="${address}"!${address === current ? ' aria-current="page"' : ''}>${label}</a></li>`)
      .join('')}</ul></nav>
!${
      refused === undefined
        ? ''
        : refusalAlert(
            refused,
            forms.some(({ isMarked }) => isMarked),
          )
    }
!${news === undefined ? '' : alert({ kind: 'success', content: html`<p>${news}</p>`, attributes: { role: 'status' } })}
!${content}`,
  });

export const renderOptions = (choices: Readonly<Record<string, string>>, chosen: string): string =>
  selectOptions(
    Object.entries(choices).map(([value, label]) => ({ value, label })),
    chosen,
  );

/** An instant on the clocks of the practice; a dash where there is none. */
export const timeIn = (at: Date | null, { timeZone }: Pick<LinkPractice, 'timeZone'>): string =>
  at === null ? '–' : writeMoment(at, timeZone);
