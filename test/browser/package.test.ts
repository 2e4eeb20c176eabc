import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { installPackage, packageClinic } from '../clients/package/package-clinic.ts';
import { sharedBrowser } from '../support/browser.ts';
import { enterPassword, newDevice } from './signing-in.ts';

const browser = await sharedBrowser();
const project = await installPackage();
const { test, given, dataDir } = await packageClinic();

/** The entries of the package by their names, as a page without a bundler finds them. */
const ENTRIES = Object.fromEntries(
  ['', '/integration', '/practice', '/mobile', '/platform'].map((entry) => [
    `triptych-client${entry}`,
    `/project/node_modules/triptych-client/dist/${entry === '' ? '' : `generated${entry}/`}index.js`,
  ]),
);
const PAGE = `<!doctype html><title>App</title><script type="importmap">${JSON.stringify({ imports: ENTRIES })}</script>`;

it('triptych-client from its tarball keeps in a browser what it promises', { timeout: 180_000 }, async () => {
  const page = await newDevice(browser, 'about:blank');
  await page.route(`${test.address}/project/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.endsWith('/')) return route.fulfill({ contentType: 'text/html', body: PAGE });
    return route.fulfill({ contentType: 'text/javascript', body: await readFile(join(project, pathname.replace('/project/', ''))) });
  });
  await page.goto(`${test.address}/project/`);
  const results: unknown = await page.evaluate(
    `import('/project/run-checks.js').then(({ runChecks }) => runChecks(${JSON.stringify(given)}))`,
  );
  expect(Object.entries(Object(results)).filter(([, result]) => result !== 'passed')).toEqual([]);
  expect(Object.keys(Object(results)).length).toBeGreaterThan(14);
  await page.context().close();
});

it('the example of an app signs a person in with their browser', async () => {
  const env = { ...process.env, NODE_OPTIONS: '', DATA_DIR: dataDir };
  const program = spawn(process.execPath, [join(project, 'node_modules/triptych-client/examples/run.js'), 'sign-in'], { env });
  const said: string[] = [];
  const page = await newDevice(browser, 'about:blank');
  for await (const line of createInterface({ input: program.stdout })) {
    said.push(line);
    const [address] = /http\S+authorize\S+/.exec(line) ?? [];
    if (address === undefined) continue;
    await page.goto(address);
    await enterPassword(page, given.user);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('You are signed in.').waitFor();
  }
  expect(said.slice(-2)).toEqual([expect.stringMatching(/^signed in as \S+ \S+/), 'signed out']);
  await page.context().close();
});
