/** One statement that was sent. */
export interface StatementRun {
  /** Its own name, or, of a statement that has none, its verb and its first table. Never a value. */
  name: string;
  /** Its SQL, which has values only where somebody wrote them into it. */
  text: string;
  /** performance.now() when it was given to the pool. */
  begunAt: number;
  /** Milliseconds until its rows were there, the wait for a connection among them. */
  ms: number;
  failed: boolean;
}

export interface StatementObserver {
  /** Asked first, since most statements interest nobody. */
  wants(ms: number): boolean;
  take(run: StatementRun): void;
}

const observers = new Set<StatementObserver>();

/** Tells an observer of the statements of this process. @returns ends that */
export function observeStatements(observer: StatementObserver): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

/**
 * Sends a statement, and tells observers how long it took.
 * @param statement without a name where it is Prisma's
 */
export async function timeStatement<T>({ name, text }: { name?: string | undefined; text: string }, send: () => Promise<T>): Promise<T> {
  if (observers.size === 0) return send();
  const begunAt = performance.now();
  let failed = true;
  try {
    const result = await send();
    failed = false;
    return result;
  } finally {
    const ms = performance.now() - begunAt;
    for (const observer of observers)
      if (observer.wants(ms)) observer.take({ name: name ?? summarizeStatement(text), text, begunAt, ms, failed });
  }
}

/** `SELECT patient`: the verb of a statement and the first table that it names. */
function summarizeStatement(text: string): string {
  const [verb = ''] = /[a-z]+/i.exec(text) ?? [];
  const [, table = ''] = /\b(?:FROM|INTO|UPDATE)\s+(?:"?[a-z_]+"?\.)?"?([a-z_]\w*)\b(?!\s*\()/i.exec(text) ?? [];
  return `${verb.toUpperCase()} ${table}`.trim();
}
