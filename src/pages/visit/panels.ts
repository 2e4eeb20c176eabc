import { html } from '../html.ts';
import { VISIT_WORDS } from './visit-words.ts';

const WORDS = VISIT_WORDS.panels;

/** The strip above the stage, in which a host sees who waits. */
export const waitingPanel = (): string => html`
<h2 id="waiters-heading" tabindex="-1">${WORDS.waiting}</h2>
<ul id="guests"></ul>`;

/** The chat of the present visit. */
export const chatPanel = (): string => html`
<ol id="messages" aria-live="off"></ol>
<p class="chat-empty">${WORDS.noMessages}</p>
<form id="write">
<label class="visually-hidden" for="message">${WORDS.message}</label>
<input class="input" id="message" name="message" maxlength="2000" autocomplete="off" placeholder="${WORDS.write}">
<button class="button" type="submit">${WORDS.send}</button>
</form>`;
