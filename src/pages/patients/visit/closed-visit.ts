import type { ClosedReason } from '../../../domain/telehealth/sessions/session-links.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { linkButton } from '../../design/forms/button.ts';
import type { PracticeHeader } from '../../design/layout/header.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { LOBBY } from './view.ts';
import { VISIT_WORDS } from './visit-words.ts';

interface ClosedVisit {
  role: 'host' | 'guest';
  why: ClosedReason;
  practice: PracticeHeader;
  language: Language;
  /** Of the page. */
  address: string;
}

/** The reason for which a link no longer works, in a language. */
export const closedMessage = (why: ClosedReason, language: Language): string => VISIT_WORDS[language].closed.titles[why];

/** The page of a link that no longer works. */
export function closedVisitPage({ why, role, ...page }: ClosedVisit): string {
  const { closed, over } = VISIT_WORDS[page.language];
  const content = role === 'host' ? html`<p>!${linkButton({ href: LOBBY, label: over.lobby })}</p>` : html`<p>${closed.advice}</p>`;
  return writePage({ ...page, title: closed.titles[why], content });
}
