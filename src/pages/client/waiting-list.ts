import { element, timeOfDay } from './page-elements.ts';
import type { ToServer, Waiting } from './protocol.ts';

/** Shows the waiting guests to a host, each with two buttons. The focus stays on its button, and new guests are announced. */
export function showWaitingGuests(waiting: Waiting[], say: (message: ToServer) => void): void {
  const list = element('guests', 'ul');
  const before = new Set([...list.children].flatMap((row) => (row instanceof HTMLElement ? [row.dataset.guest] : [])));
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.for : undefined;
  list.replaceChildren(...waiting.map((guest) => rowOf(guest, say)));
  element('nobody-waits', 'p').hidden = waiting.length > 0;
  if (focused) (list.querySelector<HTMLElement>(`[data-for="${focused}"]`) ?? element('waiters-heading', 'h3')).focus();
  const come = waiting.filter(({ guest }) => !before.has(guest));
  if (come.length > 0) element('heard', 'p').textContent = `${come.map(({ name }) => name).join(', ')} is waiting.`;
}

function rowOf({ guest, name, since }: Waiting, say: (message: ToServer) => void): HTMLElement {
  const row = document.createElement('li');
  row.dataset.guest = guest;
  const words = document.createElement('span');
  words.textContent = `${name}, since ${timeOfDay(since)}`;
  row.append(words, button('Admit', 'admit', ''), button('Not now', 'refuse', 'quiet'));
  return row;

  function button(label: string, type: 'admit' | 'refuse', style: string): HTMLButtonElement {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = style;
    made.textContent = label;
    made.dataset.for = `${type} ${guest}`;
    made.setAttribute('aria-label', `${label}: ${name}`);
    made.addEventListener('click', () => say({ type, guest }));
    return made;
  }
}
