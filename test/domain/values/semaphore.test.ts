import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../src/domain/values/semaphore.ts';

/** Work that ends when the test says so. */
function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  const work = (name: string) => () => {
    begun.push(name);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    ends.set(name, { resolve, reject });
    return promise;
  };
  return {
    begun,
    work,
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('pictures, recordings and passwords', () => {
  it('wait in line for a slot, in their order, and one more than may wait is told to come again', async () => {
    const { begun, work, end } = createWork();
    const semaphore = createSemaphore({ slots: 1, longestQueue: 2, tooMany: 'Too many.' });
    const running = ['first', 'second', 'third'].map((name) => semaphore.run(work(name)));
    await expect(semaphore.run(work('fourth'))).rejects.toMatchObject({ kind: 'unavailable', message: 'Too many.' });
    expect(begun).toEqual(['first']);
    for (const name of ['first', 'second', 'third']) {
      end(name);
      await turn();
    }
    expect(await Promise.all(running)).toEqual(['first', 'second', 'third']);
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('leave their slot to the next where they fail', async () => {
    const { begun, work, end, fail } = createWork();
    const semaphore = createSemaphore({ slots: 1, longestQueue: 2, tooMany: 'Too many.' });
    const [first, second] = ['first', 'second'].map((name) => semaphore.run(work(name)));
    fail('first');
    await expect(first).rejects.toThrow('first');
    await turn();
    expect(begun).toEqual(['first', 'second']);
    end('second');
    expect(await second).toBe('second');
  });
});
