/** A part of a page that is kept as the server has it. */

/** A loss of the network is told within five seconds: a pause, and the longest time that an answer may take. */
const POLL_MS = 2_000;
const LONGEST_ANSWER_MS = 3_000;

interface FreshPart {
  address: string;
  /** Version that the page was sent with: the entity tag of the address, without quotes. */
  version: string;
  /** Shows another state. */
  show: (fresh: Document) => void;
  /** Says whether the part can be read now. */
  showLost: (isLost: boolean) => void;
  /** After each turn, whatever came of it. */
  onTurn?: () => void;
}

/** Asks every two seconds whether the part has changed. @returns reads it now, after the reading that is under way */
export function keepFresh({ address, version: first, show, showLost, onTurn }: FreshPart): () => Promise<void> {
  let version = first;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
    const answer = await fetch(address, { headers: { 'if-none-match': `"${version}"` }, cache: 'no-store', redirect: 'manual', signal });
    // Signed out, here or elsewhere.
    if (answer.type === 'opaqueredirect') return location.assign('/sign-in');
    if (answer.status === 304) return undefined;
    if (!answer.ok) throw new Error('the page cannot be read');
    version = (answer.headers.get('etag') ?? '').replaceAll('"', '');
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    return undefined;
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

  void (async () => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      await refresh();
      onTurn?.();
    }
  })();
  addEventListener('online', () => void refresh());
  addEventListener('offline', () => showLost(true));
  return async () => {
    await reading;
    await refresh();
  };
}
