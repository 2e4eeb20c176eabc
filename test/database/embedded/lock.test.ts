import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, DataDirInUse, lockHolder } from '../../../src/database/embedded/lock.ts';
import { processIdentity } from '../../../src/database/embedded/processes.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inUse = (error: unknown) => {
  expect(error).toBeInstanceOf(DataDirInUse);
  return null;
};

/** Enough simultaneous attempts that two of them find the same lock. */
async function winners(count: number): Promise<(() => Promise<void>)[]> {
  const outcomes = await Promise.all(Array.from({ length: count }, () => acquireLock(folder).catch(inUse)));
  return outcomes.filter((release) => release !== null);
}

describe('the lock of a data folder', () => {
  it('is taken by exactly one of many who try at once', async () => {
    expect(await winners(50)).toHaveLength(1);
    expect(await lockHolder(folder)).toBe(process.pid);
  });

  it('is taken over from a killed holder by exactly one of many', async () => {
    const dead = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const holder = { pid: dead.pid, identity: await processIdentity(dead.pid ?? 0) };
    await writeFile(join(folder, 'server.lock.7'), JSON.stringify(holder));
    expect(await lockHolder(folder)).toBe(dead.pid);
    await expect(acquireLock(folder)).rejects.toBeInstanceOf(DataDirInUse);

    dead.kill('SIGKILL');
    await new Promise((resolve) => dead.once('exit', resolve));
    expect(await lockHolder(folder)).toBeNull();
    expect(await winners(50)).toHaveLength(1);
  });

  it('is not held by a later process with the number of a dead holder', async () => {
    await writeFile(join(folder, 'server.lock.1'), JSON.stringify({ pid: process.pid, identity: 'an earlier boot/123' }));
    expect(await lockHolder(folder)).toBeNull();
    expect(await winners(2)).toHaveLength(1);
  });

  it('is free again when it was let go, and leaves one file behind', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const [release] = await winners(5);
      await release?.();
      expect(await lockHolder(folder)).toBeNull();
    }
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('counts for nothing when its file is damaged', async () => {
    await writeFile(join(folder, 'server.lock.1'), 'half a');
    expect(await winners(2)).toHaveLength(1);
  });
});
