import { playKnock } from './knock.ts';
import { announce, element, timeOfDay } from './page-elements.ts';
import { setKnocks } from './page-title.ts';
import type { Waiting } from './protocol.ts';
import { WORDS } from './words.ts';

interface WaitingListEvents {
  admit(guest: Waiting): void;
  refuse(guest: Waiting): void;
}

/** The guests who wait for the host, each with two buttons. A row stays the same element as long as its guest waits. */
export class WaitingList {
  readonly #events: WaitingListEvents;
  readonly #rows = new Map<string, HTMLLIElement>();

  constructor(events: WaitingListEvents) {
    this.#events = events;
  }

  show(waiting: Waiting[]): void {
    const list = element('guests', 'ul');
    for (const [guest, row] of this.#rows) {
      if (waiting.some((one) => one.guest === guest)) continue;
      row.remove();
      this.#rows.delete(guest);
    }
    const come = waiting.filter(({ guest }) => !this.#rows.has(guest));
    for (const guest of come) {
      const row = this.#rowOf(guest);
      this.#rows.set(guest.guest, row);
      list.append(row);
    }
    element('waiting-panel', 'div').hidden = waiting.length === 0;
    setKnocks(waiting.length);
    if (come.length === 0) return;
    playKnock();
    announce(WORDS.waiting.isWaiting(come.map(({ name }) => name)));
  }

  #rowOf(guest: Waiting): HTMLLIElement {
    const row = document.createElement('li');
    row.dataset.guest = guest.guest;
    const words = document.createElement('span');
    words.textContent = WORDS.waiting.since(guest.name, timeOfDay(guest.since));
    row.append(
      words,
      button(WORDS.waiting.admit, guest, () => this.#events.admit(guest)),
      button(WORDS.waiting.refuse, guest, () => this.#events.refuse(guest), 'button plain'),
    );
    return row;
  }
}

function button(label: string, { name }: Waiting, press: () => void, style = 'button'): HTMLButtonElement {
  const made = Object.assign(document.createElement('button'), { type: 'button', className: style, textContent: label });
  made.ariaLabel = `${label}: ${name}`;
  made.addEventListener('click', press);
  return made;
}
