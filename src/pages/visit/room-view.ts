import { type IconName, icon } from '../design/icon.ts';
import { html } from '../html.ts';
import { hostDialogs, stillDialog } from './dialogs.ts';
import { chatPanel, waitingPanel } from './panels.ts';
import { VISIT_WORDS } from './visit-words.ts';

const WORDS = VISIT_WORDS.room;
const TOOLS = VISIT_WORDS.tools;

/** The screen of a visit under way: the stage, who waits, the chat, and the bar of buttons. */
export const roomScreen = (role: 'host' | 'guest'): string => html`
<section id="room" class="room" aria-label="${WORDS.label}" hidden>
<div class="room-head">
<h1 id="room-title" tabindex="-1">${WORDS.heading}</h1>
<p id="recorded" class="mark recording" role="status" hidden><span class="full">${WORDS.recorded}</span><span class="short" aria-hidden="true">${WORDS.recording}</span></p>
<p id="locked" class="mark" hidden>${WORDS.locked}</p>
</div>
<div id="waiting-panel" class="strip" hidden>!${waitingPanel()}</div>
<div class="stage-frame">
<div id="stage" class="stage" data-tiles="1">
<div id="people"></div>
<figure id="self-tile" class="tile self">
<video id="self" class="mirror" autoplay playsinline muted aria-label="${VISIT_WORDS.before.ownPicture}"></video>
<span id="self-initials" class="initials" aria-hidden="true"></span>
<figcaption><span class="name">${WORDS.you}</span><span id="self-state" class="state"></span></figcaption>
</figure>
<div id="alone" class="alone"><p><strong>${WORDS.alone}</strong></p><p>${WORDS.aloneHint}</p></div>
</div>
</div>
!${sidePanels()}
!${bar(role)}
!${role === 'host' ? hostDialogs() : stillDialog()}
</section>`;

const sidePanels = (): string => html`
<aside id="side" class="side" hidden>
<section id="chat-side" aria-label="${WORDS.chat}" hidden>
<div class="side-head"><h2>${WORDS.chat}</h2>!${closeButton()}</div>
<div id="chat-panel">!${chatPanel()}</div>
</section>
<section id="people-side" aria-label="${WORDS.people}" hidden>
<div class="side-head"><h2>${WORDS.people}</h2>!${closeButton()}</div>
<div id="people-panel"><ul id="people-list"></ul></div>
</section>
</aside>`;

const closeButton = (): string =>
  html`<button class="button plain close" type="button" data-close aria-label="${WORDS.close}">!${icon('close')}</button>`;

interface Tool {
  id: string;
  icon: IconName;
  /** Icon while the button is in its other state. */
  other?: IconName;
  words: string;
  style?: string;
  hidden?: boolean;
  /** Id of what the button opens. */
  opens?: string;
  /** Markup beside the words. */
  beside?: string;
}

const tool = ({ id, icon: name, other, words, style = '', hidden = false, opens, beside = '' }: Tool): string => html`
<button id="${id}" type="button" class="tool ${style}"!${opens ? html` aria-expanded="false" aria-controls="${opens}"` : ''}!${hidden ? ' hidden' : ''}>
<span class="disc">!${icon(name, other ? 'is-on' : '')}!${other ? icon(other, 'is-off') : ''}!${beside}</span>
<span class="words">${words}</span>
</button>`;

const UNREAD = html`<span id="chat-count" class="count" hidden></span>`;

const bar = (role: 'host' | 'guest'): string => html`
<div class="bar" role="group" aria-label="${WORDS.bar}">
!${tool({ id: 'microphone', icon: 'microphone', other: 'microphoneOff', words: TOOLS.microphone, hidden: true })}
!${tool({ id: 'camera', icon: 'camera', other: 'cameraOff', words: TOOLS.camera, hidden: true })}
!${tool({ id: 'chat', icon: 'chat', words: TOOLS.chat, opens: 'chat-side', beside: UNREAD })}
<div id="more-tools" class="more-tools">
!${tool({ id: 'turn', icon: 'turn', words: TOOLS.turn, hidden: true })}
!${tool({ id: 'blur', icon: 'blur', words: TOOLS.blur, hidden: true })}
!${role === 'host' ? hostTools() : ''}
!${tool({ id: 'people-button', icon: 'people', words: TOOLS.people, opens: 'people-side' })}
!${role === 'host' ? tool({ id: 'end', icon: 'end', words: TOOLS.end }) : ''}
</div>
!${tool({ id: 'more', icon: 'more', words: TOOLS.more, opens: 'more-tools' })}
!${tool({ id: 'leave', icon: 'leave', words: TOOLS.leave, style: 'danger' })}
</div>`;

const hostTools = (): string => html`
!${tool({ id: 'share', icon: 'share', words: TOOLS.share, hidden: true })}
!${tool({ id: 'picture', icon: 'picture', words: TOOLS.picture })}
!${tool({ id: 'request', icon: 'request', words: TOOLS.request })}
!${tool({ id: 'record', icon: 'record', words: TOOLS.record })}
!${tool({ id: 'lock', icon: 'lock', words: TOOLS.lock })}`;
