import type { Language } from '../../../domain/values/languages.ts';
import { type IconName, icon } from '../../design/content/icon.ts';
import type { PracticeHeader } from '../../design/layout/header.ts';
import { practiceContact } from '../../design/layout/practice-contact.ts';
import { html } from '../../html.ts';
import { hostDialogs, recordDialog, stillDialog } from './dialogs.ts';
import type { VisitWords } from './visit-words.en.ts';

/** The strip above the stage, in which a host sees who waits. */
const waitingPanel = ({ panels }: VisitWords): string => html`
<h2 id="waiters-heading" tabindex="-1">${panels.waiting}</h2>
<ul id="guests"></ul>`;

const chatPanel = ({ panels }: VisitWords): string => html`
<ol id="messages" aria-live="off"></ol>
<p class="chat-empty">${panels.noMessages}</p>
<form id="write">
<label class="visually-hidden" for="message">${panels.message}</label>
<input class="input" id="message" name="message" pattern=".{0,2000}" title="${panels.longest}" autocomplete="off" placeholder="${panels.write}">
<button class="button" type="submit">${panels.send}</button>
</form>`;

interface RoomScreen {
  role: 'host' | 'guest';
  practice: PracticeHeader;
  language: Language;
}

/** The screen of a visit under way: the stage, who waits, the chat, and the bar of buttons. */
export const roomScreen = ({ role, practice, language }: RoomScreen, words: VisitWords): string => html`
<section id="room" class="room" aria-label="${words.room.label}" hidden>
<div class="room-head">
<h1 id="room-title" tabindex="-1">${words.room.heading}</h1>
<p id="recorded" class="mark recording" role="status" hidden><span class="full">${words.room.recorded}</span><span class="short" aria-hidden="true">${words.room.recording}</span></p>
<p id="locked" class="mark" hidden>${words.room.locked}</p>
</div>
!${role === 'guest' ? html`<div id="host-gone" class="notice warning stack" role="alert" hidden><p id="host-gone-words"></p>!${practiceContact(practice, language)}</div>` : ''}
<div id="waiting-panel" class="strip" hidden>!${waitingPanel(words)}</div>
<div class="stage-frame">
<div id="stage" class="stage" data-tiles="1">
<div id="people"></div>
<figure id="self-tile" class="tile self">
<video id="self" class="mirror" autoplay playsinline muted aria-label="${words.before.ownPicture}"></video>
<span id="self-initials" class="initials" aria-hidden="true"></span>
<figcaption><span class="name">${words.room.you}</span><span id="self-state" class="state"></span></figcaption>
</figure>
<div id="alone" class="alone"><p><strong>${words.room.alone}</strong></p><p>${words.room.aloneHint}</p></div>
</div>
</div>
!${sidePanels(words)}
!${bar(role, words)}
!${role === 'host' ? hostDialogs(words) : stillDialog(words)}
!${recordDialog(words, language)}
</section>`;

const sidePanels = (words: VisitWords): string => html`
<aside id="side" class="side" hidden>
<section id="chat-side" aria-label="${words.room.chat}" hidden>
<div class="side-head"><h2>${words.room.chat}</h2>!${closeButton(words)}</div>
<div id="chat-panel">!${chatPanel(words)}</div>
</section>
<section id="people-side" aria-label="${words.room.people}" hidden>
<div class="side-head"><h2>${words.room.people}</h2>!${closeButton(words)}</div>
<div id="people-panel"><ul id="people-list"></ul></div>
</section>
</aside>`;

const closeButton = (words: VisitWords): string =>
  html`<button class="button plain close" type="button" data-close aria-label="${words.room.close}">!${icon('close')}</button>`;

interface Tool {
  id: string;
  icon: IconName;
  /** Icon while the button is in its other state. */
  other?: IconName;
  label: string;
  style?: string;
  hidden?: boolean;
  /** Id of what the button opens. */
  opens?: string;
  /** Markup beside the words. */
  beside?: string;
}

const tool = ({ id, icon: name, other, label, style = '', hidden = false, opens, beside = '' }: Tool): string => html`
<button id="${id}" type="button" class="tool ${style}"!${opens ? html` aria-expanded="false" aria-controls="${opens}"` : ''}!${hidden ? ' hidden' : ''}>
<span class="disc">!${icon(name, other ? 'is-on' : '')}!${other ? icon(other, 'is-off') : ''}!${beside}</span>
<span class="words">${label}</span>
</button>`;

const UNREAD = html`<span id="chat-count" class="count" hidden></span>`;

const bar = (role: 'host' | 'guest', words: VisitWords): string => html`
<div class="bar" role="group" aria-label="${words.room.bar}">
!${tool({ id: 'microphone', icon: 'microphone', other: 'microphoneOff', label: words.tools.microphone, hidden: true })}
!${tool({ id: 'camera', icon: 'camera', other: 'cameraOff', label: words.tools.camera, hidden: true })}
!${tool({ id: 'chat', icon: 'chat', label: words.tools.chat, opens: 'chat-side', beside: UNREAD })}
<div id="more-tools" class="more-tools">
!${tool({ id: 'turn', icon: 'turn', label: words.tools.turn, hidden: true })}
!${tool({ id: 'blur', icon: 'blur', label: words.tools.blur, hidden: true })}
!${role === 'host' ? hostTools(words) : ''}
!${tool({ id: 'people-button', icon: 'people', label: words.tools.people, opens: 'people-side' })}
!${role === 'host' ? tool({ id: 'end', icon: 'end', label: words.tools.end }) : ''}
</div>
!${tool({ id: 'more', icon: 'more', label: words.tools.more, opens: 'more-tools' })}
!${tool({ id: 'leave', icon: 'leave', label: words.tools.leave, style: 'danger' })}
</div>`;

const hostTools = (words: VisitWords): string => html`
!${tool({ id: 'share', icon: 'share', label: words.tools.share, hidden: true })}
!${tool({ id: 'picture', icon: 'picture', label: words.tools.picture })}
!${tool({ id: 'request', icon: 'request', label: words.tools.request })}
!${tool({ id: 'record', icon: 'record', label: words.tools.record })}
!${tool({ id: 'lock', icon: 'lock', label: words.tools.lock })}`;
