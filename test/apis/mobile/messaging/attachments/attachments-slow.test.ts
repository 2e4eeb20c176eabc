import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { ownTestApp } from '../../../../support/app.ts';
import type { Person } from '../../people/people.ts';
import { beginUpload, bytes, END, storedFiles, upload } from './uploading.ts';

const LARGEST = 25 * 1024 * 1024;
/** Milliseconds; longer than any other request may take. */
const LONG_MS = 5_500;

const test = await ownTestApp({ TRANSFER_IDLE_SECONDS: '4' });
const person: Person = await signedInUser(test);

// Concurrent, because these tests mostly wait.
describe.concurrent('a transfer that is slow, but goes on', () => {
  it('is waited for where it is an upload', async () => {
    const own = await signedInUser(test);
    const steps = 12;
    const { socket, answer } = await beginUpload(test, own, steps);
    for (let step = 0; step < steps; step += 1) {
      await sleep(LONG_MS / steps);
      socket.write('x');
    }
    socket.write(END);
    await expect.poll(answer, { timeout: 10_000 }).toMatch(/^HTTP\/1.1 201 /);
    socket.destroy();
    expect(await storedFiles(test, own)).toHaveLength(1);
  });

  it('is sent to its end where it is a download', async () => {
    const { uuid } = (await upload(test, person, bytes(LARGEST))).body.data;
    const socket = connect(Number(new URL(test.address).port), '127.0.0.1');
    socket.on('error', () => {});
    const head = ['host: localhost', `authorization: Bearer ${person.token}`, 'connection: close'];
    socket.write(`GET /attachment/${uuid}/body/x HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    let length = 0;
    const start = performance.now();
    for await (const chunk of socket) {
      length += chunk.length;
      // Never ahead of an even pace, so that buffers along the way do not hide the delay.
      const due = (Math.min(length, LARGEST) / LARGEST) * 2 * LONG_MS - (performance.now() - start);
      if (due > 0) await sleep(due);
    }
    expect(length).toBeGreaterThan(LARGEST);
    expect(performance.now() - start).toBeGreaterThan(2 * LONG_MS - 100);
  });
});
