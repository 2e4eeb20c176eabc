/**
 * Resolves at the first SIGTERM or SIGINT. Later signals are ignored: npm forwards a Ctrl-C that the terminal has already sent to
 * the whole process group, and the second signal must not interrupt the shutdown that the first began.
 * @param withinMs milliseconds after the signal at which the process exits even if something hangs
 * @param onLate is called before that exit
 */
export function stopSignal(withinMs: number, onLate: () => void): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      setTimeout(() => {
        onLate();
        process.exit(1);
      }, withinMs).unref();
      resolve();
    };
    let received = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (!received) stop();
        received = true;
      });
    }
  });
}
