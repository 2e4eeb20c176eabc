/**
 * Combines concurrent calls into batches. One batch is processed at a time; items that arrive meanwhile form the next one, so that
 * a busy server makes few calls, and an idle one waits for none.
 * @param most the largest number of items in a batch
 * @param work returns results in the order of the items; a rejected promise among them is the failure of one item, and a rejected
 *   call that of all
 */
export function createBatcher<T, R>(most: number, work: (items: T[]) => Promise<readonly (R | Promise<R>)[]>): (item: T) => Promise<R> {
  interface Waiting {
    item: T;
    resolve: (result: R | Promise<R>) => void;
    reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let working = false;

  async function workOn(batch: Waiting[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item));
      if (results.length < batch.length) throw new Error('there are fewer results than items');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function drain(): Promise<void> {
    if (working) return;
    working = true;
    while (waiting.length > 0) await workOn(waiting.splice(0, most));
    working = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // After this turn of the event loop, so that all of its items are in the batch.
      if (waiting.length === 1) setImmediate(() => void drain());
    });
}
