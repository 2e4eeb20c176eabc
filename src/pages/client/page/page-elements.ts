import { LOCALE } from '../words/words.ts';
import { setTitle } from './page-title.ts';

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

/** Shows one screen and moves the focus to its heading, so that screen readers read it. The title of the window follows. */
export function showScreen(screen: Screen): void {
  const shown = element(screen, 'section');
  const heading = shown.querySelector('h1');
  setTitle(heading?.textContent ?? '');
  if (!shown.hidden) return;
  for (const id of SCREENS) element(id, 'section').hidden = id !== screen;
  document.body.dataset.screen = screen;
  heading?.focus();
}

/** Shows a notice at the top of the page, which screen readers announce; null hides it. */
export function showNotice(words: string | null, id: 'status' | 'alarm' = 'status'): void {
  const place = element(id, 'p');
  place.textContent = words ?? '';
  place.hidden = words === null;
}

const BRIEF_NOTICE_MS = 8_000;

/** Shows a notice for a few seconds. */
export function showBriefly(words: string, id: 'status' | 'alarm' = 'status'): void {
  showNotice(words, id);
  setTimeout(() => {
    if (element(id, 'p').textContent === words) showNotice(null, id);
  }, BRIEF_NOTICE_MS);
}

/** Tells screen readers something that the page shows to others by itself. */
export function announce(words: string): void {
  element('heard', 'p').textContent = words;
}

/** Of the practice, as the times of appointments; named where the clock of the browser is another one. */
const timeZone = document.querySelector('main')?.dataset.timeZone;
const isElsewhere = timeZone !== new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Hour and minute of an instant, on the clock of the practice. */
export const timeOfDay = (instant: string): string =>
  new Date(instant).toLocaleTimeString(LOCALE, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
    ...(isElsewhere ? { timeZoneName: 'short' } : {}),
  });

/** Replaces the words of a button of the bar. */
export function setToolWords(id: string, words: string): void {
  const place = element(id, 'button').querySelector('.words');
  if (place && place.textContent !== words) place.textContent = words;
}
