import { keepFresh } from './page/fresh-part.ts';
import { playKnock } from './page/knock.ts';
import { element } from './page/page-elements.ts';
import { runReviewTimers } from './page/review-timer.ts';

/** The script of monitoring: keeps what is open as it is, and says when an alert comes. */

const TITLE = document.title;
const live = element('monitoring-live', 'div');
const openIn = ({ dataset }: HTMLElement): number => Number(dataset.open ?? 0);
const newestIn = ({ dataset }: HTMLElement): number => Number(dataset.newest ?? 0);

countInTitle();
runReviewTimers();
keepFresh({
  address: live.dataset.address ?? '',
  version: live.dataset.version ?? '',
  show,
  showLost: (isLost) => {
    element('monitoring-lost', 'p').hidden = !isLost;
  },
});

function show(page: Document): void {
  const fresh = page.querySelector<HTMLElement>('#monitoring-live');
  if (!fresh) return;
  const isNew = newestIn(fresh) > newestIn(live);
  const opened = new Set([...live.querySelectorAll('details[open]')].map((one) => one.closest('li')?.id));
  const focused = live.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null;
  live.replaceChildren(...document.importNode(fresh, true).childNodes);
  for (const name of ['open', 'newest']) live.dataset[name] = fresh.dataset[name] ?? '0';
  for (const one of live.querySelectorAll('details')) one.open = opened.has(one.closest('li')?.id);
  if (focused) live.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
  countInTitle();
  if (!isNew) return;
  playKnock();
  element('monitoring-news', 'p').textContent = `A new alert: ${openIn(live)} open.`;
}

function countInTitle(): void {
  const open = openIn(live);
  document.title = open > 0 ? `(${open}) ${TITLE}` : TITLE;
}
