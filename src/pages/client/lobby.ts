import { keepFresh } from './page/fresh-part.ts';
import { playKnock } from './page/knock.ts';
import { element } from './page/page-elements.ts';

/** The script of the lobby: keeps the list of who waits as it is, without replacing a button under somebody's finger. */

const GONE_MS = 2_500;
const TITLE = document.title;

const list = () => element('lobby-guests', 'ul');
const listRows = (within: ParentNode): HTMLLIElement[] => [...within.querySelectorAll<HTMLLIElement>('li[data-guest]')];

countInTitle();
showMinutes();
element('lobby', 'section').addEventListener('submit', (event) => {
  if (!(event.target instanceof HTMLFormElement) || !event.target.matches('.lobby-late')) return;
  event.preventDefault();
  void tell(event.target, event.submitter);
});
const readAgain = keepFresh({
  address: '/lobby/waiting',
  version: element('lobby', 'section').dataset.version ?? '',
  show,
  showLost: (isLost) => {
    element('lobby-lost', 'p').hidden = !isLost;
  },
  onTurn: showMinutes,
});

/** Shows the length of each wait, which the server does not write anew every minute. */
function showMinutes(): void {
  for (const row of listRows(list())) {
    const [since, place] = [row.querySelector('time'), row.querySelector('.lobby-minutes')];
    const minutes = Math.floor((Date.now() - Date.parse(since?.dateTime ?? '')) / 60_000);
    const words = minutes >= 1 ? `, ${minutes} min` : '';
    if (place && place.textContent !== words) place.textContent = words;
  }
}

/** Sends one tap, and shows what came of it. */
async function tell(form: HTMLFormElement, pressed: HTMLElement | null): Promise<void> {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, pressed)) if (typeof value === 'string') fields.set(name, value);
  const isSent = await fetch(form.action, { method: 'POST', body: fields, redirect: 'manual' }).then(
    ({ type }) => type === 'opaqueredirect',
    () => false,
  );
  if (!isSent) say('Not sent. Please check whether the person is still waiting.');
  await readAgain();
}

function show(fresh: Document): void {
  const wanted = listRows(fresh);
  const standing = new Map(listRows(list()).map((row) => [row.dataset.guest, row]));
  const come = wanted.filter(({ dataset }) => !standing.has(dataset.guest));
  for (const row of wanted) {
    const stood = standing.get(row.dataset.guest);
    standing.delete(row.dataset.guest);
    if (stood) renew(stood, row);
    else list().append(document.importNode(row, true));
  }
  for (const gone of standing.values()) remove(gone);
  element('nobody', 'div').hidden = wanted.length > 0;
  element('late-everybody', 'form').hidden = wanted.length < 2;
  showSchedule(fresh);
  showAlerts(fresh);
  showVisits(fresh);
  countInTitle();
  if (come.length === 0) return;
  playKnock();
  say(`${come.map(({ dataset }) => dataset.name).join(', ')} ${come.length === 1 ? 'is' : 'are'} waiting.`);
}

/** The visits under way, of which nobody is about to press a button that has changed. */
function showVisits(fresh: Document): void {
  const [old, next] = [document, fresh].map((page) => page.querySelector('#under-way'));
  if (!old || !next || old.innerHTML === next.innerHTML) return;
  const isAlone = (part: Element) => part.querySelectorAll('.badge.danger').length;
  const came = isAlone(next) > isAlone(old);
  old.replaceChildren(...document.importNode(next, true).childNodes);
  if (!came) return;
  playKnock();
  say('A patient is waiting alone in a visit.');
}

/** The schedule of today: rows that have changed, or all where others are listed. */
function showSchedule(fresh: Document): void {
  const [old, next] = [document, fresh].map((page) => page.querySelector('#schedule'));
  if (!old || !next || old.innerHTML === next.innerHTML) return;
  const others = new Map([...next.querySelectorAll('li')].map((row) => [row.id, row]));
  const rows = [...old.querySelectorAll('li')];
  if (rows.map(({ id }) => id).join() !== [...others.keys()].join()) {
    const isUnfolded = old.querySelector('details')?.open ?? false;
    old.replaceChildren(...document.importNode(next, true).childNodes);
    const folded = old.querySelector('details');
    if (folded) folded.open = isUnfolded;
    return;
  }
  for (const row of rows) {
    const other = others.get(row.id);
    if (other && row.innerHTML !== other.innerHTML) row.replaceWith(document.importNode(other, true));
  }
}

/** Shows the number of open alerts of monitoring; one that comes knocks too. */
function showAlerts(fresh: Document): void {
  const [old, next] = [document, fresh].map((page) => page.querySelector<HTMLElement>('#open-alerts'));
  if (!old || !next || old.textContent === next.textContent) return;
  const isMore = Number(next.dataset.open) > Number(old.dataset.open);
  old.replaceWith(document.importNode(next, true));
  if (!isMore) return;
  playKnock();
  say(next.textContent);
}

/** Takes over what has changed. The buttons stay: a click that has begun on one still counts. */
function renew(row: HTMLLIElement, fresh: HTMLLIElement): void {
  for (const part of ['.lobby-who', '.lobby-late > .hint']) {
    const [old, next] = [row.querySelector(part), fresh.querySelector(part)];
    if (old && next && old.innerHTML !== next.innerHTML) old.replaceChildren(...document.importNode(next, true).childNodes);
  }
  const [seen, next] = [row, fresh].map((one) => one.querySelector<HTMLInputElement>('input[name="seen"]'));
  if (seen && next) seen.value = next.value;
}

/**
 * A row that goes keeps its place for a moment, so that a second tap does not meet the next person's button. Its focus is kept in
 * the list.
 */
function remove(row: HTMLLIElement): void {
  const held = row.contains(document.activeElement);
  delete row.dataset.guest;
  row.inert = true;
  row.classList.add('gone');
  setTimeout(() => row.remove(), GONE_MS);
  if (held)
    (list().querySelector<HTMLElement>('li[data-guest] button') ?? document.querySelector<HTMLElement>('main a, main button'))?.focus();
}

function countInTitle(): void {
  const { length } = listRows(list());
  document.title = length > 0 ? `(${length}) ${TITLE}` : TITLE;
}

function say(words: string): void {
  element('lobby-news', 'p').textContent = words;
}
