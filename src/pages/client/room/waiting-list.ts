import type { WaitingPerson } from '../../../realtime/room-protocol.ts';
import { playKnock } from '../page/knock.ts';
import { announce, element, timeOfDay } from '../page/page-elements.ts';
import { setKnocks } from '../page/page-title.ts';
import { WORDS } from '../words/words.ts';

/** Milliseconds for which an answered row is still shown. */
const ANSWERED_MS = 6_000;

interface WaitingListOptions {
  /** The name of who looks at the list: guests who are to meet somebody else say whom. */
  me: string;
  admit(guest: WaitingPerson): void;
  refuse(guest: WaitingPerson): void;
}

/** The guests who wait for the host, each with two buttons. A row stays the same element as long as its guest waits. */
export class WaitingList {
  readonly #options: WaitingListOptions;
  readonly #rows = new Map<string, Row>();

  constructor(options: WaitingListOptions) {
    this.#options = options;
  }

  show(waiting: WaitingPerson[]): void {
    for (const [guest, row] of this.#rows) {
      if (waiting.some((one) => one.guest === guest)) continue;
      this.#rows.delete(guest);
      row.leave(() => this.#showPanel());
    }
    const come = waiting.filter(({ guest }) => !this.#rows.has(guest));
    for (const guest of waiting) this.#findOrCreateRow(guest).show(guest);
    this.#showPanel();
    element('waiters-heading', 'h2').textContent = WORDS.waiting.heading(waiting.length);
    setKnocks(waiting.length);
    if (come.length === 0) return;
    playKnock();
    announce(WORDS.waiting.isWaiting(come.map(({ name }) => name)));
  }

  /** A row that was answered is shown also where nobody else waits. */
  #showPanel(): void {
    element('waiting-panel', 'div').hidden = element('guests', 'ul').childElementCount === 0;
  }

  #findOrCreateRow(guest: WaitingPerson): Row {
    const known = this.#rows.get(guest.guest);
    if (known) return known;
    const row = new Row(guest, this.#options);
    this.#rows.set(guest.guest, row);
    element('guests', 'ul').append(row.element);
    return row;
  }
}

/** One guest: name, a mark for who has no chart, what is known of the wait, and two buttons that are never replaced. */
class Row {
  readonly element = document.createElement('li');
  readonly #words = document.createElement('span');
  readonly #buttons: HTMLButtonElement[];
  readonly #me: string;
  #guest: WaitingPerson;
  /** The host said "not now". */
  #answered = false;

  constructor(guest: WaitingPerson, { me, admit, refuse }: WaitingListOptions) {
    this.#guest = guest;
    this.#me = me;
    this.#buttons = [
      button(WORDS.waiting.admit, 'button', () => admit(this.#guest)),
      button(WORDS.waiting.refuse, 'button plain', () => {
        refuse(this.#guest);
        this.#answered = true;
        this.show(this.#guest);
      }),
    ];
    const answers = document.createElement('span');
    answers.className = 'answers';
    answers.append(...this.#buttons);
    this.element.dataset.guest = guest.guest;
    this.element.append(this.#words, answers);
  }

  show(guest: WaitingPerson): void {
    this.#guest = guest;
    const name = document.createElement('bdi');
    name.textContent = guest.name;
    const title = document.createElement('strong');
    title.append(name);
    const details = document.createElement('span');
    details.className = 'hint';
    details.textContent = writeDetails(guest, this.#me);
    const marks = [...(guest.kind === 'guest' ? [guestMark()] : []), ...(this.#answered ? [mark(WORDS.waiting.answered)] : [])];
    this.#words.replaceChildren(title, ...marks, details);
    for (const one of this.#buttons) one.ariaLabel = `${one.textContent}: ${guest.name}`;
  }

  /** The guest is no longer waiting. A row that was answered stays for a moment, so that the host sees it. */
  leave(onGone: () => void): void {
    for (const one of this.#buttons) one.hidden = true;
    const remove = () => {
      this.element.remove();
      onGone();
    };
    if (this.#answered) setTimeout(remove, ANSWERED_MS);
    else remove();
  }
}

const mark = (words: string): HTMLSpanElement => Object.assign(document.createElement('span'), { className: 'badge', textContent: words });

/** `since 8:35 PM · Tuesday, December 29, 10:00 AM EST · no camera` */
function writeDetails({ since, appointment, provider, devices }: WaitingPerson, me: string): string {
  const words = WORDS.waiting;
  return [
    words.since(timeOfDay(since)),
    appointment?.text,
    provider && provider !== me && words.meets(provider),
    devices && words.devices(devices),
  ]
    .filter(Boolean)
    .join(' · ');
}

function guestMark(): HTMLSpanElement {
  return Object.assign(document.createElement('span'), { className: 'badge warning', textContent: WORDS.people.kinds.guest });
}

function button(label: string, style: string, press: () => void): HTMLButtonElement {
  const made = Object.assign(document.createElement('button'), { type: 'button', className: style, textContent: label });
  // The second click of a double click may meet the next person's button.
  made.addEventListener('click', ({ detail }) => {
    if (detail < 2) press();
  });
  return made;
}
