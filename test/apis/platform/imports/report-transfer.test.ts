import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { ownTestApp } from '../../../support/app.ts';
import { createOrganization } from '../../../support/factories.ts';
import { importer } from './sending.ts';

/** Ends a transfer without progress after three seconds: a busy machine may stand still for one. */
const test = await ownTestApp({ TRANSFER_IDLE_SECONDS: '3' });

it('a report that nobody takes is ended', async () => {
  const { prisma } = test.database;
  const { id: organizationId } = await createOrganization(prisma);
  const system = await importer(test, organizationId);
  const { id } = await system.import('kind=patients', 'firstname,dob\nAna,1980-01-01\n');
  const row = JSON.stringify({ firstname: 'x'.repeat(10_000) });
  const data = Array.from({ length: 3_000 }, (_, n) => ({
    organizationId,
    importId: id,
    line: n + 2,
    outcome: 'refused',
    reason: 'no',
    row,
  }));
  await prisma.importReportRow.createMany({ data });
  const atServer: Socket[] = [];
  test.app.server.on('connection', (socket: Socket) => atServer.push(socket));
  const reader = connect(Number(new URL(test.address).port), '127.0.0.1').on('error', () => {});
  reader.pause();
  reader.write(
    `GET /platform/v1/imports/${id}/report HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${system.token}\r\nconnection: close\r\n\r\n`,
  );
  await expect.poll(() => atServer.map(({ bytesWritten }) => bytesWritten > 100_000), { timeout: 20_000 }).toEqual([true]);
  await expect.poll(() => atServer.map(({ destroyed }) => destroyed), { timeout: 20_000 }).toEqual([true]);
  expect(atServer[0]?.bytesWritten).toBeLessThan(30_000_000);
  reader.destroy();
});
