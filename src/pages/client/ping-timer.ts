/** Worker that times the pings. Browsers wake a page in the background only once a minute, too seldom to stay connected. */

const TICK_MS = 2_000;

setInterval(() => postMessage(null), TICK_MS);
