import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { currentSchema } from '../../src/database/migrations/schema-engine.ts';
import { ownTestApp } from '../support/app.ts';
import { admin, createOperator, foundPractice, MadeClient, MadeUser, withForeignKey } from './command-line.ts';

const test = await ownTestApp();
const operator = createOperator(test);

/** Tables that contain a text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const { pool } = test.database;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await pool.query(`SELECT 1 FROM ${name} AS t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text]);
    if (rowCount) found.push(name);
  }
  return found;
}

it('secrets are shown once: they are in no later answer, no log and no table', async () => {
  const { id, email, user, client } = await foundPractice(operator);
  const rotated = await operator.ask(MadeClient, `clients rotate-secret ${client.client_id}`);
  const reset = await operator.ask(MadeUser, `users reset-password ${email}`);
  const typed = 'typed on standard input';
  expect((await admin(operator.env, ['users', 'reset-password', email, '--password-stdin'], typed)).out).not.toContain(typed);
  await test.http.post('/login').send({ email, password: typed }).expect(200);
  await test.http
    .post('/oauth2/v1/token')
    .type('form')
    .auth(rotated.client_id, rotated.client_secret)
    .send({ grant_type: 'client_credentials' })
    .expect(200);
  await operator.say('keys rotate');
  const later = [
    'clients list --json',
    `users list --practice ${id} --json`,
    `audit list --practice ${id} --json`,
    `events list --practice ${id} --json`,
    'keys list --json',
  ];
  const shown = (await Promise.all(later.map((line) => operator.say(line)))).map(({ out }) => out).join('');
  for (const secret of [user.password, client.client_secret, rotated.client_secret, reset.password, typed]) {
    expect(shown).not.toContain(secret);
    expect(test.logs.join('')).not.toContain(secret);
    expect(await tablesWith(secret)).toEqual([]);
  }
  // The search itself finds what is there.
  expect(await tablesWith(email)).toContain('sign_in');
  expect(shown).toContain(client.client_id);
});

it('no answer shows a hash or a private key', async () => {
  await foundPractice(operator);
  await operator.say('keys rotate');
  const outs = await Promise.all(['clients list --json', 'keys list --json', 'keys master --json'].map((line) => operator.say(line)));
  for (const { out } of outs) expect(out).not.toMatch(/argon2|PRIVATE|private_pem"?: "/);
});

it('keys master knows every column that the schema calls encrypted', async () => {
  const schema = await currentSchema();
  const columns = schema.split('\n').flatMap((line) => {
    const [, field, mapped] = /^ {2}(\w+) .*?(?:@map\("(\w+)"\))?(?:[^@]*)$/.exec(line.replace(/\/\/.*/, '')) ?? [];
    const encrypted = /\/\/.*\bencrypted\b/.test(line) || mapped?.endsWith('_encrypted');
    return encrypted && field ? [mapped ?? field] : [];
  });
  expect(columns.length).toBeGreaterThan(4);
  const source = readFileSync(new URL('../../src/database/encryption/encrypted-columns.ts', import.meta.url), 'utf8');
  for (const column of columns) expect(source).toContain(`column: '${column}'`);
});

it('keys master names a master key that is needed and not there, and exits with 1', async () => {
  await foundPractice(operator);
  await operator.say('keys rotate');
  const Uses = z.array(z.object({ key: z.string(), state: z.string(), table: z.string().nullable() }));
  const uses = await operator.ask(Uses, 'keys master');
  expect(uses).toContainEqual(expect.objectContaining({ key: 'test', state: 'current', table: 'signing_key' }));
  const said = await admin(withForeignKey(operator.env, 'next'), ['keys', 'master', '--json']);
  expect(said).toMatchObject({ code: 1, err: 'MASTER_KEYS lacks keys that are still needed: test.\n' });
  expect(JSON.parse(said.out)).toContainEqual({ key: 'next', of: 'MASTER_KEYS', state: 'current', table: null, column: null, rows: 0 });
});
