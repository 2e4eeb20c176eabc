/**
 * Resolves at the first SIGTERM or SIGINT. Later ones change nothing: npm passes on a Ctrl-C that the terminal has
 * already sent to the whole group, and a second signal must not cut short what the first began.
 * @param withinMs whatever hangs, the process is gone this long after the signal
 */
export function stopSignal(withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      setTimeout(() => process.exit(1), withinMs).unref();
      resolve();
    };
    let asked = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (!asked) stop();
        asked = true;
      });
    }
  });
}
