import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');

it('the image looks at /readyz of a server or a worker, and takes anything but 200 for ill', async () => {
  const [, command = ''] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
  const [program = '', ...words] = z.array(z.string()).parse(JSON.parse(command));
  let [status, asked] = [200, ''];
  const server = createServer((request, response) => {
    asked = `${request.method} ${request.url}`;
    response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = z.custom<AddressInfo>((value) => typeof value === 'object').parse(server.address());
  const codeWith = (ports: Record<string, string>) =>
    new Promise<unknown>((resolve) =>
      execFile(program, words, { env: { PATH: process.env.PATH, ...ports } }, (error) => resolve(error?.code ?? 0)),
    );
  expect(await codeWith({ PORT: String(address.port) })).toBe(0);
  expect(asked).toBe('GET /readyz');
  expect(await codeWith({ PORT: '1', WORKER_PORT: String(address.port) })).toBe(0);
  status = 503;
  expect(await codeWith({ PORT: String(address.port) })).not.toBe(0);
  expect(await codeWith({ PORT: '1' })).not.toBe(0);
});

it.each(['docker-compose.yml', 'deploy/citus/docker-compose.yml'])('the database of %s quotes no statement in its log', (file) => {
  const [, command = ''] = /^ +command: \[("?postgres"?, .*)\]$/m.exec(read(file)) ?? [];
  for (const setting of ['log_error_verbosity=terse', 'log_min_error_statement=panic']) expect(command).toContain(setting);
});
