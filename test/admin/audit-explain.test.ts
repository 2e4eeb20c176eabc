import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { ownTestApp } from '../support/app.ts';
import { runWithoutTriggers } from '../support/database-roles.ts';
import { admin, environmentOf, foundPractice, operatorOf } from './command-line.ts';

const test = await ownTestApp();
const operator = operatorOf(test);
const env = environmentOf(test);
/** A key that was in front for a while, and is gone. */
const withLost = { ...env, MASTER_KEYS: `lost:${randomBytes(32).toString('base64')},${env.MASTER_KEYS}` };
const Reports = z.array(
  z.object({
    organization_id: z.int(),
    holds: z.boolean(),
    links: z.int(),
    unsealed: z.int(),
    explained: z.array(z.object({ first: z.int(), last: z.int(), reason: z.string(), operator: z.string(), sealed_under: z.string() })),
  }),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explained-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (keys: Record<string, string>, line: string, ...rest: string[]) =>
  admin(keys, [...line.split(' '), ...rest], '', test.database);

/** Seals all that is written. */
async function seal(keys: Record<string, string>): Promise<void> {
  for (;;) {
    await run(keys, 'audit seal');
    const said = await run(keys, 'audit verify --json');
    const reports = Reports.parse(JSON.parse(said.out));
    if (reports.every(({ unsealed }) => unsealed === 0)) return;
  }
}

it('a lost key of the audit: refused everywhere, shown, explained with a code, and named from then on', async () => {
  const { id } = await foundPractice(operator);
  const file = join(folder, 'anchors');
  await seal(env);
  await run(env, `audit anchor --file ${file}`);
  await run(withLost, `organizations set ${id} --go-live-date 2026-12-01`);
  await seal(withLost);
  await run(withLost, `audit anchor --file ${file}`);

  const refused = await run(env, `organizations set ${id} --go-live-date 2026-12-02`);
  expect(refused).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^MASTER_KEYS are not those .*"lost" is needed \(the audit\)/),
  });
  expect(await run(env, 'audit verify')).toMatchObject({ code: 1, err: expect.stringContaining('"lost" is not among MASTER_KEYS') });
  expect((await run(env, `audit verify --anchors ${file}`)).err).toContain(`Anchor 2 of ${file} was altered, or was signed under other`);

  const explain = (...rest: string[]) => run(env, 'audit explain --as ada --reason', 'The host burnt', ...rest);
  const shown = await explain();
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toMatch(/SEALED UNDER +MASTER KEY[\s\S]* lost +missing/);
  const code = /--confirm ([0-9a-f]{12})/.exec(shown.out)?.[1] ?? '';
  expect(await run(env, 'audit verify')).toMatchObject({ code: 1 });
  expect(await explain('--confirm', '000000000000')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is not the code') });

  expect(await explain('--confirm', code)).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('the audit goes on behind them'),
  });
  await seal(env);
  const verified = await run(env, `audit verify --anchors ${file}`);
  expect(verified).toMatchObject({ code: 0, err: '' });
  expect(verified.out).toMatch(
    /Links \d+ to \d+ of organization \d+ were sealed under the key "lost", which nobody has; ada explained it on .*: The host burnt\./,
  );
  expect(verified.out).toContain(`Anchor 2 of ${file} was signed under the key of an explained stretch; its heads are in the chains.`);
  const reports = Reports.parse(JSON.parse((await run(env, 'audit verify --json')).out));
  expect(reports.find((one) => one.organization_id === id)).toMatchObject({
    holds: true,
    explained: [{ operator: 'ada', sealed_under: 'lost' }],
  });
  expect((await run(env, `audit list --organization ${id} --actor operator:ada`)).out).toContain('explained, sealed under lost');
  expect(await explain()).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was sealed under a key that nobody has.') });

  // Anchors tell of what comes behind, and alterations of the stretch are found.
  expect(await run(env, `audit anchor --file ${file}`)).toMatchObject({ code: 0 });
  const [stretch] = reports.find((one) => one.organization_id === id)?.explained ?? [];
  await runWithoutTriggers(
    test.databaseUrl,
    `UPDATE audit_entry SET actor = 'user:1' WHERE organization_id = ${id} AND id =
       (SELECT audit_entry_id FROM audit_link WHERE organization_id = ${id} AND position = ${stretch?.first})`,
  );
  expect(await run(env, 'audit verify')).toMatchObject({ code: 1, err: expect.stringContaining('which were explained, some were edited') });
  expect(await explain()).toMatchObject({ code: 1, err: expect.stringContaining(`organization ${id} cannot be explained`) });
});

it('needs a reason, and master keys that open what stands', async () => {
  expect(await run(env, 'audit explain')).toMatchObject({ code: 2 });
  await test.http.get('/.well-known/jwks.json').expect(200);
  const foreign = { ...env, MASTER_KEYS: `test:${randomBytes(32).toString('base64')}` };
  const said = await run(foreign, 'audit explain --reason none');
  expect(said).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^MASTER_KEYS are not those of this database/) });
});
