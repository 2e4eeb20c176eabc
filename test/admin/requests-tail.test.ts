import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/admin/program.ts';
import { integrationClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { eventually } from '../support/server-process.ts';
import { createOperator } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);

/** Follows the requests of a practice until the test is over. */
function tail(line: string) {
  const stopping = new AbortController();
  const said = { out: '', err: '' };
  const code = run(`requests tail ${line}`.split(' '), {
    env: operator.env,
    stdin: (async function* () {})(),
    stdout(text) {
      said.out += text;
    },
    stderr(text) {
      said.err += text;
    },
    database: test.database,
    stopping: stopping.signal,
  });
  const end = () => {
    stopping.abort();
    return code;
  };
  onTestFinished(async () => void (await end()));
  return { said, end };
}

it('requests tail shows the last failures of a client, and each that follows once', async () => {
  const client = await integrationClient(test);
  const other = await integrationClient(test, { organizationId: client.organizationId });
  const fail = async ({ token }: { token: string }, id: string) => {
    const answer = await test.http.get('/api/patients/999999').set('authorization', `Bearer ${token}`).set('x-request-id', id);
    expect(answer.status).toBe(404);
  };
  await fail(client, 'before');
  const following = tail(`--practice ${client.organizationId} --client ${client.clientId} --failures`);
  await eventually('the request before', async () => following.said.out.includes('before'));
  await fail(other, 'of-another');
  await fail(client, 'after');
  await eventually('the request after', async () => following.said.out.includes('after'));
  expect(await following.end()).toBe(0);
  const lines = following.said.out.split('\n').filter((line) => line.includes('patient_not_found'));
  expect(lines).toEqual([
    expect.stringMatching(/404 {2}GET \/api\/patients\/\{uuid\} {2}[\d.]+ ms {2}before {2}patient_not_found/),
    expect.stringContaining('  after  patient_not_found'),
  ]);
});
