import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { observeStatements } from '../../src/database/statements/statement-times.ts';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';

/** A statement that the server sent while the tests ran. */
export interface SentStatement {
  name: string;
  text: string;
}

/** Whether the statement that is being sent is a test's own. */
const isOfATest = new AsyncLocalStorage<boolean>();

const known = new Set<string>();

/** Keeps the distinct statements that the server sends in this process, in a file of the folder. */
export function keepSentStatements(folder: string): void {
  observeStatements({
    wants: () => true,
    take({ name, text, failed }) {
      if (failed || known.has(text) || isOfATest.getStore()) return;
      known.add(text);
      appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ name, text } satisfies SentStatement)}\n`);
    },
  });
}

/** The distinct statements that all processes sent. */
export async function sentStatements(folder: string): Promise<SentStatement[]> {
  const byText = new Map<string, SentStatement>();
  for (const file of await readdir(folder))
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      if (line === '') continue;
      const sent: SentStatement = JSON.parse(line);
      byText.set(sent.text, sent);
    }
  return [...byText.values()];
}

/** The line of a stack that is the nearest of the project. */
const NEAREST = /\/(src|test|bench)\/(?!support\/sent-statements)/;

/**
 * The client of a server as tests have it: statements that a test sends with it are not the server's. Those of functions of the
 * server that a test calls with it are.
 */
export function forTests<C extends object>(client: C): C {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value === 'function') return (...given: unknown[]) => called(value, target, given);
      return typeof value === 'object' && value !== null && typeof key === 'string' && !key.startsWith('_') ? forTests(value) : value;
    },
  });
}

function called(method: CallableFunction, target: object, given: unknown[]): unknown {
  const ofATest = NEAREST.exec(new Error('where').stack ?? '')?.[1] !== 'src';
  const [first] = given;
  const values = typeof first === 'function' ? [(db: PrismaClient) => first(forTests(db)), ...given.slice(1)] : given;
  const result: unknown = isOfATest.run(ofATest, () => Reflect.apply(method, target, values));
  if (typeof result !== 'object' || result === null || !('then' in result) || typeof result.then !== 'function') return result;
  // Prisma sends a statement when it is waited for.
  const { then } = result;
  const value = (...callbacks: unknown[]) => isOfATest.run(ofATest, () => Reflect.apply(then, result, callbacks));
  Object.defineProperty(result, 'then', { value });
  return result;
}
