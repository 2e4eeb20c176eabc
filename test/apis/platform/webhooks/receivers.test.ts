import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { eventWebhooks } from '../../../../src/apis/platform/webhooks/event-webhooks.ts';
import { movedClock } from '../../../support/moved-clock.ts';
import { scratchFolder } from '../../../support/scratch.ts';
import { eventually } from '../../../support/server-process.ts';
import { ENDPOINTS, listDeliveries, received, register, webhookClinic, webhookTestApp } from './webhook-clinic.ts';

/** The receivers of docs/webhooks.md, as they stand there, against real deliveries. */

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8');
const snippets = new Map([...page.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs)].map(([, name = '', code = '']) => [name, code]));

const test = await webhookTestApp();
const folder = await scratchFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));
await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
for (const [name, code] of snippets) await writeFile(join(folder, name), code);

/** A snippet as a program imports it. */
const Snippet = z.object({ verify: z.custom<(headers: object, body: string) => { type: string }>((value) => typeof value === 'function') });
let imports = 0;

/** The type of the event that a snippet takes, or what it throws. */
async function verified(name: string, keys: Record<string, string>, headers: object, body: string): Promise<string> {
  for (const [variable, value] of Object.entries(keys)) vi.stubEnv(variable, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  // It reads its keys once, when it is loaded.
  imports += 1;
  const { verify } = Snippet.parse(await import(`${pathToFileURL(join(folder, name)).href}?${imports}`));
  try {
    return verify(headers, body).type;
  } catch (error) {
    return `refused ${error instanceof Error ? error.message : error}`;
  }
}

/** The shape by which the document shows an event. */
const findShape = (name: string) => eventWebhooks().find((one) => one.name === name)?.shape;

describe('docs/webhooks.md', () => {
  it('has the receivers that are tried here', () => {
    expect([...snippets.keys()]).toEqual(['receiver.mjs', 'with-standardwebhooks.mjs', 'with-svix.mjs', 'with-ed25519.mjs']);
  });

  it.each(['with-standardwebhooks.mjs', 'with-svix.mjs', 'with-ed25519.mjs'])(
    'verifies by %s during a rotation, with the old keys and the new, and refuses another body',
    async (name) => {
      const clinic = await webhookClinic(test, { types: ['patient.*'], signatures: ['v1', 'v1a'] });
      const rotated = (await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/rotate-secret`).expect(200)).body.data;
      await register(clinic.app);
      await received(clinic.at, 1);
      const { headers, body } = z.object({ headers: z.looseObject({}), body: z.string() }).parse(clinic.at.posts[0]);
      expect(findShape('patient.registered')?.parse(JSON.parse(body))).toBeDefined();
      for (const { secret, public_key } of [clinic.endpoint, rotated]) {
        const keys = { WEBHOOK_SECRET: secret, WEBHOOK_PUBLIC_KEY: public_key };
        expect(await verified(name, keys, headers, body)).toBe('patient.registered');
        expect(await verified(name, keys, headers, body.replace('patient', 'Patient'))).toMatch(/^refused .*signature/i);
        const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 3_600) };
        expect(await verified(name, keys, old, body)).toMatch(/^refused/);
      }
    },
  );

  it('has a receiver in plain Node that takes deliveries, and refuses what others post', async () => {
    const clinic = await webhookClinic(test);
    const port = new URL(clinic.at.url).port;
    await clinic.at.close();
    const env = { PATH: process.env.PATH, ...movedClock(), WEBHOOK_SECRET: clinic.endpoint.secret, PORT: port };
    const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill());
    const lines: string[] = [];
    const output = createInterface(child.stdout);
    output.on('line', (line) => lines.push(line));
    await once(output, 'line');
    await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/test`).expect(202);
    await eventually('the event', async () => lines.length === 2);
    expect(lines[1]).toBe(`1 webhook_endpoint.tested webhook_endpoint:${clinic.endpoint.id}`);
    await eventually('the delivery', async () => (await listDeliveries(clinic))[0].status === 'delivered');
    expect((await fetch(clinic.at.url, { method: 'POST', body: '{}' })).status).toBe(400);
  });
});
