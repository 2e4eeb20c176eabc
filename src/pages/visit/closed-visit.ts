import type { ClosedReason } from '../../domain/telehealth/session-links.ts';
import type { PracticeHeader } from '../design/header.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';

/** Messages for links that no longer work, by the reason. */
export const CLOSED_MESSAGES: Record<ClosedReason, string> = {
  link_expired: 'This link has expired.',
  link_withdrawn: 'This link was withdrawn by your practice.',
  appointment_cancelled: 'Your appointment was cancelled.',
  session_ended: 'This visit has ended.',
};

/** The page of a link that no longer works. */
export const closedVisitPage = (why: ClosedReason, practice: PracticeHeader): string =>
  writePage({
    title: CLOSED_MESSAGES[why],
    practice,
    content: html`<p>You can close this page. If you still need a visit, please call your practice and ask for a new link.</p>`,
  });
