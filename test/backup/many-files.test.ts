import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { storeFile } from '../../src/domain/files/stored-files.ts';
import { createLocalFiles } from '../../src/gateways/files/local-files.ts';
import { admin, toEnvironment } from '../admin/command-line.ts';
import { ownTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';

const test = await ownTestApp();

it('a backup has each of more files than it reads at once, and each once', async () => {
  const place = await mkdtemp(join(tmpdir(), 'triptych-many-files-'));
  onTestFinished(() => rm(place, { recursive: true }));
  const { attachment } = test.database.prisma;
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const store = { db: test.database.prisma, files: createLocalFiles(join(test.config.DATA_DIR, 'files')) };
  const { sha256, ...stored } = await storeFile(store, organizationId, Readable.from(['kept']), 100);
  const file = { ...stored, sha256: new Uint8Array(sha256), organizationId, fileName: 'kept.txt' };
  // Their numbers have digits more and fewer: in the order of their text, some would be passed over.
  await attachment.createMany({ data: Array.from({ length: 2_500 }, () => file) });
  const env = { ...toEnvironment(test), DATA_DIR: test.config.DATA_DIR };
  const said = await admin(env, ['backup', 'create', '--full-speed', '--to', place, '--json']);
  expect(z.object({ files: z.int() }).parse(JSON.parse(said.out)).files).toBe(await attachment.count());
});
