import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Examples, readExamples } from '../../../src/http/endpoints/examples.ts';
import { ownTestApp } from '../../support/app.ts';
import { demoClientToken, demoUserToken, fillDemo, findUser } from '../../support/demo.ts';
import { startClockAt } from '../../support/fixed-clock.ts';
import { integrationExamples } from './integration.ts';
import { mobileExamples } from './mobile.ts';
import { platformExamples } from './platform.ts';
import { practiceExamples } from './practice.ts';
import { type Api, createRecorder, readOperations } from './recorder.ts';

/** A Wednesday, in the morning in both demo practices: every example is of that day, whenever it is recorded or compared. */
const NOW = '2026-11-18T16:30:00Z';
const databaseUrl = await startClockAt(NOW);
const test = await ownTestApp({}, { databaseUrl });
const [practice] = await fillDemo(test, new Date(NOW));
if (!practice) throw new Error('the demo has no practice');

const toFile = (api: Api) => new URL(`../../../src/apis/${api}/examples.json`, import.meta.url);

/**
 * Resolves when nothing can come before an event of now: a subscription that begins then has none of the events of the other examples.
 * Until then each transaction of the whole database server that began earlier has to end, those of other test files too.
 */
async function pastEvents(): Promise<void> {
  const arePast = async () => {
    const [found] = await test.database.prisma.$queryRaw<{ past: boolean }[]>`
      SELECT NOT EXISTS (SELECT FROM event WHERE transaction_id >= log_horizon()) AS past`;
    return found?.past;
  };
  await expect.poll(arePast, { timeout: 60_000 }).toBe(true);
}

const record: Record<Api, () => Promise<Examples>> = {
  integration: async () => {
    const { ask, readRest, examples } = createRecorder(test, 'integration', await demoClientToken(test, practice, 'integration'));
    await integrationExamples(ask);
    await readRest();
    return examples;
  },
  practice: async () => {
    const prefix = { apivariant: 'v1', practiceid: practice.practiceid };
    await pastEvents();
    const { ask, readRest, examples } = createRecorder(test, 'practice', await demoClientToken(test, practice, 'practice'), prefix);
    await practiceExamples(ask);
    await readRest();
    return examples;
  },
  mobile: async () => {
    const provider = findUser(practice, 'provider');
    const { ask, readRest, examples } = createRecorder(test, 'mobile', await demoUserToken(test, practice, 'provider'));
    await mobileExamples(test, ask, {
      practiceid: practice.practiceid,
      adminToken: await demoUserToken(test, practice, 'admin'),
      provider: { email: provider.email, password: provider.password },
    });
    await readRest();
    return examples;
  },
  platform: async () => {
    const { ask, readRest, examples } = createRecorder(test, 'platform', await demoUserToken(test, practice, 'admin'));
    await platformExamples(test, ask);
    await readRest();
    return examples;
  },
};

// `EXAMPLES=write npm test -- test/contract/examples` writes them; any other run compares them with what happens now.
const APIS: Api[] = ['integration', 'practice', 'mobile', 'platform'];
it.each(APIS)('each operation of the %s API has an example that happens like this with the demo practices', async (api) => {
  const actual = await record[api]();
  if (process.env.EXAMPLES === 'write') await writeFile(toFile(api), `${JSON.stringify(actual, null, 2)}\n`);
  const recorded = readExamples(toFile(api));
  expect(actual, 'run "EXAMPLES=write npm test -- test/contract/examples" and read what it changes').toEqual(recorded);
  // The operations on tokens, which every document has, have written examples.
  const operations = [...readOperations(api)].flatMap(([name, { path }]) => (path.startsWith('/oauth2/') ? [] : [name]));
  expect(operations.filter((name) => !(name in recorded))).toEqual([]);
  expect(Object.keys(recorded).filter((name) => !operations.includes(name))).toEqual([]);
});
