import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { changeLevelBySignal } from '../../src/startup/log-level.ts';

function loggerWith(LOG_LEVEL: 'info' | 'debug', detailedForMs?: number) {
  const lines: string[] = [];
  const logger = createLogger({ LOG_LEVEL }, { write: (line) => void lines.push(line) });
  onTestFinished(changeLevelBySignal(logger, detailedForMs));
  return { logger, lines };
}

it('a signal shows more of the log, also of requests that begin then, and the next one less', () => {
  const { logger, lines } = loggerWith('info');
  process.emit('SIGUSR2');
  expect(logger.level).toBe('debug');
  logger.child({ reqId: '1' }).debug('seen');
  process.emit('SIGUSR2');
  expect(logger.level).toBe('info');
  logger.child({ reqId: '2' }).debug('unseen');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'the log is at the level debug, until the next SIGUSR2 or for 15 minutes',
    'seen',
    'the log is at the level info again',
  ]);
});

it('a log that is at debug already goes to trace', () => {
  const { logger } = loggerWith('debug');
  process.emit('SIGUSR2');
  expect(logger.level).toBe('trace');
});

it('the configured level is back by itself', async () => {
  const { logger } = loggerWith('info', 1);
  process.emit('SIGUSR2');
  while (logger.level !== 'info') await sleep(5);
});
