/**
 * The timers of reviews. One starts when its form is opened, runs on while other forms of the page are sent, can be stopped, and fills in
 * the whole minutes until somebody writes them.
 */
export function runReviewTimers(): void {
  for (const part of document.querySelectorAll<HTMLElement>('.review-timer')) runTimer(part);
}

interface Timed {
  /** Milliseconds before the present run. */
  before: number;
  /** When the present run began; null for a timer that is stopped. */
  since: number | null;
}

function runTimer(part: HTMLElement): void {
  const [form, details, shown, toggle] = [
    part.closest('form'),
    part.closest('details'),
    part.querySelector('span'),
    part.querySelector('button'),
  ];
  const minutes = form?.querySelector<HTMLInputElement>('[name=minutes]');
  if (!form || !details || !shown || !toggle || !minutes) return;
  const key = `review-timer-${part.dataset.checkin ?? ''}`;
  const [before, since, isSent] = sessionStorage.getItem(key)?.split(' ').map(Number) ?? [];
  // A form that was sent and is shown open was refused.
  const isStored = before !== undefined && (!isSent || details.open);
  let timed: Timed | null = isStored ? { before, since: since || null } : null;
  let isWritten = minutes.value !== '';

  const keep = (next: Timed): void => {
    timed = next;
    sessionStorage.setItem(key, `${next.before} ${next.since ?? 0}`);
    show();
  };
  const measureSpent = (): number => (timed ? timed.before + (timed.since === null ? 0 : Date.now() - timed.since) : 0);
  const show = (): void => {
    if (!timed) return;
    const seconds = Math.floor(measureSpent() / 1_000);
    shown.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    toggle.textContent = timed.since === null ? 'Continue the timer' : 'Stop the timer';
    if (!isWritten) minutes.value = seconds < 60 ? '' : String(Math.floor(seconds / 60));
  };

  part.hidden = false;
  if (timed) details.open = true;
  details.addEventListener('toggle', () => {
    if (details.open && !timed) keep({ before: 0, since: Date.now() });
  });
  toggle.addEventListener('click', () => keep({ before: measureSpent(), since: timed?.since === null ? Date.now() : null }));
  minutes.addEventListener('input', () => {
    isWritten = minutes.value !== '';
  });
  form.addEventListener('submit', () => sessionStorage.setItem(key, `${measureSpent()} 0 1`));
  setInterval(show, 1_000);
  show();
}
