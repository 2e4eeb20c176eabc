import type { Joined } from '../protocol.ts';
import { failureWords, WORDS } from '../words/words.ts';

/** The server refused the join. `message` is for the person. */
export class JoinRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The join failed for the moment and should be tried again. `message` is for the person. */
export class JoinUnreachable extends Error {}

const RESUME_KEY = `resume ${location.pathname}`;

/** Whether this window has joined before. A reloaded page joins again without asking. */
export const hasJoinedBefore = (): boolean => sessionStorage.getItem(RESUME_KEY) !== null;

/** Keeps who this window is, for the next join. */
export const keepJoin = (resume: string): void => sessionStorage.setItem(RESUME_KEY, resume);

export const forgetJoin = (): void => sessionStorage.removeItem(RESUME_KEY);

/** Sends the join request of this page. @throws JoinRefused, JoinUnreachable */
export async function join(name: string | null): Promise<Joined> {
  const requestBody = JSON.stringify({ name, resume: sessionStorage.getItem(RESUME_KEY) || null });
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: requestBody,
    signal: AbortSignal.timeout(10_000),
  };
  const response = await fetch(`${location.pathname}/join`, options).catch((cause: unknown) => {
    throw new JoinUnreachable(WORDS.socket.unreachable, { cause });
  });
  if (response.ok) {
    const joined: Joined = await response.json();
    keepJoin(joined.resume);
    return joined;
  }
  const body: { error?: { code?: string; message?: string } } = await response.json().catch(() => ({}));
  const { code = 'failed', message = WORDS.socket.failed } = body.error ?? {};
  if (response.status === 429) throw new JoinUnreachable(failureWords(code, message));
  if (response.status >= 500) throw new JoinUnreachable(WORDS.socket.unreachable);
  throw new JoinRefused(code, code === 'invalid_input' ? WORDS.nameRefused(message) : failureWords(code, message));
}

/**
 * Tells the server that this page is being closed, with the room token of the person. The person leaves after a few seconds, unless
 * the page comes back before: a reload looks the same.
 */
export function sendLeaveBeacon(token: string): void {
  navigator.sendBeacon(`${location.pathname}/leave`, JSON.stringify({ token }));
}
