import { dialog } from '../design/dialog.ts';
import { html } from '../html.ts';
import { VISIT_WORDS } from './visit-words.ts';

const WORDS = VISIT_WORDS.dialogs;

const cancel = (words: string): string => html`<button class="button plain" type="submit" value="" formnovalidate>${words}</button>`;
const confirm = (words: string, style = ''): string => html`<button class="button ${style}" type="submit" value="yes">${words}</button>`;

/** The questions that the page asks a host before it acts. */
export const hostDialogs = (): string => html`
!${dialog({
  id: 'end-question',
  heading: WORDS.end.heading,
  content: html`<p>${WORDS.end.text}</p><p id="end-waiting" class="notice warning" hidden></p>`,
  buttons: cancel(WORDS.end.no) + confirm(WORDS.end.yes, 'danger'),
})}
!${dialog({
  id: 'remove-question',
  heading: WORDS.remove.heading,
  content: html`<p id="remove-who"></p>`,
  buttons: cancel(WORDS.remove.no) + confirm(WORDS.remove.yes, 'danger'),
})}
!${dialog({
  id: 'person-question',
  heading: WORDS.choosePerson.heading,
  content: html`<p>${WORDS.choosePerson.text}</p><div id="person-choices" class="choices"></div>`,
  buttons: cancel(WORDS.choosePerson.no),
})}
!${dialog({
  id: 'visit-question',
  heading: WORDS.chooseVisit.heading,
  content: html`<p id="visit-question-text"></p>`,
  buttons: html`<button class="button plain" type="submit" value="">${WORDS.chooseVisit.no}</button>
<button class="button plain" type="submit" value="current">${WORDS.chooseVisit.together}</button>
<button class="button" type="submit" value="new">${WORDS.chooseVisit.next}</button>`,
})}
!${requestDialog()}
!${attachDialog()}`;

const requestDialog = (): string =>
  dialog({
    id: 'request-question',
    heading: WORDS.request.heading,
    content: html`<p>${WORDS.request.text}</p>
<label class="label" for="request-who">${WORDS.request.who}</label>
<select class="input" id="request-who" name="who" required></select>
<label class="label" for="request-what">${WORDS.request.what}</label>
<input class="input" id="request-what" name="what" maxlength="100" required autocomplete="off" aria-describedby="request-hint">
<p id="request-hint" class="hint">${WORDS.request.whatHint}</p>`,
    buttons: cancel(WORDS.request.no) + confirm(WORDS.request.yes),
  });

const attachDialog = (): string =>
  dialog({
    id: 'attach-question',
    heading: WORDS.attach.heading,
    content: html`<p><strong id="attach-who"></strong></p><p>${WORDS.attach.text}</p>
<p id="attach-problem" class="field-error" role="alert" hidden></p>
<div class="side-by-side">
<p><label class="label" for="attach-name">${WORDS.attach.lastName}</label>
<input class="input" id="attach-name" name="lastname" maxlength="100" required autocomplete="off"></p>
<p><label class="label" for="attach-first-name">${WORDS.attach.firstName}</label>
<input class="input" id="attach-first-name" name="firstname" maxlength="100" autocomplete="off"></p>
</div>
<label class="label" for="attach-birth">${WORDS.attach.birthDate}</label>
<input class="input" id="attach-birth" name="birthdate" type="date" required>`,
    buttons: cancel(WORDS.attach.no) + confirm(WORDS.attach.yes),
  });

/** The screen on which a guest takes the picture that the host asked for. */
export const stillDialog = (): string => html`
<dialog id="still" class="dialog still" aria-labelledby="still-heading">
<h2 id="still-heading">${WORDS.still.heading}</h2>
<p id="still-what"></p>
<video id="still-preview" autoplay playsinline muted aria-label="${WORDS.still.preview}"></video>
<img id="still-taken" alt="${WORDS.still.taken}" hidden>
<p id="still-problem" class="field-error" role="alert" hidden></p>
<div class="dialog-actions">
<button id="still-no" class="button plain" type="button">${WORDS.still.no}</button>
<button id="still-again" class="button plain" type="button" hidden>${WORDS.still.again}</button>
<button id="still-take" class="button" type="button">${WORDS.still.take}</button>
<button id="still-send" class="button" type="button" hidden>${WORDS.still.send}</button>
</div>
</dialog>`;
