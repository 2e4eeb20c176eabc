import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../src/database/database.ts';
import { createUser } from './factories.ts';

/** A call of somebody who is signed in, and its answer. */
export type UserCall = (
  method: string,
  path: string,
  body?: object | FormData | null,
  headers?: Record<string, string>,
) => Promise<{ status: number; text: string }>;

/**
 * A new user of a practice who signs in to a server of another process, and takes a new token where the old one is refused, as an app
 * does. @throws Error where that is refused too
 */
export async function signInToApp(address: string, db: Db, organizationId: number): Promise<UserCall> {
  const { email, password } = await createUser(db, { organizationId });
  const ask = async (method: string, path: string, body: object | FormData | null, headers: Record<string, string>) => {
    const isForm = body === null || body instanceof FormData;
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { ...(isForm ? {} : { 'content-type': 'application/json' }), ...headers },
      signal: AbortSignal.timeout(20_000),
      ...(body === null ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const take = async (path: string, proof: object) => {
    const { status, text } = await ask('POST', path, proof, {});
    if (status !== 200) throw new Error(`no token by ${path}: ${status} ${text}`);
    return JSON.parse(text).data;
  };
  let pair = await take('/login', { email, password });
  const bearer = () => ({ authorization: `Bearer ${pair.access_token}` });
  return async (method, path, body = null, headers = {}) => {
    const first = await ask(method, path, body, { ...headers, ...bearer() });
    if (first.status !== 401) return first;
    pair = await take('/refresh', { token: pair.refresh_token });
    return ask(method, path, body, { ...headers, ...bearer() });
  };
}

/** Posts under a key until it is done: again after a 503, and while an earlier try is still under way. @returns the answer that was neither */
export async function postOnce(user: UserCall, path: string, body: object): ReturnType<UserCall> {
  const key = { 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await user('POST', path, body, key);
    const isUnderWay = answer.status === 409 && answer.text.includes('idempotency_key_in_use');
    if (answer.status !== 503 && !isUnderWay) return answer;
    await sleep(200);
  }
}
