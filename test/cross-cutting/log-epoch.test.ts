import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { acquireDatabaseServer } from '../../src/database/data-folder.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { migrateAsOwner, migrateOnStart } from '../../src/database/migrations/migrate-on-start.ts';
import { migrate } from '../../src/database/migrations/migrations.ts';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { recordChange } from '../../src/domain/audit/journal-entries.ts';
import { operator } from '../../src/domain/caller.ts';
import { readEvents } from '../../src/domain/logs/event-log.ts';
import { txOf } from '../../src/domain/tx.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { createTestDatabase } from '../support/app.ts';
import { asOwner, databaseUrls, runAsOwner, runWithoutTriggers } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';

const keyring = createKeyring([{ id: 'test', key: Buffer.alloc(32, 7) }]);
/** As high as the numbers of a cluster that has run for years. */
const YEARS = 900_000_000_000n;

/** A database with an organization, whose log the test writes and reads. */
async function newLog() {
  const url = await createTestDatabase();
  const database = openDatabase({ url, poolSize: 5 });
  onTestFinished(() => database.close());
  const organizationId = (await createOrganization(database.prisma)).id;
  const unitOfWork = createUnitOfWork(database);
  return {
    url,
    database,
    change: (subject: number) =>
      unitOfWork.write(operator(organizationId, 'test'), async (tx) => {
        recordChange(tx, 'update', { name: 'organization.updated', id: subject });
      }),
    read: (cursor: string | null) => readEvents(txOf(database.prisma, operator(organizationId, 'test')), { after: cursor, limit: 100 }),
    /** Asks until it is told of so many events, as other transactions may hold them back. */
    async readUntil(cursor: string | null, count: number) {
      for (;;) {
        const page = await readEvents(txOf(database.prisma, operator(organizationId, 'test')), { after: cursor, limit: 100 });
        if (page.events.length >= count) return { subjects: page.events.map(({ subjectId }) => subjectId), cursor: page.cursor };
      }
    },
    async sealUntil(links: number) {
      for (;;) {
        await sealAudit(database, keyring);
        const report = await verifyChain(database.prisma, keyring, organizationId);
        if (report.broken || report.links >= links) return report;
      }
    },
    offset: async () => (await database.prisma.logEpoch.findFirstOrThrow()).transactionOffset,
  };
}

/** As other databases of the cluster do: what a reader is then told is far above the newest row of its log. */
const useNumbers = ({ url }: { url: string }, count: number) =>
  runAsOwner(url, `DO 'BEGIN FOR n IN 1..${count} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END'`);

/** Makes the logs look as after pg_dump and pg_restore into a new cluster: everything in them has a number far ahead. */
async function restoreFromElsewhere({ url }: { url: string }): Promise<void> {
  await runWithoutTriggers(
    url,
    `UPDATE event SET transaction_id = transaction_id + ${YEARS}; UPDATE audit_entry SET transaction_id = transaction_id + ${YEARS}`,
  );
}

describe('a database that was restored into a new cluster', () => {
  it('goes on in the order of its logs: nothing new looks older than what stands, and no reader misses it', async () => {
    const log = await newLog();
    await log.change(1);
    await log.change(2);
    await restoreFromElsewhere(log);
    expect((await log.read(null)).events).toEqual([]);

    expect(await migrate(databaseUrls(log.url))).toEqual([]);
    await log.change(3);
    const restored = await log.readUntil(null, 3);
    expect(restored.subjects).toEqual([1, 2, 3]);
    await log.change(4);
    expect((await log.readUntil(restored.cursor, 1)).subjects).toEqual([4]);
    expect(await log.sealUntil(4)).toMatchObject({ links: 4, unsealed: 0, broken: null });
  });

  it('is read on where its readers stood, also when it is restored a second time', async () => {
    const log = await newLog();
    await log.change(1);
    await restoreFromElsewhere(log);
    await migrate(databaseUrls(log.url));
    await log.change(2);
    await useNumbers(log, 1_000);
    const { cursor } = await log.readUntil(null, 2);
    await log.sealUntil(2);
    // The next cluster's own numbers are low again.
    await runAsOwner(log.url, 'UPDATE log_epoch SET transaction_offset = 0');
    await Promise.all([migrate(databaseUrls(log.url)), migrate(databaseUrls(log.url))]);
    await log.change(3);
    expect((await log.readUntil(cursor, 1)).subjects).toEqual([3]);
    expect(await log.sealUntil(3)).toMatchObject({ links: 3, broken: null });
  });

  it('that is a copy of an earlier state in its own numbers goes on above what its readers were told, where its operator says so', async () => {
    const log = await newLog();
    await log.change(1);
    await useNumbers(log, 1_000);
    const { cursor } = await log.readUntil(null, 1);
    await runAsOwner(log.url, 'UPDATE log_epoch SET transaction_offset = transaction_offset - 900');
    expect(await migrateAsOwner(databaseUrls(log.url), { isCopy: true })).toEqual([]);
    await log.change(2);
    expect((await log.readUntil(cursor, 1)).subjects).toEqual([2]);
    expect(await log.sealUntil(2)).toMatchObject({ links: 2, broken: null });
  });

  it('is put in order once, by whichever of several starts comes first', async () => {
    const log = await newLog();
    await log.change(1);
    await restoreFromElsewhere(log);
    await Promise.all([migrate(databaseUrls(log.url)), migrate(databaseUrls(log.url)), migrate(databaseUrls(log.url))]);
    const offset = await log.offset();
    expect(offset).toBeGreaterThan(0n);
    await log.change(2);
    await migrate(databaseUrls(log.url));
    expect(await log.offset()).toBe(offset);
  });
});

describe('the row of the epoch', () => {
  it('stays 0 where nothing was restored', async () => {
    const log = await newLog();
    await log.change(1);
    await migrate(databaseUrls(log.url));
    expect(await log.offset()).toBe(0n);
  });

  it('is one', async () => {
    const { url } = await newLog();
    await expect(runAsOwner(url, 'INSERT INTO log_epoch (id) VALUES (false)')).rejects.toThrow(/log_epoch_one_row/);
    await expect(runAsOwner(url, 'INSERT INTO log_epoch DEFAULT VALUES')).rejects.toThrow(/log_epoch_pkey/);
  });

  it('is put in order by the start of a server too, though no migration is missing', async () => {
    const log = await newLog();
    await log.change(1);
    await restoreFromElsewhere(log);
    const config = readConfig({
      DATABASE_URL: log.url,
      DATABASE_OWNER_URL: asOwner(log.url),
      MASTER_KEYS: `test:${randomBytes(32).toString('base64')}`,
    });
    await migrateOnStart(await acquireDatabaseServer(config), config, { warn: (sentence) => expect.unreachable(sentence) });
    expect(await log.offset()).toBeGreaterThan(0n);
    await log.change(2);
    expect((await log.readUntil(null, 2)).subjects).toEqual([1, 2]);
  });
});
