import { header, type PracticeHeader } from '../design/header.ts';
import { icon } from '../design/icon.ts';
import { writeDocument } from '../design/page.ts';
import { EMERGENCY, practiceContact } from '../design/practice-contact.ts';
import { html } from '../html.ts';
import { roomScreen } from './room-view.ts';
import { VISIT_WORDS } from './visit-words.ts';

export interface VisitView {
  practice: PracticeHeader;
  /** Whether the page asks for a name: for guests without an invite. */
  asksForName: boolean;
  role: 'host' | 'guest';
  /** Whether it is the page of a waiting room. */
  isWaitingRoom?: boolean;
}

const WORDS = VISIT_WORDS;

/** The page of a visit with all its screens. The script shows one at a time. */
export const visitPage = (view: VisitView): string => {
  const { practice, role, isWaitingRoom = false } = view;
  const title = isWaitingRoom ? WORDS.titles.waitingRoom : WORDS.titles[role];
  return writeDocument({
    title,
    practice,
    bodyClass: 'visit',
    style: '/assets/visit.css',
    script: '/assets/client/visit.ts',
    body: html`
!${header(practice)}
<main data-practice="${practice.name}">
<noscript><p class="notice danger">${WORDS.noScript}</p></noscript>
<div class="notices">
<p id="status" class="notice" role="status" hidden></p>
<p id="alarm" class="notice danger" role="alert" hidden></p>
</div>
<p id="heard" class="visually-hidden" role="status"></p>
!${entryScreen(view, title)}
!${waitingScreen(view)}
!${roomScreen(role)}
!${overScreen(view)}
</main>`,
  });
};

const entryScreen = ({ practice, asksForName, role, isWaitingRoom = false }: VisitView, title: string): string => html`
<section id="before" class="screen" hidden>
<div class="card before">
<div class="look">
<div class="tile self">
<video id="preview" class="mirror" autoplay playsinline muted aria-label="${WORDS.before.ownPicture}" hidden></video>
<span id="preview-off" class="initials">!${icon('cameraOff')}</span>
</div>
<p id="asking" class="hint">${WORDS.before.asking}</p>
<p id="lacking" class="hint" aria-live="polite"></p>
</div>
<div class="ready">
<h1 tabindex="-1">${title}</h1>
<h2>${WORDS.before.checks}</h2>
!${checks()}
<form id="enter">
!${asksForName ? nameField() : ''}
<button class="button wide" type="submit">${isWaitingRoom ? WORDS.before.enterWaitingRoom : WORDS.before.join}</button>
</form>
</div>
</div>
!${role === 'guest' ? foot(practice) : ''}
</section>`;

const nameField = (): string => html`<div class="field"><label class="label" for="name">${WORDS.before.name}</label>
<p id="name-hint" class="hint">${WORDS.before.nameHint}</p>
<input id="name" class="input" name="name" autocomplete="name" maxlength="80" required aria-describedby="name-hint"></div>`;

const checks = (): string => html`
<ul class="checks">
<li id="check-camera">!${icon('camera')}<span><strong>${WORDS.before.camera}</strong> <span class="result"></span></span></li>
<li id="check-microphone">!${icon('microphone')}<span><strong>${WORDS.before.microphone}</strong> <span class="result"></span>
<meter id="level" min="0" max="100" low="8" value="0" aria-label="${WORDS.before.level}" hidden></meter></span></li>
<li id="check-speaker">!${icon('speaker')}<span><strong>${WORDS.before.speaker}</strong> <span class="result"></span></span>
<button id="tone" class="button plain small" type="button">${WORDS.before.tone}</button></li>
<li id="check-network">!${icon('network')}<span><strong>${WORDS.before.network}</strong> <span class="result"></span></span></li>
</ul>`;

const waitingScreen = ({ practice }: VisitView): string => html`
<section id="waiting" class="screen" hidden>
<div class="card waiting">
<h1 tabindex="-1">${WORDS.waiting.heading}</h1>
<p id="meet" class="meet" hidden>${WORDS.waiting.meet} <strong id="meet-whom"></strong><span id="meet-when"></span></p>
<p id="late" class="notice warning" role="status" hidden></p>
<h2>${WORDS.waiting.next}</h2>
<ul class="steps">
<li>${WORDS.waiting.knows(practice.name)}</li>
!${WORDS.waiting.steps.map((step) => html`<li>${step}</li>`)}
</ul>
<p class="hint">${WORDS.waiting.since} <strong id="since"></strong>.</p>
<button id="stop-waiting" class="button plain" type="button">${WORDS.waiting.leave}</button>
</div>
!${foot(practice)}
</section>`;

const overScreen = ({ practice }: VisitView): string => html`
<section id="over" class="screen" hidden>
<div class="card over">
<h1 id="over-title" tabindex="-1">${WORDS.over.heading}</h1>
<p id="goodbye"></p>
<div id="may-close" class="hint stack"><p>${WORDS.over.mayClose}</p>!${practiceContact(practice)}</div>
<button id="again" class="button" type="button" hidden>${WORDS.over.again}</button>
</div>
</section>`;

const foot = (practice: PracticeHeader): string => html`
<footer class="screen-foot"><p>!${EMERGENCY}</p>!${practiceContact(practice)}</footer>`;
