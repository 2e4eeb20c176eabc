/** The title of the window: the number of people who wait, the state of the page, and the practice. */

const practice = document.querySelector('main')?.dataset.practice ?? '';
let state = '';
let knocks = 0;

export function setTitle(words: string): void {
  state = words;
  show();
}

/** Sets how many people wait for the host of this page. */
export function setKnocks(count: number): void {
  knocks = count;
  show();
}

function show(): void {
  const title = [state, practice].filter(Boolean).join(' · ');
  document.title = knocks > 0 ? `(${knocks}) ${title}` : title;
}
