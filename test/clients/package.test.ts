import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { installPackage, packageClinic, run } from './package/package-clinic.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const project = await installPackage();
const { given, dataDir } = await packageClinic();
const installed = join(project, 'node_modules', 'triptych-client');
const NODE = process.execPath;

const example = (name: string, env: Record<string, string> = {}) =>
  run('npm', ['run', '--silent', 'example', '--', name], installed, { DATA_DIR: dataDir, ...env });

describe('triptych-client from its tarball', () => {
  it('is all that is installed, and less than 5 kB of it go into a program of one operation', async () => {
    expect(await run('npm', ['ls', '--all', '--parseable'], project)).toBe(`${project}\n${installed}\n`);
    const one = `import { clientCredentials, connect } from 'triptych-client';
      import { createAppointment } from 'triptych-client/integration';
      createAppointment({ client: connect({ url: 'https://x', auth: clientCredentials({ clientId: 'a', clientSecret: 'b' }) }) });`;
    await writeFile(join(project, 'one.js'), one);
    const bundle = await rolldown({ input: join(project, 'one.js') });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    expect(output).toHaveLength(1);
    expect(gzipSync(output[0].code).length).toBeLessThan(5_000);
  });

  it('compiles strictly with a program that uses it, without the types of Node', async () => {
    await writeFile(join(project, 'integrator.ts'), await readFile(join(import.meta.dirname, 'package', 'integrator.ts')));
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', '', 'integrator.ts'];
    expect(await run(NODE, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options], project)).toBe('');
  });

  it('books an appointment with the ten lines of its README', async () => {
    const [, program = ''] = /```js\n\/\/ book\.mjs\n(.*?)```/s.exec(await readFile(join(installed, 'README.md'), 'utf8')) ?? [];
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(10);
    await writeFile(join(project, 'book.mjs'), program);
    const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } = given.machine;
    expect(await run(NODE, ['book.mjs'], project, { URL: given.url, CLIENT_ID, CLIENT_SECRET })).toMatch(
      /^booked \d+ at 20\S+T09:30:00\n$/,
    );
  });

  it.each(['follow.js', 'book.js', 'webhook.js', 'gateway.js', 'sign-in.js'])('has the example %s, of less than 80 lines', async (name) => {
    const program = await readFile(join(installed, 'examples', name), 'utf8');
    expect(program.split('\n').length).toBeLessThan(80);
  });

  it('keeps what it promises under Node', async () => {
    await writeFile(
      join(project, 'run.js'),
      `import { runChecks } from './run-checks.js';\nconsole.log(JSON.stringify(await runChecks(${JSON.stringify(given)})));\n`,
    );
    const results: unknown = JSON.parse(await run(NODE, ['run.js'], project));
    expect(Object.entries(Object(results)).filter(([, result]) => result !== 'passed')).toEqual([]);
    expect(Object.keys(Object(results)).length).toBeGreaterThan(14);
  });

  it('has examples that copy and follow, book and move, and receive a webhook', async () => {
    const following = example('follow', { FOLLOW_SECONDS: '10' });
    const receiving = example('webhook', { FOLLOW_SECONDS: '10' });
    expect(await example('book')).toMatch(
      /^booked (\d+).*\nmoved to .*\nrefused.*\ntold: appointment.scheduled .*\ntold: appointment.moved /,
    );
    expect(await following).toMatch(/copied \d{3} patients\ncopied \d{3} appointments\n.*followed for 10 seconds: \d{3} patients/s);
    expect(await receiving).toMatch(/^receiving at .*\n(.*\n)*\d webhook_endpoint.tested/);
    await expect(example('nothing')).rejects.toThrow('Usage: npm run example -- <follow | book | webhook | gateway | sign-in>');
  });
});

describe('a gateway of devices with triptych-client', () => {
  it('sends 5,000 readings, of which each is stored once', async () => {
    expect(await example('gateway')).toMatch(/^5000 stored, 0 stored before, 0 refused/);
  });
});
