import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { icon } from '../../design/content/icon.ts';
import { linkButton } from '../../design/forms/button.ts';
import { header } from '../../design/layout/header.ts';
import { writeDocument } from '../../design/layout/page.ts';
import { PAGE_WORDS } from '../../design/layout/page-words.ts';
import { emergencyCall, practiceContact } from '../../design/layout/practice-contact.ts';
import { html } from '../../html.ts';
import { roomScreen } from './room-view.ts';
import type { VisitWords } from './visit-words.en.ts';
import { VISIT_WORDS } from './visit-words.ts';

/** The page of the practice on which its people see who waits. */
export const LOBBY = '/lobby';

export interface VisitView {
  practice: LinkPractice;
  language: Language;
  /** Of the page. */
  address: string;
  /** Whether the page asks for a name: for guests without an invite. */
  asksForName: boolean;
  role: 'host' | 'guest';
  isWaitingRoom?: boolean;
}

/** The page of a visit with all its screens. The script shows one at a time. */
export const visitPage = (view: VisitView): string => {
  const { practice, role, language, isWaitingRoom = false } = view;
  const words = VISIT_WORDS[language];
  const title = isWaitingRoom ? words.titles.waitingRoom : words.titles[role];
  return writeDocument({
    title,
    practice,
    language,
    bodyClass: 'visit',
    style: '/assets/visit.css',
    script: '/assets/client/visit.ts',
    body: html`
<a class="skip-link" href="#content">${PAGE_WORDS[language].skip}</a>
!${header(view)}
<main id="content" tabindex="-1" data-practice="${practice.name}" data-time-zone="${practice.timeZone}">
<noscript><p class="notice danger">${words.noScript}</p></noscript>
<div class="notices">
<p id="status" class="notice" role="status" hidden></p>
<p id="alarm" class="notice danger" role="alert" hidden></p>
</div>
<p id="heard" class="visually-hidden" role="status"></p>
!${entryScreen(view, title, words)}
!${waitingScreen(view, words)}
!${roomScreen(view, words)}
!${overScreen(view, words)}
</main>`,
  });
};

const entryScreen = (view: VisitView, title: string, words: VisitWords): string => html`
<section id="before" class="screen" hidden>
<div class="card before">
<div class="look">
<div class="tile self">
<video id="preview" class="mirror" autoplay playsinline muted aria-label="${words.before.ownPicture}" hidden></video>
<span id="preview-off" class="initials">!${icon('cameraOff')}</span>
</div>
<p id="asking" class="hint">${words.before.asking}</p>
<p id="lacking" class="hint" aria-live="polite"></p>
</div>
<div class="ready">
<h1 tabindex="-1">${title}</h1>
<h2>${words.before.checks}</h2>
!${checks(words)}
<form id="enter">
!${view.asksForName ? nameField(words) : ''}
<button class="button wide" type="submit">${view.isWaitingRoom ? words.before.enterWaitingRoom : words.before.join}</button>
</form>
</div>
</div>
!${foot(view)}
</section>`;

const nameField = (words: VisitWords): string => html`<div class="field"><label class="label" for="name">${words.before.name}</label>
<p id="name-hint" class="hint">${words.before.nameHint}</p>
<input id="name" class="input" name="name" autocomplete="name" maxlength="80" required aria-describedby="name-hint"></div>`;

const checks = (words: VisitWords): string => html`
<ul class="checks">
<li id="check-camera">!${icon('camera')}<span><strong>${words.before.camera}</strong> <span class="result"></span></span></li>
<li id="check-microphone">!${icon('microphone')}<span><strong>${words.before.microphone}</strong> <span class="result"></span>
<meter id="level" min="0" max="100" low="8" value="0" aria-label="${words.before.level}" hidden></meter></span></li>
<li id="check-speaker">!${icon('speaker')}<span><strong>${words.before.speaker}</strong> <span class="result"></span></span>
<button id="tone" class="button plain small" type="button">${words.before.tone}</button></li>
<li id="check-network">!${icon('network')}<span><strong>${words.before.network}</strong> <span class="result"></span></span></li>
</ul>`;

const waitingScreen = (view: VisitView, words: VisitWords): string => html`
<section id="waiting" class="screen" hidden>
<div class="card waiting">
<h1 tabindex="-1">${words.waiting.heading}</h1>
<p id="meet" class="meet" hidden>${words.waiting.meet} <strong id="meet-whom"></strong><span id="meet-when"></span></p>
<p id="late" class="notice warning" role="status" hidden></p>
<h2>${words.waiting.next}</h2>
<ul class="steps">
<li>${words.waiting.knows(view.practice.name)}</li>
!${words.waiting.steps.map((step) => html`<li>${step}</li>`)}
</ul>
<p class="hint">${words.waiting.since} <strong id="since"></strong>${words.waiting.sinceEnd}</p>
<button id="stop-waiting" class="button plain" type="button">${words.waiting.leave}</button>
</div>
!${foot(view)}
</section>`;

const overScreen = (view: VisitView, words: VisitWords): string => html`
<section id="over" class="screen" hidden>
<div class="card over">
<h1 id="over-title" tabindex="-1">${words.over.heading}</h1>
<p id="goodbye"></p>
<div id="may-close" class="stack">!${view.role === 'host' ? lobbyLink(words) : whatIsNext(view, words)}</div>
<button id="again" class="button${view.role === 'host' ? ' plain' : ''}" type="button" hidden>${words.over.again}</button>
</div>
</section>`;

/** The way of a host to who waits and to the summary of the visit, which the script names in the address. */
const lobbyLink = ({ over }: VisitWords): string =>
  html`<p>!${linkButton({ href: LOBBY, label: over.lobby, attributes: { id: 'to-lobby' } })}</p>`;

/** The script shows the first part where the visit is over. */
const whatIsNext = ({ practice, language }: VisitView, { over }: VisitWords): string => html`
<div id="what-is-next" hidden><h2>${over.next}</h2><p>${over.nextWords}</p></div>
<div class="hint stack"><p>${over.mayClose}</p>!${practiceContact(practice, language)}</div>`;

/** For patients: nothing on the page of a host. */
const foot = ({ practice, language, role }: VisitView): string =>
  role === 'host'
    ? ''
    : html`
<footer class="screen-foot"><p>!${emergencyCall(language)}</p>!${practiceContact(practice, language)}</footer>`;
