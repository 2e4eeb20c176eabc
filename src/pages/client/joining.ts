import type { Joined } from './protocol.ts';

/** The server said no; `message` is for the person. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** It is worth trying again; `message` is for the person. */
export class Unreachable extends Error {}

const AWAY = 'The practice cannot be reached.';

const RESUME = `resume ${location.pathname}`;

/** Whether this window was in before: a page that was reloaded goes on where it was. */
export const wasHere = (): boolean => sessionStorage.getItem(RESUME) !== null;

export const forgetMe = (): void => sessionStorage.removeItem(RESUME);

/** @throws Refusal, Unreachable */
export async function join(name: string | null): Promise<Joined> {
  const body = JSON.stringify({ name, resume: sessionStorage.getItem(RESUME) || null });
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(`${location.pathname}/join`, options).catch((cause: unknown) => {
    throw new Unreachable(AWAY, { cause });
  });
  if (answer.ok) {
    const joined: Joined = await answer.json();
    sessionStorage.setItem(RESUME, joined.resume ?? '');
    return joined;
  }
  const said: { error?: { code?: string; message?: string } } = await answer.json().catch(() => ({}));
  if (answer.status === 429) throw new Unreachable(said.error?.message ?? AWAY);
  if (answer.status >= 500) throw new Unreachable(AWAY);
  throw new Refusal(said.error?.code ?? 'failed', said.error?.message ?? 'This did not work.');
}
