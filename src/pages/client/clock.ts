/** Ticks in a thread of its own: a page in the background is woken once a minute only, which is too seldom to be taken for there. */

const TICK_MS = 10_000;

setInterval(() => postMessage(null), TICK_MS);
