import type { PracticeHeader } from '../design/header.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';

export interface VisitView {
  practice: PracticeHeader;
  /** Whether the page asks for a name: for guests without an invite. */
  asksForName: boolean;
  role: 'host' | 'guest';
  /** Whether it is the page of a waiting room. */
  isWaitingRoom?: boolean;
}

/** The page of a visit with all its screens. The script shows one at a time. */
export const visitPage = ({ practice, asksForName, role, isWaitingRoom = false }: VisitView): string =>
  writePage({
    title: isWaitingRoom ? 'The waiting room' : role === 'host' ? 'Video visit' : 'Your video visit',
    practice,
    style: '/assets/visit.css',
    script: '/assets/client/visit.ts',
    content: html`
<noscript><p class="notice alarm">This page needs a browser that runs scripts, with a camera and a microphone. Please open the link in another browser, or call your practice.</p></noscript>
<p id="status" class="notice" role="status" hidden></p>
<p id="alarm" class="notice alarm" role="alert" hidden></p>
!${entryScreen(asksForName, isWaitingRoom)}
!${waitingScreen(practice.name)}
!${roomScreen(role)}
<section id="over" hidden>
<h2 tabindex="-1">Goodbye</h2>
<p id="goodbye"></p>
<p id="may-close" class="hint">You can close this page. If you need anything else, please call your practice.</p>
<button id="again" type="button" hidden>Join again</button>
</section>`,
  });

const entryScreen = (asksForName: boolean, isWaitingRoom: boolean): string => html`
<section id="before" hidden>
<h2 tabindex="-1">Before you go in</h2>
<p id="asking">Your browser asks whether this page may use your camera and your microphone. Please allow it.</p>
<video id="preview" class="mirror" autoplay playsinline muted aria-label="Your own picture" hidden></video>
<p id="lacking" class="hint" aria-live="polite"></p>
<form id="enter">
!${
  asksForName
    ? html`<label class="question" for="name">Your name</label>
<p id="name-hint" class="hint">So that your practice knows who is there.</p>
<input id="name" name="name" autocomplete="name" maxlength="80" required aria-describedby="name-hint">`
    : ''
}
<p><button type="submit">${isWaitingRoom ? 'Go into the waiting room' : 'Join'}</button></p>
</form>
</section>`;

const waitingScreen = (practice: string): string => html`
<section id="waiting" hidden>
<h2 tabindex="-1">Please wait a moment</h2>
<p>You have been in the waiting room since <strong id="since"></strong>. ${practice} knows that you are here. Keep this page open: it goes on by itself.</p>
<button id="stop-waiting" class="quiet" type="button">Leave</button>
</section>`;

const roomScreen = (role: 'host' | 'guest'): string => html`
<section id="room" aria-label="Video visit" hidden>
<h2 tabindex="-1" class="heard-only">You are in the visit</h2>
<p id="recorded" class="notice alarm" role="status" hidden>This visit is being recorded.</p>
<p id="heard" class="heard-only" role="status"></p>
<p id="alone" class="hint">Nobody else is here yet.</p>
<div id="people" class="stage"></div>
<video id="self" class="self mirror" autoplay playsinline muted aria-label="Your own picture"></video>
<div class="tools">
<button id="microphone" type="button" class="quiet" aria-pressed="false" hidden>Mute</button>
<button id="camera" type="button" class="quiet" aria-pressed="false" hidden>Camera off</button>
!${
  role === 'host'
    ? html`<button id="picture" type="button" class="quiet">Take a picture</button>
<button id="record" type="button" class="quiet" aria-pressed="false">Record</button>`
    : ''
}
<button id="hang-up" type="button">Hang up</button>
!${role === 'host' ? html`<button id="end" type="button" class="quiet">End for all</button>` : ''}
</div>
<div id="waiters"${role === 'host' ? '' : ' hidden'}>
<h3 id="waiters-heading" tabindex="-1">Waiting</h3>
<p id="nobody-waits" class="hint">Nobody waits.</p>
<ul id="guests" class="plain"></ul>
</div>
</section>`;
