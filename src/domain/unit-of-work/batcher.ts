/**
 * What many ask for and one call does for all of them. One call is under way at a time; those who ask meanwhile share the next,
 * so that a busy server makes few of them, and an idle one waits for none.
 * @param most how many share one call
 * @param work answers in the order of the items; an answer that is a rejected promise is one item's failure, and a call that
 *   fails is the failure of all
 */
export function createBatcher<T, R>(most: number, work: (items: T[]) => Promise<readonly (R | Promise<R>)[]>): (item: T) => Promise<R> {
  interface Waiting {
    item: T;
    resolve: (answer: R | Promise<R>) => void;
    reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let working = false;

  async function workOn(batch: Waiting[]): Promise<void> {
    try {
      const answers = await work(batch.map(({ item }) => item));
      if (answers.length < batch.length) throw new Error('there are fewer answers than were asked for');
      for (const [place, answer] of answers.entries()) batch[place]?.resolve(answer);
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
      // Not before all of this turn of the loop have asked.
      if (waiting.length === 1) setImmediate(() => void drain());
    });
}
