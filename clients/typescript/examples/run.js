// npm run example -- <name>: one of the programs beside this file, by default against the demo on this computer.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAMS = ['follow', 'book', 'webhook', 'gateway', 'sign-in'];
const name = process.argv[2];
const folder = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');

if (!PROGRAMS.includes(name)) {
  console.error(`Usage: npm run example -- <${PROGRAMS.join(' | ')}>`);
  process.exit(1);
}
if (!existsSync(join(folder, 'dist'))) execFileSync('npm', ['run', 'prepack'], { cwd: folder, stdio: 'inherit', shell: true });

const demo = join(process.env.DATA_DIR ?? join(folder, '..', '..', '.data'), 'demo.json');
if (existsSync(demo)) {
  const { baseUrl, practices } = JSON.parse(readFileSync(demo, 'utf8'));
  const { clients, app } = practices[0];
  process.env.URL ??= baseUrl;
  const client = name === 'sign-in' ? app : clients[0];
  if (client) process.env.CLIENT_ID ??= client.client_id;
  process.env.CLIENT_SECRET ??= clients[0].client_secret;
}
const needed = ['URL', 'CLIENT_ID', ...(name === 'sign-in' ? [] : ['CLIENT_SECRET'])];
const missing = needed.filter((variable) => !process.env[variable]);
if (missing.length > 0) {
  console.error(`Set ${missing.join(', ')}, or start the demo first: ${demo} is not there.`);
  process.exit(1);
}
await import(`./${name}.js`);
