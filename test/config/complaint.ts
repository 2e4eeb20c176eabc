import { ConfigError } from '../../src/config/start-errors.ts';

/** What a ConfigError says; `no complaint` where there was none. */
export function readComplaint(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'no complaint';
}
