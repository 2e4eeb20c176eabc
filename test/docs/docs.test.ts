import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { admin, MadeClient } from '../admin/command-line.ts';
import { movedClock } from '../support/moved-clock.ts';
import { removeFolder, scratchFolder } from '../support/scratch.ts';
import { killServers, startServer } from '../support/server-process.ts';
import { serveCommands } from './commands.ts';
import { ROOT, readPages } from './pages.ts';
import { isRun, type Place, runPage } from './shell.ts';
import { endsAsShown } from './shown.ts';

const pages = readPages();
const folder = await scratchFolder();
const place = await startDemo();
afterAll(async () => {
  await killServers();
  await removeFolder(folder);
});

/** A demo server as `npm start` starts it the first time, its commands, and what the guides take for granted. */
async function startDemo(): Promise<Place> {
  const dataDir = join(folder, '.data');
  const server = startServer(dataDir, { SEED_DEMO: 'true' });
  const address = await server.ready;
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, ...movedClock() };
  const commands = await serveCommands(env);
  afterAll(commands.close);
  await mkdir(join(folder, 'mnt', 'evidence'), { recursive: true });
  const screen = join(folder, 'screen');
  await writeFile(screen, server.screen().replaceAll(address, 'http://127.0.0.1:3000'));
  const token = (holder: string) =>
    execFileSync(process.execPath, ['scripts/demo-token.mjs', holder], { cwd: ROOT, env, encoding: 'utf8' }).trim();
  const made = ['clients', 'create', '--practice', '1', '--name', 'Reader', '--scope', 'agent.read,agent.write', '--json'];
  const client = MadeClient.parse(JSON.parse((await admin(env, made)).out));
  const { publicKey } = await generateKeyPair('ES256');
  return {
    folder,
    address,
    files: {
      'number.txt': '219-09-9999\n',
      'password.txt': 'correct horse battery staple\n',
      'keys.json': JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1' }] }),
    },
    env: {
      ...env,
      COMMANDS: commands.address,
      SCREEN: screen,
      URL: address,
      TOKEN: token('admin'),
      USER_TOKEN: token('provider'),
      CLIENT_ID: client.client_id,
      CLIENT_SECRET: client.client_secret,
    },
  };
}

describe.each(pages)('$file', (page) => {
  it('does what it shows', async () => {
    const ran = await runPage(page, place);
    const wrong = page.blocks.flatMap((block, index) => {
      const did = ran.get(block.line);
      if (did === undefined) return [];
      const next = page.blocks[index + 1];
      const shown = next?.follows && next.language === '' ? next.lines : undefined;
      const last = block.line + block.lines.length;
      // A failure that the page shows is what its last line is there for.
      const failures = did.failures.filter(({ line }) => shown === undefined || line < last).map(({ text }) => text);
      if (shown !== undefined && !endsAsShown(did.output, shown)) failures.push(`line ${next?.line}: not what was printed`);
      return failures.length === 0 ? [] : [...new Set(failures), did.output];
    });
    expect(wrong.join('\n')).toBe('');
  });
});

const EXAMPLES = join(ROOT, 'clients', 'typescript', 'examples');

describe('an example of the client', () => {
  const quotes = pages.find(({ file }) => file === 'docs/examples.md')?.blocks.filter(({ language }) => language === 'js') ?? [];

  it.each(quotes)('is quoted in line $line as it is', async ({ shows = '', lines }) => {
    expect(await readFile(join(EXAMPLES, shows), 'utf8')).toContain(lines.slice(1).join('\n'));
  });
});

describe('each block', () => {
  const all = pages.flatMap(({ file, blocks }) => blocks.map((block, index) => ({ file, block, before: blocks[index - 1] })));

  it('is run, shows what a command printed, is a file that commands use, or says why not', () => {
    const silent = all.filter(({ block, before }) => {
      const isOutput = block.language === '' && block.follows && before?.language === 'sh';
      return !isRun(block) && !isOutput && block.noRun === undefined && block.shows === undefined;
    });
    expect(silent.map(({ file, block }) => `${file}:${block.line} ${block.language}`)).toEqual([]);
    const left = Map.groupBy(
      all.filter(({ block }) => block.noRun !== undefined),
      ({ block }) => block.noRun,
    );
    console.log([...left].map(([reason, { length }]) => `${length} not run: ${reason}`).join('\n'));
  });
});
