/** The elements of the page. The server writes them; the script fills and shows them. */

type Kind = { [K in keyof HTMLElementTagNameMap]: HTMLElementTagNameMap[K] };

/** An element of the page by id. @throws Error where the page has none */
export function element<K extends keyof Kind>(id: string, tag: K): Kind[K] {
  const found = document.querySelector<Kind[K]>(`${tag}#${id}`);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

const SCREENS = ['before', 'waiting', 'room', 'over'] as const;
export type Screen = (typeof SCREENS)[number];

/** Shows one screen and moves the focus to its heading, so that screen readers read it. */
export function showScreen(screen: Screen): void {
  if (!element(screen, 'section').hidden) return;
  for (const id of SCREENS) element(id, 'section').hidden = id !== screen;
  document.body.classList.toggle('in-room', screen === 'room');
  element(screen, 'section').querySelector<HTMLElement>('h2, h1')?.focus();
}

/** Shows a notice at the top of the page, which screen readers announce; null hides it. */
export function showNotice(words: string | null, id: 'status' | 'alarm' = 'status'): void {
  const place = element(id, 'p');
  place.textContent = words ?? '';
  place.hidden = words === null;
}

const BRIEF_NOTICE_MS = 8_000;

/** Shows a notice for a few seconds. */
export function showBriefly(words: string): void {
  showNotice(words);
  setTimeout(() => {
    if (element('status', 'p').textContent === words) showNotice(null);
  }, BRIEF_NOTICE_MS);
}

/** Hour and minute of an instant, in the time zone of the browser. */
export const timeOfDay = (instant: string): string => new Date(instant).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
