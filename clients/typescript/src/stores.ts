/** A place for one short text that outlives the program: tokens, or a cursor. `webStore`, `fileStore` of triptych-client/node, or yours. */
export interface Store {
  get(): string | null | Promise<string | null>;
  /** @param value null removes it */
  set(value: string | null): void | Promise<void>;
}

/** Keeps it for as long as the program runs. */
export function memoryStore(): Store {
  let kept: string | null = null;
  return {
    get: () => kept,
    set: (value) => {
      kept = value;
    },
  };
}

/** Keeps it in `localStorage` or `sessionStorage`. */
export const webStore = (storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>, key: string): Store => ({
  get: () => storage.getItem(key),
  set: (value) => (value === null ? storage.removeItem(key) : storage.setItem(key, value)),
});
