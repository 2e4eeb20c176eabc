/** The parts of the page, which the server wrote; this script only fills and shows them. */

type Kind = { [K in keyof HTMLElementTagNameMap]: HTMLElementTagNameMap[K] };

/** An element of the page. @throws where the page is another one than this script is for */
export function part<K extends keyof Kind>(id: string, tag: K): Kind[K] {
  const found = document.querySelector<Kind[K]>(`${tag}#${id}`);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

const SCREENS = ['before', 'waiting', 'room', 'over'] as const;
export type Screen = (typeof SCREENS)[number];

/** Shows one screen, and takes who reads with their ears there. */
export function show(screen: Screen): void {
  if (!part(screen, 'section').hidden) return;
  for (const id of SCREENS) part(id, 'section').hidden = id !== screen;
  document.body.classList.toggle('in-room', screen === 'room');
  part(screen, 'section').querySelector<HTMLElement>('h2, h1')?.focus();
}

/** Said at the top of the page, and read aloud; null takes it away. */
export function tell(words: string | null, id: 'status' | 'alarm' = 'status'): void {
  const place = part(id, 'p');
  place.textContent = words ?? '';
  place.hidden = words === null;
}

const MOMENT_MS = 8_000;

/** The same, of what needs no longer attention. */
export function mention(words: string): void {
  tell(words);
  setTimeout(() => {
    if (part('status', 'p').textContent === words) tell(null);
  }, MOMENT_MS);
}

/** By the clock of who reads. */
export const clock = (instant: string): string => new Date(instant).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
