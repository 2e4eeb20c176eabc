import type { ClosedReason } from '../../../domain/telehealth/sessions/session-links.ts';
import type { Language } from '../../../domain/values/languages.ts';
import type { PracticeHeader } from '../../design/layout/header.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { VISIT_WORDS } from './visit-words.ts';

interface ClosedVisit {
  why: ClosedReason;
  practice: PracticeHeader;
  language: Language;
  /** Of the page. */
  address: string;
}

/** The reason for which a link no longer works, in a language. */
export const closedMessage = (why: ClosedReason, language: Language): string => VISIT_WORDS[language].closed.titles[why];

/** The page of a link that no longer works. */
export const closedVisitPage = ({ why, ...page }: ClosedVisit): string =>
  writePage({ ...page, title: closedMessage(why, page.language), content: html`<p>${VISIT_WORDS[page.language].closed.advice}</p>` });
