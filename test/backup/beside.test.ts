import { pbkdf2 } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/backup/create-backup.ts';
import { createBackupKeys } from '../../src/backup/manifest.ts';
import { boundedPace, FULL_SPEED } from '../../src/backup/pace.ts';
import type { BackupPlace } from '../../src/backup/places/backup-place.ts';
import { createPlace } from '../../src/backup/places/place.ts';
import { operator } from '../../src/domain/caller.ts';
import { readEvents } from '../../src/domain/logs/event-log.ts';
import { txOf } from '../../src/domain/tx.ts';
import { readHiddenSeconds } from '../../src/jobs/measures/backlog.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { admin, toEnvironment } from '../admin/command-line.ts';
import { integrationClient } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { eventually } from '../support/server-process.ts';
import { readNumber } from './database-contents.ts';

const root = await mkdtemp(join(tmpdir(), 'triptych-beside-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const test = await ownTestApp();
const clinic = await integrationClient(test);
const { database, config, keyring, databaseUrl } = test;

/** A folder that takes the first table only when it is told to. */
async function heldPlace(): Promise<{ place: BackupPlace; reached: Promise<void>; release(): void }> {
  const folder = await createPlace(join(root, 'held'), config);
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* held(content: AsyncIterable<Uint8Array>) {
    for await (const chunk of content) {
      reached.resolve();
      await released.promise;
      yield chunk;
    }
  }
  const place: BackupPlace = { ...folder, write: (id, name, content) => folder.write(id, name, held(content)) };
  return { place, reached: reached.promise, release: () => released.resolve() };
}

const countRows = (what: string) =>
  readNumber(databaseUrl, `SELECT count(*) FROM ${what} WHERE organization_id = ${clinic.organizationId}`);

describe('beside a backup that takes its time', () => {
  it('events are read and the audit is sealed at once, and the backup has the state of its beginning', async () => {
    await clinic.post('/patients').send({ fname: 'Before', lname: 'Backup' }).expect(200);
    const { place, reached, release } = await heldPlace();
    const source = { url: databaseUrl, files: test.services.gateways.files, embedded: false };
    const making = createBackup(source, { place, keys: createBackupKeys(config), pace: boundedPace() });
    await reached;
    const { body } = await clinic.post('/patients').send({ fname: 'During', lname: 'Backup' }).expect(200);
    const subjects = async () => {
      const { events } = await readEvents(txOf(database.prisma, operator(clinic.organizationId, 'test')), { after: null, limit: 100 });
      return events.map(({ subjectId }) => subjectId);
    };
    await eventually('the event is read', async () => (await subjects()).includes(body.data.uuid), 60_000);
    await sealAudit(database, keyring);
    const unsealed = `audit_entry e WHERE NOT EXISTS (SELECT FROM audit_head h
      WHERE h.organization_id = e.organization_id AND (e.transaction_id, e.id) <= (h.transaction_id, h.audit_entry_id)) AND organization_id > 0`;
    expect(await readNumber(databaseUrl, `SELECT count(*) FROM ${unsealed}`)).toBe(0n);
    expect(await readHiddenSeconds(database.pool)).toBe(0);
    const now = await countRows('patient');
    release();
    const { tables } = await making;
    expect(tables.find(({ name }) => name === 'patient')?.rows).toBe(Number(now) - 1);
  });
});

describe('the pace of a backup', () => {
  /** Microseconds of processor time of this process. */
  const used = () => Object.values(process.cpuUsage()).reduce((sum, one) => sum + one, 0);

  /** Work for the processor, ten milliseconds each. */
  async function* working(times: number) {
    for (let n = 0; n < times; n += 1) {
      const end = used() + 10_000;
      while (used() < end);
      yield n;
    }
  }

  it('leaves most of a processor to others', async () => {
    const [begunAt, usedBefore] = [performance.now(), used()];
    const passed: number[] = [];
    for await (const n of boundedPace().through(working(30))) passed.push(n);
    expect(passed).toHaveLength(30);
    expect((used() - usedBefore) / 1000 / (performance.now() - begunAt)).toBeLessThan(0.25);
  });

  it('counts what threads compress and encrypt during its pauses', async () => {
    const [begunAt, usedBefore] = [performance.now(), used()];
    const inThreads: Promise<Buffer>[] = [];
    for await (const _ of boundedPace().through(working(12))) inThreads.push(promisify(pbkdf2)('x', 'y', 60_000, 32, 'sha512'));
    const passedMs = performance.now() - begunAt;
    expect((used() - usedBefore) / 1000 / passedMs).toBeLessThan(0.25);
    await Promise.all(inThreads);
  });

  it('does not outlast the signal that ends the backup', async () => {
    const stopping = new AbortController();
    const passing = async () => {
      for await (const n of boundedPace(stopping.signal).through(working(1_000_000))) if (n === 20) stopping.abort(new Error('stops'));
    };
    await expect(passing()).rejects.toThrow('stops');
  });

  it('is none at full speed, which an operator may ask for', async () => {
    const source = working(1);
    expect(FULL_SPEED.through(source)).toBe(source);
    const env = { ...toEnvironment(test), DATA_DIR: config.DATA_DIR };
    const place = join(root, 'fast');
    expect(await admin(env, ['backup', 'create', '--to', place, '--full-speed'])).toMatchObject({ code: 0 });
    expect(await admin(env, ['backup', 'verify', '--from', place])).toMatchObject({ code: 0 });
  });
});
