import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Database } from './database.ts';
import { hashSecret, newSecret } from './domain/identity/secrets.ts';

const demoFile = z.object({
  baseUrl: z.string(),
  practices: z.array(
    z.object({
      practiceid: z.int(),
      name: z.string(),
      users: z.array(z.object({ role: z.string(), email: z.string(), password: z.string() })),
      clients: z.array(z.object({ api: z.string(), client_id: z.string(), client_secret: z.string(), scope: z.string() })),
    }),
  ),
});

export type DemoFile = z.infer<typeof demoFile>;

const pathOf = (dataDir: string) => join(dataDir, 'demo.json');

/**
 * Fills an empty database with two demo practices and writes how to sign in to them.
 * The file is written first under another name, the rows are committed last: a start that is killed in between begins anew.
 */
export async function prepareDemo(database: Database, dataDir: string): Promise<void> {
  if ((await database.prisma.organization.count()) > 0) return;
  // Loaded only for a first start: the generator behind it is large.
  const { seedDemo } = await import('../prisma/seed/demo.ts');
  const practices = await seedDemo(database.prisma, { now: new Date(), hash: hashSecret, randomSecret: newSecret });
  await writeDemo(dataDir, { baseUrl: '', practices });
}

/** Writes the address of this start into demo.json, where there is one. */
export async function announceDemo(dataDir: string, baseUrl: string): Promise<DemoFile | null> {
  const text = await readFile(pathOf(dataDir), 'utf8').catch(() => null);
  if (text === null) return null;
  const demo = { ...demoFile.parse(JSON.parse(text)), baseUrl };
  await writeDemo(dataDir, demo);
  return demo;
}

async function writeDemo(dataDir: string, demo: DemoFile): Promise<void> {
  const making = `${pathOf(dataDir)}.making`;
  await writeFile(making, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await chmod(making, 0o600);
  await rename(making, pathOf(dataDir));
}
