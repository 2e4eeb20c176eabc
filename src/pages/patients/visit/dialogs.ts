import { RECORDING_QUESTION } from '../../../domain/telehealth/sessions/recording-consent.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { dialog } from '../../design/feedback/dialog.ts';
import { html } from '../../html.ts';
import type { VisitWords } from './visit-words.en.ts';

type DialogWords = VisitWords['dialogs'];

const cancel = (words: string): string => html`<button class="button plain" type="button" value="">${words}</button>`;
const confirm = (words: string, style = ''): string => html`<button class="button ${style}" type="submit" value="yes">${words}</button>`;

/** The questions that the page asks a host before it acts. */
export const hostDialogs = ({ dialogs }: VisitWords): string => html`
!${dialog({
  id: 'end-question',
  heading: dialogs.end.heading,
  content: html`<p>${dialogs.end.text}</p><p id="end-waiting" class="notice warning" hidden></p>`,
  buttons: cancel(dialogs.end.no) + confirm(dialogs.end.yes, 'danger'),
})}
!${dialog({
  id: 'remove-question',
  heading: dialogs.remove.heading,
  content: html`<p id="remove-who"></p>`,
  buttons: cancel(dialogs.remove.no) + confirm(dialogs.remove.yes, 'danger'),
})}
!${dialog({
  id: 'person-question',
  heading: dialogs.choosePerson.heading,
  content: html`<p>${dialogs.choosePerson.text}</p><div id="person-choices" class="choices"></div>`,
  buttons: cancel(dialogs.choosePerson.no),
})}
!${dialog({
  id: 'visit-question',
  heading: dialogs.chooseVisit.heading,
  content: html`<p id="visit-question-text"></p>`,
  buttons: html`!${cancel(dialogs.chooseVisit.no)}
<button id="visit-together" class="button plain" type="button" value="current">${dialogs.chooseVisit.together}</button>
<button id="visit-next" class="button" type="submit" value="new">${dialogs.chooseVisit.next}</button>`,
})}
!${requestDialog(dialogs)}
!${attachDialog(dialogs)}`;

const requestDialog = (dialogs: DialogWords): string =>
  dialog({
    id: 'request-question',
    heading: dialogs.request.heading,
    content: html`<p>${dialogs.request.text}</p>
<label class="label" for="request-who">${dialogs.request.who}</label>
<select class="input" id="request-who" name="who" required></select>
<label class="label" for="request-what">${dialogs.request.what}</label>
<input class="input" id="request-what" name="what" maxlength="100" required autocomplete="off" aria-describedby="request-hint">
<p id="request-hint" class="hint">${dialogs.request.whatHint}</p>`,
    buttons: cancel(dialogs.request.no) + confirm(dialogs.request.yes),
  });

const attachDialog = (dialogs: DialogWords): string =>
  dialog({
    id: 'attach-question',
    heading: dialogs.attach.heading,
    content: html`<p><strong id="attach-who"></strong></p><p>${dialogs.attach.text}</p>
<p id="attach-problem" class="field-error" role="alert" hidden></p>
<div class="side-by-side">
<p><label class="label" for="attach-name">${dialogs.attach.lastName}</label>
<input class="input" id="attach-name" name="lastname" maxlength="100" required autocomplete="off"></p>
<p><label class="label" for="attach-first-name">${dialogs.attach.firstName}</label>
<input class="input" id="attach-first-name" name="firstname" maxlength="100" autocomplete="off"></p>
</div>
<label class="label" for="attach-birth">${dialogs.attach.birthDate}</label>
<input class="input" id="attach-birth" name="birthdate" type="date" required>`,
    buttons: cancel(dialogs.attach.no) + confirm(dialogs.attach.yes),
  });

/** Asks a person in the room before they are recorded. */
export const recordDialog = ({ dialogs }: VisitWords, language: Language): string =>
  dialog({
    id: 'record-question',
    heading: dialogs.record.heading,
    content: html`<p>${RECORDING_QUESTION[language]}</p>`,
    buttons: cancel(dialogs.record.no) + confirm(dialogs.record.yes),
  });

/** The screen on which a guest takes the picture that the host asked for. */
export const stillDialog = ({ dialogs }: VisitWords): string => html`
<dialog id="still" class="dialog still" aria-labelledby="still-heading">
<h2 id="still-heading">${dialogs.still.heading}</h2>
<p id="still-what"></p>
<video id="still-preview" autoplay playsinline muted aria-label="${dialogs.still.preview}"></video>
<img id="still-taken" alt="${dialogs.still.taken}" hidden>
<p id="still-problem" class="field-error" role="alert" hidden></p>
<div class="dialog-actions">
<button id="still-no" class="button plain" type="button">${dialogs.still.no}</button>
<button id="still-again" class="button plain" type="button" hidden>${dialogs.still.again}</button>
<button id="still-take" class="button" type="button" autofocus>${dialogs.still.take}</button>
<button id="still-send" class="button" type="button" hidden>${dialogs.still.send}</button>
</div>
</dialog>`;
