import { playKnock } from './page/knock.ts';
import { element } from './page/page-elements.ts';

/** The script of the lobby: keeps the list of who waits as it is, without replacing a button under somebody's finger. */

const POLL_MS = 3_000;
const GONE_MS = 2_500;
const TITLE = document.title;

const list = () => element('lobby-guests', 'ul');
const rowsOf = (within: ParentNode): HTMLLIElement[] => [...within.querySelectorAll<HTMLLIElement>('li[data-guest]')];
let version = element('lobby', 'section').dataset.version ?? '';
let reading: Promise<void> | null = null;

countInTitle();
showMinutes();
element('lobby', 'section').addEventListener('submit', (event) => {
  if (!(event.target instanceof HTMLFormElement) || !event.target.matches('.lobby-late')) return;
  event.preventDefault();
  void tell(event.target, event.submitter);
});
void keepUp();

async function keepUp(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    await refresh();
    showMinutes();
  }
}

/** Shows the length of each wait, which the server does not write anew every minute. */
function showMinutes(): void {
  for (const row of rowsOf(list())) {
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
  if (!isSent) say('This was not sent. Please look whether the person still waits.');
  await reading;
  await refresh();
}

function refresh(): Promise<void> {
  reading ??= read()
    .then(
      () => showLost(false),
      () => showLost(true),
    )
    .finally(() => {
      reading = null;
    });
  return reading;
}

async function read(): Promise<void> {
  const answer = await fetch('/lobby/waiting', { headers: { 'if-none-match': `"${version}"` }, cache: 'no-store', redirect: 'manual' });
  // Signed out, here or elsewhere.
  if (answer.type === 'opaqueredirect') return location.assign('/sign-in');
  if (answer.status === 304) return undefined;
  if (!answer.ok) throw new Error('the lobby cannot be read');
  version = (answer.headers.get('etag') ?? '').replaceAll('"', '');
  show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  return undefined;
}

function show(fresh: Document): void {
  const wanted = rowsOf(fresh);
  const standing = new Map(rowsOf(list()).map((row) => [row.dataset.guest, row]));
  const come = wanted.filter(({ dataset }) => !standing.has(dataset.guest));
  for (const row of wanted) {
    const stood = standing.get(row.dataset.guest);
    standing.delete(row.dataset.guest);
    if (stood) renew(stood, row);
    else list().append(document.importNode(row, true));
  }
  for (const gone of standing.values()) remove(gone);
  element('nobody', 'div').hidden = wanted.length > 0;
  countInTitle();
  if (come.length === 0) return;
  playKnock();
  say(`${come.map(({ dataset }) => dataset.name).join(', ')} is waiting.`);
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
  const { length } = rowsOf(list());
  document.title = length > 0 ? `(${length}) ${TITLE}` : TITLE;
}

function say(words: string): void {
  element('lobby-news', 'p').textContent = words;
}

function showLost(isLost: boolean): void {
  element('lobby-lost', 'p').hidden = !isLost;
}
