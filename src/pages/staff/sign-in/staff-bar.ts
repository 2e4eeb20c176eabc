import { button } from '../../design/forms/button.ts';
import { html } from '../../html.ts';
import type { StaffMember } from './staff-scope.ts';

type Reader = Pick<StaffMember, 'role' | 'privacyOfficer'>;

/** The pages of staff by their addresses, and whom each is for. */
const PAGES = {
  '/lobby': { label: 'Lobby', isFor: () => true },
  '/monitoring': { label: 'Monitoring', isFor: () => true },
  '/break-glass': { label: 'Break-glass', isFor: ({ role, privacyOfficer }: Reader) => role !== 'staff' || privacyOfficer },
  '/administration': { label: 'Admin', isFor: ({ role }: Reader) => role === 'admin' },
  '/account': { label: 'Account', isFor: () => true },
} as const;

/**
 * The line above a page of staff: the ways to the others that are for this user, and out.
 * @param current the address of the page, or of the one that it belongs to
 */
export const staffBar = (current: keyof typeof PAGES, reader: Reader): string => html`
<div class="staff-bar">
<nav aria-label="Pages of the practice"><ul>!${Object.entries(PAGES)
  .filter(([, { isFor }]) => isFor(reader))
  .map(([address, { label }]) => html`<li><a href="${address}"!${address === current ? ' aria-current="true"' : ''}>${label}</a></li>`)
  .join('')}</ul></nav>
<form method="post" action="/sign-out">!${button({ label: 'Sign out', kind: 'plain' })}</form>
</div>`;
