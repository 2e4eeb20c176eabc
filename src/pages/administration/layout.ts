import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { alert } from '../design/alert.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';
import { staffBar } from '../sign-in/staff-bar.ts';

/** The pages of administration by their addresses. */
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
  current: keyof typeof PAGES;
  /** The reason for which a form was refused. */
  problem?: string | undefined;
  /** Markup of the sections. */
  content: string;
}

/** A page of administration, below the links to the others. */
export const administrationPage = ({ practice, current, problem, content }: AdministrationPage): string =>
  writePage({
    title: PAGES[current],
    practice,
    layout: 'wide',
    content: html`
!${staffBar('/administration', READER)}
<nav aria-label="Administration"><p class="row">!${Object.entries(PAGES)
      .map(([address, label]) => html`<a href="${address}"!${address === current ? ' aria-current="page"' : ''}>${label}</a>`)
      .join(' ')}</p></nav>
!${problem === undefined ? '' : alert({ kind: 'danger', content: html`<p>${problem}</p>`, attributes: { role: 'alert' } })}
!${content}`,
  });

/** Options of a select field. */
export const optionsOf = (choices: Readonly<Record<string, string>>, chosen: string): string =>
  Object.entries(choices)
    .map(([value, label]) => html`<option value="${value}"!${value === chosen ? ' selected' : ''}>${label}</option>`)
    .join('');

/** An instant on the clocks of the practice; a dash where there is none. */
export const timeIn = (at: Date | null, { timeZone }: Pick<LinkPractice, 'timeZone'>): string =>
  at === null ? '–' : at.toLocaleString('en-US', { timeZone, dateStyle: 'medium', timeStyle: 'short' });
