import { describe, expect, it } from 'vitest';
import { claimImport } from '../../../../src/domain/imports/import-runs.ts';
import { runImports } from '../../../../src/jobs/run-imports.ts';
import { ownTestApp } from '../../../support/app.ts';
import { createOrganization } from '../../../support/factories.ts';
import { importer } from './sending.ts';

// Turns are those of all practices of a server.
const test = await ownTestApp();
const { prisma } = test.database;

async function practice() {
  const { id } = await createOrganization(prisma);
  const charts = () => prisma.patient.findMany({ where: { organizationId: id } });
  return { id, system: await importer(test, id), charts };
}

describe('imports that wait', () => {
  it('take turns with those of other practices, one of each at a time', async () => {
    const [one, two] = [await practice(), await practice()];
    const rows = (count: number) => `firstname,dob\n${Array.from({ length: count }, (_, n) => `Pat ${n},1980-01-01\n`).join('')}`;
    const send = async ({ system }: typeof one, count: number) =>
      (await system.send('POST', '/imports?kind=patients', rows(count))).body.data.id;
    const [first, second, other] = [await send(one, 1_200), await send(one, 1), await send(two, 1_100)];
    const counts = async () => (await Promise.all([first, second, other].map(countRows))).join();
    const countRows = async (id: number) => (await prisma.importRun.findFirstOrThrow({ where: { id } })).rows;
    const seen: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await runImports(test.services, undefined, 0);
      seen.push(await counts());
    }
    expect(seen).toEqual(['500,0,500', '1000,0,1000', '1200,0,1100', '1200,1,1100']);
  });

  it('are ten of a practice at most', async () => {
    const { system } = await practice();
    const announce = () => system.send('POST', '/imports?kind=patients', undefined, { 'upload-length': '9' });
    const ids: number[] = [];
    for (let n = 0; n < 10; n += 1) ids.push((await announce()).body.data.id);
    const refused = await announce();
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'too_many_imports', '60']);
    expect(refused.body.detail).toContain('at most 10 open imports');
    await system.send('PATCH', `/imports/${ids[0]}`, 'fname\nAna\n'.slice(0, 9), { 'upload-offset': '0' });
    await system.ended(ids[0] ?? 0);
    expect((await announce()).status).toBe(201);
  });

  it('fail with a reason where their process ended three times without a batch', async () => {
    const { id: organizationId, system, charts } = await practice();
    const { id } = (await system.send('POST', '/imports?kind=patients', 'firstname\nAna\n')).body.data;
    const expire = () => prisma.importRun.updateMany({ where: { organizationId, id }, data: { leasedUntil: new Date(0) } });
    // A process that is killed has taken the import, and says no more.
    for (let kill = 0; kill < 3; kill += 1) {
      expect(await claimImport(prisma, { organizationId, id })).not.toBeNull();
      await expire();
    }
    expect(await system.ended(id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('the rows after the first 0, 3 times'),
    });
    expect([await charts(), await prisma.importPart.count({ where: { importId: id } })]).toEqual([[], 0]);
  });
});
