import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The variables by which a process that gets no others has the clock of this one. */
export { movedClock } from '../../src/database/embedded/supervised.ts';

const SOURCE = join(import.meta.dirname, '../dates/clock.c');

/**
 * The variables by which a process and its children begin at an instant.
 * @param folder gets the library that moves their clocks. Needs a C compiler
 */
export function clockAt(instant: string, folder: string): Record<string, string> {
  const library = join(folder, 'clock.so');
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE]);
  return { LD_PRELOAD: library, TEST_CLOCK_AHEAD: String(Math.round((Date.parse(instant) - Date.now()) / 1000)) };
}
