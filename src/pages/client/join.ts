import type { Joined } from './protocol.ts';

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

const UNREACHABLE_MESSAGE = 'The practice cannot be reached.';

const RESUME_KEY = `resume ${location.pathname}`;

/** Whether this window has joined before. A reloaded page joins again without asking. */
export const hasJoinedBefore = (): boolean => sessionStorage.getItem(RESUME_KEY) !== null;

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
    throw new JoinUnreachable(UNREACHABLE_MESSAGE, { cause });
  });
  if (response.ok) {
    const joined: Joined = await response.json();
    sessionStorage.setItem(RESUME_KEY, joined.resume ?? '');
    return joined;
  }
  const body: { error?: { code?: string; message?: string } } = await response.json().catch(() => ({}));
  if (response.status === 429) throw new JoinUnreachable(body.error?.message ?? UNREACHABLE_MESSAGE);
  if (response.status >= 500) throw new JoinUnreachable(UNREACHABLE_MESSAGE);
  throw new JoinRefused(body.error?.code ?? 'failed', body.error?.message ?? 'This did not work.');
}
