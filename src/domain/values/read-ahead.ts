/** Reads the next one while one is worked on. */
export async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = source.next();
      // It is awaited in the next turn.
      next.catch(() => {});
      yield value;
    }
  } finally {
    await next.catch(() => {});
    await source.return(undefined);
  }
}
