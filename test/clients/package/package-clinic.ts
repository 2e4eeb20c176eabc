import { execFile } from 'node:child_process';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll } from 'vitest';
import type { DemoPractice } from '../../../prisma/seed/demo.ts';
import { readClientKeys } from '../../../src/domain/identity/clients/client-keys.ts';
import { createKeyClient } from '../../../src/domain/identity/clients/clients.ts';
import { ENDPOINTS, received, webhookTestApp } from '../../apis/platform/webhooks/webhook-clinic.ts';
import type { TestApp } from '../../support/app.ts';
import { runAsOwner } from '../../support/database-roles.ts';
import { fillDemo, findUser } from '../../support/demo.ts';
import { createApiClient } from '../../support/factories.ts';
import { removeFolder, scratchFolder } from '../../support/scratch.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const PACKAGE = join(import.meta.dirname, '..', '..', '..', 'clients', 'typescript');

const execute = promisify(execFile);

/** Runs a command while the server of the test answers it. @throws with its output, where it ends with an error */
export async function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const given = { ...process.env, NODE_OPTIONS: '', ...env };
  return (await execute(program, args, { cwd, env: given, maxBuffer: 2 ** 24, shell: process.platform === 'win32' })).stdout;
}

/** An empty project into which the package was installed from its tarball; it is removed after the last test. */
export async function installPackage(): Promise<string> {
  const folder = await scratchFolder();
  afterAll(() => removeFolder(folder));
  await run('npm', ['pack', '--ignore-scripts=false', '--silent', '--pack-destination', folder], PACKAGE);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  await run('npm', ['install', '--offline', '--silent', `./${tarball}`], folder);
  for (const file of ['checks.js', 'run-checks.js']) await cp(join(import.meta.dirname, file), join(folder, file));
  return folder;
}

/** A server with the demo practices, and what the checks of the package are given of it; it ends with the test file. */
export async function packageClinic() {
  const test = await webhookTestApp();
  const practices = await fillDemo(test);
  await runAsOwner(test.databaseUrl, 'ANALYZE');
  const [demo] = practices;
  if (!demo) throw new Error('the demo has no practice');
  const { email, password } = findUser(demo, 'provider');
  const [machine, practiceMachine] = demo.clients.map(({ client_id, client_secret }) => ({
    clientId: client_id,
    clientSecret: client_secret,
  }));
  if (!machine) throw new Error('the demo has no client');
  const importer = { name: 'Importer', scopes: ['imports.read', 'imports.write'], organizationIds: [demo.practiceid] };
  const given = {
    url: test.address,
    practiceId: demo.practiceid,
    machine,
    practiceMachine,
    user: { email, password },
    importer: await createApiClient(test.database.prisma, importer),
    keyClients: await Promise.all(['ES256', 'ES384', 'PS256', 'RS384', 'EdDSA'].map((alg) => keyClient(test, demo, alg))),
    delivery: await oneDelivery(test, demo),
  };
  const dataDir = await scratchFolder();
  afterAll(() => removeFolder(dataDir));
  await writeFile(join(dataDir, 'demo.json'), JSON.stringify({ baseUrl: test.address, practices }));
  return { test, given, dataDir };
}

async function keyClient({ database }: TestApp, { practiceid }: DemoPractice, alg: string) {
  const pair = await generateKeyPair(alg, { extractable: true });
  const keys = readClientKeys({ jwks: { keys: [{ ...(await exportJWK(pair.publicKey)), kid: alg }] } }, () => true);
  const input = { name: alg, scopes: ['integration.read'], organizationIds: [practiceid], keys };
  const { clientId } = await createKeyClient(database.prisma, input);
  return { clientId, key: { ...(await exportJWK(pair.privateKey)), alg, kid: alg } };
}

/** A delivery as the server posts it, with both of its signatures. */
async function oneDelivery(test: TestApp, { clients: [machine] }: DemoPractice) {
  const at = await startReceiver();
  const form = { grant_type: 'client_credentials', client_id: machine?.client_id, client_secret: machine?.client_secret };
  const { access_token } = (await test.http.post('/oauth2/v1/token').type('form').send(form).expect(200)).body;
  const authorization = `Bearer ${access_token}`;
  const sent = { url: at.url, signatures: ['v1', 'v1a'] };
  const { data } = (await test.http.post(ENDPOINTS).set({ authorization }).send(sent).expect(201)).body;
  await test.http.post(`${ENDPOINTS}/${data.id}/test`).set({ authorization }).expect(202);
  await received(at, 1);
  await test.http.delete(`${ENDPOINTS}/${data.id}`).set({ authorization }).expect(204);
  await at.close();
  const [post] = at.posts;
  return { headers: post?.headers, body: post?.body, secret: String(data.secret), publicKey: String(data.public_key) };
}
