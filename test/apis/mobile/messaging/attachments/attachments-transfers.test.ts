import { readdir, readlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { ownTestApp } from '../../../../support/app.ts';
import { runAsOwner } from '../../../../support/database-roles.ts';
import { isUpkeep } from '../../../../support/upkeep.ts';
import type { Person } from '../../people/people.ts';
import { beginUpload, bytes, END, getContent, START, sha256, storedFiles, upload } from './uploading.ts';

const LARGEST = 25 * 1024 * 1024;
const SOON = { timeout: 10_000 };

/** Takes large files however busy the machine is. */
const patient = await ownTestApp();
/** Ends what makes no progress for a second; with the same database and files. */
const test = await ownTestApp({ TRANSFER_IDLE_SECONDS: '1', DATA_DIR: patient.config.DATA_DIR }, { databaseUrl: patient.databaseUrl });
const person: Person = await signedInUser(test);

const rows = () => test.database.prisma;
const newcomer = () => signedInUser(test);
const isClean = async (own: Person) => {
  const { organizationId } = own;
  await expect.poll(() => rows().unclaimedFile.count({ where: { organizationId } }), SOON).toBe(0);
  expect([await storedFiles(test, own), await rows().attachment.count({ where: { organizationId } })]).toEqual([[], 0]);
};

const closed = (socket: Socket) => new Promise((resolve) => void (socket.destroyed ? resolve(null) : socket.once('close', resolve)));

describe('an upload', () => {
  it('of 25 MiB is taken', async () => {
    const whole = bytes(LARGEST);
    const { status, body } = await upload(patient, person, whole);
    expect([status, body.data.byte_length, body.data.sha256]).toEqual([201, LARGEST, sha256(whole)]);
    expect((await getContent(patient, person, body.data.uuid)).bytes.equals(whole)).toBe(true);
  });

  it.each<[string, number, boolean]>([
    ['does not say so', LARGEST + 1, false],
    ...(isUpkeep ? [LARGEST + 1, LARGEST + 1_000_000].map((length): [string, number, boolean] => ['says so', length, true]) : []),
  ])('of more, which %s, is refused with an answer that arrives, and nothing is kept', async (_, length, isTold) => {
    const own = await newcomer();
    const whole = Buffer.concat([Buffer.from(START), bytes(length), Buffer.from(END)]);
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = request(`${patient.address}/attachment`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${own.token}`,
          'content-type': 'multipart/form-data; boundary=edge',
          ...(isTold ? { 'content-length': whole.length } : {}),
        },
      });
      sent.on('error', reject).on('response', async (response) => {
        resolve({ status: response.statusCode, text: await text(response) });
      });
      sent.end(whole);
    });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([413, 'file_too_large']);
    await isClean(own);
  });

  it('that stands still is ended, and nothing of it is kept', async () => {
    const own = await newcomer();
    const { socket, answer } = await beginUpload(test, own, 1_000);
    socket.write('x'.repeat(500));
    await expect.poll(() => storedFiles(test, own), SOON).toHaveLength(1);
    await closed(socket);
    expect(answer()).toMatch(/^HTTP\/1.1 400 /);
    expect(answer()).toContain('The request did not arrive in time.');
    await isClean(own);
  });

  it('whose sender goes away leaves nothing', async () => {
    const own = await newcomer();
    const { socket } = await beginUpload(test, own, 1_000_000);
    socket.write('x'.repeat(500_000));
    await expect.poll(() => storedFiles(test, own), SOON).toHaveLength(1);
    socket.destroy();
    await isClean(own);
  });

  it('whose transaction fails leaves nothing', async () => {
    const own = await newcomer();
    await runAsOwner(
      test.databaseUrl,
      `ALTER TABLE attachment ADD CONSTRAINT attachment_of_test CHECK (file_name <> 'refused.txt') NOT VALID`,
    );
    expect((await upload(test, own, 'x', 'refused.txt')).status).toBe(500);
    await isClean(own);
  });

  it('that cannot be stored is told to come again, and what is left is on the list of what nobody claimed', async () => {
    const own = await newcomer();
    // A file in the place of the organization's folder.
    await upload(test, person, 'x');
    await writeFile(join(test.config.DATA_DIR, 'files', String(own.organizationId)), '');
    const answer = await upload(test, own, 'x');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await rows().attachment.count({ where: { organizationId: own.organizationId } })).toBe(0);
    expect(answer.text).not.toContain(dirname(test.config.DATA_DIR));
  });
});

describe('a download', () => {
  const open = async (id: number) => {
    const socket = connect(Number(new URL(test.address).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `GET /attachment/${id}/body/x HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${person.token}\r\nconnection: close\r\n\r\n`,
    );
    return socket;
  };
  /** Runs where /proc lists open files. */
  const onLinux = it.runIf(process.platform === 'linux');
  /** Files of the test server that this process has open. */
  const openFiles = async () => {
    const links = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return links.filter((link) => link.startsWith(test.config.DATA_DIR));
  };

  let large: number;
  beforeAll(async () => {
    large = (await upload(patient, person, bytes(LARGEST))).body.data.uuid;
  });

  it('of a file that is no longer as long as it was breaks off', async () => {
    const own = await newcomer();
    const { uuid } = (await upload(patient, own, bytes(300_000))).body.data;
    const [name = ''] = await storedFiles(test, own);
    const place = join(test.config.DATA_DIR, 'files', String(own.organizationId), name);
    for (const length of [200_000, 400_000]) {
      await writeFile(place, bytes(length));
      await expect(getContent(test, own, uuid)).rejects.toThrow();
    }
  });

  onLinux('that nobody takes is ended', async () => {
    const socket = await open(large);
    socket.pause();
    await expect.poll(openFiles, SOON).toHaveLength(1);
    await expect.poll(openFiles, SOON).toEqual([]);
    socket.destroy();
  });

  onLinux('whose reader goes away is not read any further', async () => {
    const socket = await open(large);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    expect(await openFiles()).toHaveLength(1);
    socket.destroy();
    await expect.poll(openFiles, { timeout: 3_500 }).toEqual([]);
  });
});
