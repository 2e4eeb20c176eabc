import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { KeyringError } from '../../database/encryption/keyring.ts';
import { databaseErrorCode } from '../../database/errors.ts';
import { findCondition } from '../../database/sqlstates.ts';
import { traceFields } from '../../tracing/spans.ts';

type LogSettings = Pick<Config, 'LOG_LEVEL'> & Partial<Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT'>>;

/**
 * Structured logs. An error is logged by its name, code and places in the code; never by its message, which may quote
 * what was sent or stored. Of requests and answers nothing is logged but what is named, one by one (observability.ts), and the trace that
 * they belong to where traces are made.
 */
export function createLogger(config: LogSettings, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level: config.LOG_LEVEL,
    base: { pid: process.pid },
    formatters: { level: (level) => ({ level }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? {} : { mixin: traceFields }),
    serializers: { err: writeError, req: () => undefined, res: () => undefined },
    hooks: {
      logMethod(parts, method) {
        Reflect.apply(method, this, hideAddresses(parts));
      },
    },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * Lines leave together, at the latest after a tenth of a second and before the process ends: written one by one they would cost
 * as much as the responses. A killed process loses the lines of its last tenth of a second; records that must never be lost are
 * in the audit. Where the reader of the output has gone, the process goes on without it.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, minLength: 4_096, periodicFlush: 100 });
  let isRead = true;
  output.on('error', () => {
    isRead = false;
    output.destroy();
  });
  // Lines for a person leave the same way.
  process.stdout.on('error', () => {});
  // Its flushSync() would wait for a reader that has gone, forever.
  process.once('exit', () => isRead && output.end());
  return { write: (line: string) => void (isRead && output.write(line)) };
}

/**
 * A line without what libraries would put into it: pino takes an error's message where it is given no text, Fastify
 * gives it one as text, and quotes addresses.
 */
function hideAddresses([first, text, ...values]: unknown[]): unknown[] {
  if (typeof first === 'string') return [first.replaceAll(/"\/[^"]*"/g, '(address)'), ...(text === undefined ? [] : [text, ...values])];
  const fields = first instanceof Error ? { err: first } : first;
  const error = typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : undefined;
  if (!(error instanceof Error)) return text === undefined ? [fields] : [fields, text, ...values];
  const isOwn = typeof text === 'string' && (error.message === '' || !text.includes(error.message));
  return isOwn ? [fields, text, ...values] : [fields, 'error'];
}

const DEEPEST_CAUSE = 5;
const MOST_FRAMES = 12;

/**
 * An error as the log has it: its name, its code, that of the database in words, the place of a stored value that does not open and its missing
 * master key, and its frames, never its message, which may contain patient data.
 */
function writeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return writeThrown(error);
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {};
  const condition = findCondition(databaseErrorCode(error) ?? '');
  const cause = error.cause && depth < DEEPEST_CAUSE ? { cause: writeError(error.cause, depth + 1) } : {};
  const place = error instanceof KeyringError ? { cell: error.cell, missing_key: error.missingKey } : {};
  return { name: error.name, ...code, ...condition, ...place, frames: splitFrames(error), ...cause };
}

/** The name that an error has which is no object of this program's class Error, such as the cause that a database adapter gives. */
const thrown = z.object({
  name: z
    .string()
    .regex(/^[A-Z][A-Za-z]{0,60}(?:Error|Exception|Failure)$/)
    .optional()
    .catch(undefined),
  kind: z
    .string()
    .regex(/^[A-Za-z]{1,60}$/)
    .optional()
    .catch(undefined),
  code: z
    .union([z.string().regex(/^[A-Z0-9_]{1,40}$/), z.int()])
    .optional()
    .catch(undefined),
  originalCode: z
    .string()
    .regex(/^[A-Z0-9_]{1,40}$/)
    .optional()
    .catch(undefined),
});

/** Names and codes of the shapes above alone: anything may be thrown, data of a patient too. */
function writeThrown(error: unknown): object {
  const { name, kind, originalCode, code = originalCode } = thrown.safeParse(error).data ?? {};
  return { name: name ?? (code === undefined ? undefined : kind) ?? typeof error, ...(code === undefined ? {} : { code }) };
}

/** A stack begins with the message, which may have lines that look like frames. */
function splitFrames({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message);
  // A message that was changed after the stack was made cannot be separated from the frames.
  if (at < 0) return [];
  return stack
    .slice(at + message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim());
}
