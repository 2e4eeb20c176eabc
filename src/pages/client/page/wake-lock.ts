let wanted = false;
let lock: WakeLockSentinel | null = null;

document.addEventListener('visibilitychange', () => void request());

/** Keeps the screen of the device on, where the browser can. The browser lets go of it while the page is hidden. */
export function keepScreenOn(on: boolean): void {
  wanted = on;
  if (on) void request();
  else void lock?.release().catch(() => {});
}

async function request(): Promise<void> {
  if (!wanted || document.hidden || !('wakeLock' in navigator) || lock?.released === false) return;
  // Refused, for example while the battery is low.
  lock = await navigator.wakeLock.request('screen').catch(() => null);
}
