import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { createServices } from '../../src/services.ts';
import { keyring, newDatabase, writeEntries } from '../cross-cutting/chains.ts';
import { createOrganization } from '../support/factories.ts';
import { startProxy } from '../support/proxy.ts';

describe('the recurring jobs', () => {
  it('seal the audit by themselves, go on after an outage, and end when they are told to', async () => {
    const { url, database } = await newDatabase();
    const proxy = await startProxy(url);
    const behind = openDatabase({ url: proxy.url, poolSize: 3 });
    onTestFinished(async () => {
      await behind.close();
      await proxy.close();
    });
    const { id } = await createOrganization(database.prisma);
    const lines: string[] = [];
    const logger = createLogger({ LOG_LEVEL: 'info' }, { write: (line) => void lines.push(line) });
    await proxy.cut();
    const services = await createServices({
      config: readConfig({ NODE_ENV: 'test', MASTER_KEYS: `test:${randomBytes(32).toString('base64')}` }),
      database: behind,
      keyring,
      logger,
    });
    const stop = startJobs({ ...services, origin: 'http://127.0.0.1' });
    while (!lines.some((line) => line.includes('"job":"seal-audit"'))) await new Promise((resolve) => setTimeout(resolve, 20));
    await proxy.restore();
    await writeEntries(database, id, 2);
    while (!lines.some((line) => line.includes('audit sealed'))) await new Promise((resolve) => setTimeout(resolve, 20));
    await stop();
    await services.close();
    expect((await verifyChain(database.prisma, keyring, id)).broken).toBeNull();
    const sealed = await database.prisma.auditLink.count();
    await writeEntries(database, id, 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await database.prisma.auditLink.count()).toBe(sealed);
  });
});
