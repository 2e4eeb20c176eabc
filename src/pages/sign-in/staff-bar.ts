import { button } from '../design/button.ts';
import { html } from '../html.ts';

/** The pages of staff by their addresses. */
const PAGES = { '/lobby': 'Lobby', '/monitoring': 'Monitoring', '/administration': 'Administration', '/account': 'Your account' } as const;

/**
 * The line above a page of staff: the ways to the others, and out.
 * @param current the address of the page, or of the one that it belongs to
 */
export const staffBar = (current: keyof typeof PAGES): string => html`
<div class="staff-bar">
<nav aria-label="Pages of the practice"><ul>!${Object.entries(PAGES)
  .map(([address, label]) => html`<li><a href="${address}"!${address === current ? ' aria-current="true"' : ''}>${label}</a></li>`)
  .join('')}</ul></nav>
<form method="post" action="/sign-out">!${button({ label: 'Sign out', kind: 'plain' })}</form>
</div>`;
