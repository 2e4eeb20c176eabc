import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);

it('the token of the demo is asked of the server that wrote the demo.json of DATA_DIR', async () => {
  const server = createServer((_request, response) => response.end('{"access_token":"the token"}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'triptych-demo-'));
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const clients = [{ api: 'integration', client_id: 'one', client_secret: 'two' }];
  await writeFile(join(folder, 'demo.json'), JSON.stringify({ baseUrl: `http://127.0.0.1:${port}`, practices: [{ clients, users: [] }] }));
  const env = { ...process.env, DATA_DIR: folder };
  expect((await run(process.execPath, ['scripts/demo-token.mjs'], { env })).stdout).toBe('the token\n');
});
