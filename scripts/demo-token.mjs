/**
 * Prints an access token of the first demo practice, so that one line of curl shows data. Plain JavaScript for Node 18
 * or later: it runs outside of npm, on whatever Node the machine has.
 * Usage: node scripts/demo-token.mjs [integration|practice] [path of demo.json]
 * Without a path it is that of DATA_DIR, which begins in the project's folder as that of `npm start` does; `.data` unless it is set.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const given = process.argv.slice(2);
const isApi = (word) => word === 'integration' || word === 'practice';
const api = given.find(isApi) ?? 'integration';
const file = given.find((word) => !isApi(word)) ?? resolve(root, process.env.DATA_DIR?.trim() || '.data', 'demo.json');

try {
  const demo = JSON.parse(readFileSync(file, 'utf8'));
  const client = demo.practices[0].clients.find((candidate) => candidate.api === api);
  if (!client) throw new Error(`${file} names no client of the ${api} API`);
  const { client_id, client_secret } = client;
  const answer = await fetch(`${demo.baseUrl}/oauth2/v1/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  });
  if (!answer.ok) throw new Error(`${demo.baseUrl} answered ${answer.status}: ${await answer.text()}`);
  console.log((await answer.json()).access_token);
} catch (error) {
  console.error(`No token: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
