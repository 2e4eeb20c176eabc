/**
 * Prints an access token of the first demo practice, of an API client or of a user, so that one line of curl shows data. Plain
 * JavaScript for Node 18 or later: it runs outside of npm, on whatever Node the machine has.
 * Usage: node scripts/demo-token.mjs [integration|practice|admin|provider|staff] [path of demo.json]
 * Without a path it is that of DATA_DIR, which begins in the project's folder as that of `npm start` does; `.data` unless it is set.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const given = process.argv.slice(2);
const isHolder = (word) => ['integration', 'practice', 'admin', 'provider', 'staff'].includes(word);
const holder = given.find(isHolder) ?? 'integration';
const file = given.find((word) => !isHolder(word)) ?? resolve(root, process.env.DATA_DIR?.trim() || '.data', 'demo.json');

try {
  const demo = JSON.parse(readFileSync(file, 'utf8'));
  const post = async (path, init) => {
    const answer = await fetch(`${demo.baseUrl}${path}`, { method: 'POST', ...init });
    if (!answer.ok) throw new Error(`${demo.baseUrl} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const [{ clients, users }] = demo.practices;
  const client = clients.find(({ api }) => api === holder);
  const user = users.find(({ role }) => role === holder);
  if (client) {
    const { client_id, client_secret } = client;
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    console.log((await post('/oauth2/v1/token', { body: form })).access_token);
  } else if (user) {
    const body = JSON.stringify({ email: user.email, password: user.password });
    console.log((await post('/login', { headers: { 'content-type': 'application/json' }, body })).data.access_token);
  } else throw new Error(`${file} names no client or user that is ${holder}`);
} catch (error) {
  console.error(`No token: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
