import { html } from '../../html.ts';
import type { VisitWords } from './visit-words.en.ts';

/** The strip above the stage, in which a host sees who waits. */
export const waitingPanel = ({ panels }: VisitWords): string => html`
<h2 id="waiters-heading" tabindex="-1">${panels.waiting}</h2>
<ul id="guests"></ul>`;

/** The chat of the present visit. */
export const chatPanel = ({ panels }: VisitWords): string => html`
<ol id="messages" aria-live="off"></ol>
<p class="chat-empty">${panels.noMessages}</p>
<form id="write">
<label class="visually-hidden" for="message">${panels.message}</label>
<input class="input" id="message" name="message" maxlength="2000" autocomplete="off" placeholder="${panels.write}">
<button class="button" type="submit">${panels.send}</button>
</form>`;
