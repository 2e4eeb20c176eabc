import { html } from '../html.ts';

/** The strip above the stage, in which a host sees who waits. */
export const waitingPanel = (): string => html`
<h2 id="waiters-heading" tabindex="-1">Waiting</h2>
<ul id="guests"></ul>`;

/** The chat of the present visit. */
export const chatPanel = (): string => html`
<ol id="messages" aria-live="off"></ol>
<form id="write">
<label class="visually-hidden" for="message">Your message</label>
<input class="input" id="message" name="message" maxlength="2000" autocomplete="off" placeholder="Write a message">
<button class="button" type="submit">Send</button>
</form>`;
