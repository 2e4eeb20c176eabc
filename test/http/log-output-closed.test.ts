import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

it('a process whose log reader has gone works on, and ends when it should', async () => {
  const program = `
    import { createLogger } from ${JSON.stringify(new URL('../../src/http/telemetry/logger.ts', import.meta.url).href)};
    const logger = createLogger({ LOG_LEVEL: 'info' });
    process.stdout.write('begun\\n');
    process.stdin.once('data', () => {
      for (let line = 0; line < 2_000; line += 1) logger.info('nobody reads this');
      process.stdout.write('nor this');
      setTimeout(() => {
        logger.info('nor what is said last');
        process.exit(7);
      }, 300);
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stdin.write('go on\n');
  expect(await once(child, 'exit')).toEqual([7, null]);
});
