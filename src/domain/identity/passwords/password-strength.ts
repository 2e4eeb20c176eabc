import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { z } from 'zod';
import { unavailable } from '../../errors.ts';

/** A check takes some 50 ms, the first one with the dictionaries half a second, and several on a busy machine. */
const TIMEOUT_MS = 15_000;

/** The answer of the thread, as findWeakness returns it. */
const weakness = z.string().nullable();

let running: Worker | undefined;

/**
 * The thread that estimates passwords (password-strength-thread.ts): reading its dictionaries would stop every other request of the
 * process meanwhile. It starts with the first password, since most processes check none, and does not keep the process alive.
 */
function startThread(): Worker {
  const thread = new Worker(new URL('./password-strength-thread.ts', import.meta.url));
  thread.unref();
  // After an error the thread exits, and the next password starts another one.
  thread.on('error', () => undefined);
  thread.once('exit', () => {
    running = undefined;
  });
  return thread;
}

/**
 * Whether a password could be guessed in fewer than some 10^8 attempts.
 * @param known words that an attacker would try first
 * @returns null for a good one; else the reason in a sentence, empty where there is none in particular
 * @throws Failure unavailable where the thread gives no answer within 15 seconds, or ends
 */
export async function findWeakness(password: string, known: string[]): Promise<string | null> {
  running ??= startThread();
  const { port1: answer, port2: answerTo } = new MessageChannel();
  running.postMessage({ password, known, answerTo }, [answerTo]);
  const ended = new AbortController();
  // Its other end went with the thread.
  answer.once('close', () => ended.abort());
  try {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const [message] = await once(answer, 'message', { signal });
    return weakness.parse(message);
  } catch (cause) {
    throw unavailable('The password could not be checked. Try again in a moment.', cause);
  } finally {
    answer.close();
  }
}
