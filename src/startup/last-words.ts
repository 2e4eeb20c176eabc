import { StartError } from '../config/start-errors.ts';
import { isDatabaseUnreachable, isDiskFull } from '../database/errors.ts';

/** Runs a process: it ends with exit code 0, or with 1 after its last words on the standard error. */
export function runToEnd(main: () => Promise<void>): void {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${lastWords(error)}\n`);
      process.exit(1);
    },
  );
}

/** The reason why a process ends, for the operator: a sentence where the error was to be expected, else the stack. */
export function lastWords(error: unknown): string {
  if (error instanceof StartError) return error.message;
  if (isDiskFull(error)) return 'The disk of the database or of DATA_DIR is full. Free up space and start again; nothing is lost.';
  if (isDatabaseUnreachable(error)) return 'The database stopped or did not respond in time. Start again when it does; nothing is lost.';
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
