import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type DemoPractice, seedDemo } from '../../../prisma/seed/demo.ts';
import { keepDemoMedia } from '../../../prisma/seed/session-media.ts';
import { hashSecret, newSecret } from '../../../src/domain/identity/secrets.ts';
import { createLocalFiles } from '../../../src/gateways/local-files.ts';
import { type Examples, readExamples } from '../../../src/http/openapi-examples.ts';
import { ownTestApp } from '../../support/app.ts';
import { differences } from './compare.ts';
import { integrationExamples } from './integration.ts';
import { mobileExamples } from './mobile.ts';
import { practiceExamples } from './practice.ts';
import { type Api, createRecorder, operationsOf } from './recorder.ts';

/** Operations whose responses have the same values on every day: people, places, catalogues, and what the request itself says. */
const EXACT: Record<Api, string[]> = {
  integration: [
    'listAppointmentTypes',
    'createAppointmentType',
    'updateAppointmentType',
    'createPatient',
    'updatePatient',
    'getPatientById',
  ],
  practice: ['listPracticeInformation', 'registerPatient', 'searchPatients', 'getProvider'],
  mobile: [
    ...['login', 'refreshToken', 'getClient', 'getCurrentUser', 'listOrganizations', 'getOrganization', 'listOffices', 'getOffice'],
    ...['listUsers', 'searchUsers', 'getUser', 'listProviders', 'getProvider', 'getProviderByIdentifier', 'listPatients', 'getPatient'],
    ...['listAppointmentTypes', 'createAppointmentType', 'getAppointmentType', 'updateAppointmentType', 'listContacts', 'getContact'],
    ...['listCannedReplies', 'createCannedReply', 'getCannedReply', 'listSmsTemplates', 'createSmsTemplate', 'updateSmsTemplate'],
    ...['listSurveyTypes', 'listMonitoringPrograms', 'getMonitoringProgram', 'listMonitoringItems', 'setFiveMinuteCheckIn'],
  ],
};

const test = await ownTestApp();
const [practice] = await fillDemo();

/** Puts the demo practices into the database of the server. */
async function fillDemo(): Promise<DemoPractice[]> {
  const { database, keyring, config } = test;
  const practices = await seedDemo(database.prisma, { now: new Date(), keyring, hash: hashSecret, randomSecret: newSecret });
  const store = { db: database.prisma, files: createLocalFiles(`${config.DATA_DIR}/files`) };
  for (const { practiceid } of practices) await keepDemoMedia(database, store, practiceid);
  return practices;
}

const fileOf = (api: Api) => new URL(`../../../src/apis/${api}/examples.json`, import.meta.url);

const found = <T>(list: readonly T[] | undefined, matches: (one: T) => boolean): T => {
  const one = list?.find(matches);
  if (one === undefined) throw new Error('the demo lacks somebody');
  return one;
};

const userOf = (role: string) => found(practice?.users, (user) => user.role === role);

async function clientToken(api: string): Promise<string> {
  const { client_id, client_secret } = found(practice?.clients, (client) => client.api === api);
  const asked = test.http.post('/oauth2/v1/token').type('form').send({ grant_type: 'client_credentials', client_id, client_secret });
  return String((await asked.expect(200)).body.access_token);
}

const userToken = async ({ email, password }: { email: string; password: string }): Promise<string> =>
  String((await test.http.post('/login').send({ email, password }).expect(200)).body.data.access_token);

const record: Record<Api, () => Promise<Examples>> = {
  integration: async () => {
    const { ask, examples } = createRecorder(test, 'integration', await clientToken('integration'));
    await integrationExamples(ask);
    return examples;
  },
  practice: async () => {
    const prefix = { apivariant: 'v1', practiceid: practice?.practiceid ?? 0 };
    const { ask, examples } = createRecorder(test, 'practice', await clientToken('practice'), prefix);
    await practiceExamples(ask);
    return examples;
  },
  mobile: async () => {
    const provider = userOf('provider');
    const { ask, examples } = createRecorder(test, 'mobile', await userToken(provider));
    await mobileExamples(test, ask, {
      practiceid: practice?.practiceid ?? 0,
      adminToken: await userToken(userOf('admin')),
      provider: { email: provider.email, password: provider.password },
    });
    return examples;
  },
};

// `npm run examples` writes them; any other run compares them with what happens now.
const APIS: Api[] = ['integration', 'practice', 'mobile'];
it.each(APIS)('each operation of the %s API has an example that happens like this with the demo practices', async (api) => {
  const actual = await record[api]();
  if (process.env.EXAMPLES === 'write') await writeFile(fileOf(api), `${JSON.stringify(actual, null, 2)}\n`);
  const recorded = readExamples(fileOf(api));
  const wrong = Object.entries(actual).flatMap(([name, example]) =>
    differences(recorded[name], example, EXACT[api].includes(name)).map((difference) => `${name}: ${difference}`),
  );
  expect(wrong, 'run "npm run examples" and read what it changes').toEqual([]);
  const operations = [...operationsOf(api).keys()];
  expect(operations.filter((name) => !(name in recorded))).toEqual([]);
  expect(Object.keys(recorded).filter((name) => !operations.includes(name))).toEqual([]);
});
