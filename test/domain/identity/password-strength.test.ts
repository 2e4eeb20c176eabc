import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findWeakness } from '../../../src/domain/identity/passwords/password-strength.ts';

const run = promisify(execFile);
const GOOD = 'zebra quilt moonlit anchovy';
const RULE = new URL('../../../src/domain/identity/passwords/password-strength.ts', import.meta.url);

describe('the strength of a password', () => {
  it('is told of each by itself where several are asked at once', async () => {
    const weak = ['abcdefghijklmnopqrstu', 'qwertyuiopasdfghjkl', 'alexandria'];
    const good = [GOOD, 'Una walks a long river'];
    const found = await Promise.all([...weak, ...good].map((password) => findWeakness(password, [])));
    expect(found.map((weakness) => weakness === null)).toEqual([false, false, false, true, true]);
  });

  it('depends on the words that an attacker would try first', async () => {
    const password = 'Wolfeschlegelstein';
    expect(await findWeakness(password, [])).toBeNull();
    expect(await findWeakness(password, [password.toLowerCase()])).not.toBeNull();
  });

  it('is awaited by a process that then ends, since the thread does not keep it alive', async () => {
    const script = `import('${RULE}').then(({ findWeakness }) => findWeakness('${GOOD}', [])).then(console.log)`;
    const { stdout } = await run(process.execPath, ['--eval', script]);
    expect(stdout).toBe('null\n');
  });

  it('is estimated without reading the dictionaries in the thread that serves requests', async () => {
    const script = `
      const read = [];
      require('node:module').registerHooks({ load: (url, context, next) => (read.push(url), next(url, context)) });
      import('${RULE}').then(({ findWeakness }) => findWeakness('${GOOD}', [])).then(() => console.log(read.join()));`;
    const { stdout } = await run(process.execPath, ['--eval', script]);
    expect(stdout).toContain('password-strength.ts');
    expect(stdout).not.toMatch(/zxcvbn/);
  });
});
