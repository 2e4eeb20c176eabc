import { TriptychError } from './errors.ts';

const LONGEST_WAIT = 60_000;
/** Whether the status says nothing about the request: the server, or what stands before it, could not take it. */
export const isPassing = (status: number): boolean => [429, 502, 503, 504].includes(status);

/**
 * Milliseconds to wait before a request is sent again; null where that would not help. `Retry-After` is kept, and random time is added,
 * so that clients which were refused together do not return together. POST may be repeated, since it has an Idempotency-Key.
 * @param attempt number of retries so far
 */
export function waitBefore(attempt: number, failure: unknown, method: string, longest = LONGEST_WAIT): number | null {
  const isAnswer = failure instanceof TriptychError;
  const retryAfter = isAnswer ? failure.retryAfter : undefined;
  // A first request with the same key that still runs is 409 with Retry-After.
  const mayPass = isAnswer ? isPassing(failure.status) || (failure.status === 409 && retryAfter !== undefined) : isLost(failure, method);
  if (!mayPass || (retryAfter ?? 0) * 1000 > longest) return null;
  const spread = Math.min(20_000, 500 * 2 ** attempt) * Math.random();
  return retryAfter === undefined ? Math.min(spread, longest) : retryAfter * 1000 + Math.min(spread, 1_000);
}

/** Whether the connection broke. A PATCH sends part of a file: its upload asks first how much has arrived. */
const isLost = (failure: unknown, method: string): boolean => failure instanceof TypeError && method !== 'PATCH';

/** @throws the reason of the signal, when it is aborted */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
