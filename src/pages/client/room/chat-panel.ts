import type { ChatLine } from '../../../realtime/room-protocol.ts';
import { announce, element, timeOfDay } from '../page/page-elements.ts';
import { WORDS } from '../words/words.ts';

interface ChatPanelEvents {
  /** @returns whether the message could be sent */
  send(text: string): boolean;
}

/** The chat of the present visit, with the number of unread messages on its button. */
export class ChatPanel {
  readonly #shown = new Set<number>();
  #isOpen = false;
  #unread = 0;

  constructor({ send }: ChatPanelEvents) {
    const field = element('message', 'input');
    element('write', 'form').addEventListener('submit', (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text && send(text)) field.value = '';
    });
  }

  /** Adds messages that are not shown yet. Those of others that came while the panel was closed count as unread. */
  receive(messages: ChatLine[], me: number): void {
    const list = element('messages', 'ol');
    const added = messages.filter(({ id }) => !this.#shown.has(id));
    for (const message of added) {
      this.#shown.add(message.id);
      list.append(createRow(message, message.from === me));
    }
    const ofOthers = added.filter(({ from }) => from !== me);
    const [last] = ofOthers.slice(-1);
    if (last) announce(WORDS.chat.wrote(writeAuthor(last), last.text));
    if (!this.#isOpen) this.#unread += ofOthers.length;
    this.#showUnread();
    list.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }

  /** Called when another visit begins. */
  clear(): void {
    this.#shown.clear();
    this.#unread = 0;
    this.#showUnread();
    element('messages', 'ol').replaceChildren();
  }

  setOpen(open: boolean): void {
    this.#isOpen = open;
    if (open) this.#unread = 0;
    this.#showUnread();
    element('messages', 'ol').lastElementChild?.scrollIntoView({ block: 'nearest' });
  }

  #showUnread(): void {
    const count = element('chat-count', 'span');
    count.hidden = this.#unread === 0;
    count.textContent = String(this.#unread);
    element('chat', 'button').ariaLabel = this.#unread > 0 ? WORDS.chat.unread(this.#unread) : null;
  }
}

/** The name of who wrote a message. A guest may have chosen the name of somebody else. */
const writeAuthor = ({ kind, name }: ChatLine): string => (kind === 'guest' ? WORDS.people.asGuest(name) : name);

function createRow(message: ChatLine, isMine: boolean): HTMLLIElement {
  const { text, at } = message;
  const row = document.createElement('li');
  row.classList.toggle('mine', isMine);
  const [head, body] = [document.createElement('p'), document.createElement('p')];
  head.className = 'hint';
  head.textContent = WORDS.chat.head(isMine ? WORDS.people.you : writeAuthor(message), timeOfDay(at));
  body.className = 'message';
  body.textContent = text;
  row.append(head, body);
  return row;
}
