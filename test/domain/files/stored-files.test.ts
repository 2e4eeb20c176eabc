import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type FileStore, removeUnclaimedFiles, storeFile } from '../../../src/domain/files/stored-files.ts';
import { FileMissing, type Files } from '../../../src/gateways/files/files.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization } from '../../support/factories.ts';

const MEBIBYTE = 1024 * 1024;

const test = await sharedTestApp();
const organizationId = (await createOrganization(test.database.prisma)).id;

/** A gateway that keeps files in memory, and does otherwise what the test says. */
function memory(otherwise: Partial<Files> = {}): FileStore & { kept: Map<string, Buffer> } {
  const kept = new Map<string, Buffer>();
  const files: Files = {
    name: 'local',
    write: async (key, content) => void kept.set(key, await buffer(content)),
    async read(key) {
      const content = kept.get(key);
      if (!content) throw new FileMissing();
      return Readable.from([content]);
    },
    remove: async (key) => void kept.delete(key),
    ...otherwise,
  };
  return { db: test.database.prisma, files, kept };
}

const unclaimed = (where: object = {}) => test.database.prisma.unclaimedFile.findMany({ where: { organizationId, ...where } });

describe('storing a file', () => {
  it('never takes more than a little from its sender that the storage has not taken', async () => {
    let sent = 0;
    let stored = 0;
    let mostHeld = 0;
    async function* sending() {
      for (let piece = 0; piece < 25 * 16; piece += 1) {
        const bytes = Buffer.alloc(MEBIBYTE / 16);
        sent += bytes.length;
        mostHeld = Math.max(mostHeld, sent - stored);
        yield bytes;
      }
    }
    const store = memory({
      async write(_key, content) {
        for await (const chunk of content) {
          await tick();
          stored += chunk.length;
        }
      },
    });
    const { byteLength } = await storeFile(store, organizationId, Readable.from(sending(), { objectMode: false }), 25 * MEBIBYTE);
    expect([byteLength, stored]).toEqual([25 * MEBIBYTE, 25 * MEBIBYTE]);
    expect(mostHeld).toBeLessThan(MEBIBYTE);
  });

  it('ends with the file that is too large, without the rest of it', async () => {
    let sent = 0;
    async function* endless() {
      for (;;) {
        sent += 1_000;
        yield Buffer.alloc(1_000);
      }
    }
    const store = memory();
    const source = Readable.from(endless(), { objectMode: false });
    await expect(storeFile(store, organizationId, source, 50_000)).rejects.toMatchObject({ kind: 'too_large' });
    expect([sent < 300_000, source.destroyed, store.kept.size]).toEqual([true, true, 0]);
  });

  it('keeps a file on the list of what nobody claimed where it could neither be stored nor removed', async () => {
    const fail = async () => {
      throw new Error('storage is down');
    };
    const store = memory({ write: fail, remove: fail });
    const failure = storeFile(store, organizationId, Readable.from([Buffer.from('x')]), 10);
    await expect(failure).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await unclaimed()).not.toEqual([]);
  });
});

describe('the cleaning up', () => {
  const abandon = async (store: ReturnType<typeof memory>, hours: number) => {
    const storageKey = `${organizationId}/${randomUUID()}`;
    store.kept.set(storageKey, Buffer.from('x'));
    await test.database.prisma.unclaimedFile.create({
      data: { organizationId, storageKey, createdAt: new Date(Date.now() - hours * 3_600_000) },
    });
    return storageKey;
  };

  it('takes away what nobody claimed for a day, however much, also when two do it at once; and nothing else', async () => {
    const store = memory();
    const old: string[] = [];
    for (let count = 0; count < 230; count += 1) old.push(await abandon(store, 25));
    const fresh = await abandon(store, 23);
    store.kept.set('claimed', Buffer.from('x'));
    await Promise.all([removeUnclaimedFiles(store), removeUnclaimedFiles(store)]);
    expect([...store.kept.keys()].toSorted()).toEqual([fresh, 'claimed'].toSorted());
    expect(await unclaimed({ storageKey: { in: [...old, fresh] } })).toMatchObject([{ storageKey: fresh }]);
  });

  it('leaves what cannot be removed now for the next time', async () => {
    const store = memory();
    const key = await abandon(store, 25);
    const other = await abandon(store, 25);
    const remove = async (asked: string) => {
      if (asked === key) throw new Error('storage is down');
      await store.files.remove(asked);
    };
    const broken = { ...store, files: { ...store.files, remove } };
    await expect(removeUnclaimedFiles(broken)).rejects.toThrow('storage is down');
    expect(await unclaimed({ storageKey: { in: [key, other] } })).toMatchObject([{ storageKey: key }]);
    await removeUnclaimedFiles(store);
    expect([await unclaimed({ storageKey: key }), store.kept.size]).toEqual([[], 0]);
  });
});
