import { beforeAll, describe, expect, it } from 'vitest';
import { ownTestApp } from '../support/app.ts';
import { demoClientToken, demoUserToken, fillDemo } from '../support/demo.ts';
import { compileClients, GENERATORS, generateClients, runReader } from './generate.ts';

const test = await ownTestApp();
const practices = await fillDemo(test);

beforeAll(generateClients, 300_000);

describe('clients that openapi-typescript, @hey-api/openapi-ts and orval generate from the documents', () => {
  it('compile strictly', { timeout: 300_000 }, async () => {
    expect(await compileClients()).toBe('');
  });

  it.each(GENERATORS)('read every chart of the demo in all three APIs (%s)', { timeout: 300_000 }, async (generator) => {
    for (const practice of practices) {
      const { practiceid: organizationId } = practice;
      const tokens = {
        integration: await demoClientToken(test, practice, 'integration'),
        practice: await demoClientToken(test, practice, 'practice'),
        mobile: await demoUserToken(test, practice, 'admin'),
      };
      const charts = await test.database.prisma.patient.findMany({
        where: { organizationId, restricted: false, status: { not: 'deleted' } },
        select: { id: true, lastName: true },
        orderBy: { id: 'asc' },
      });
      expect(charts.length).toBeGreaterThan(100);
      const names = charts.map(({ lastName }) => lastName);
      const patientIds = charts.map(({ id }) => id);
      const read: unknown = JSON.parse(
        await runReader(generator, { address: test.address, practiceId: organizationId, tokens, patientIds }),
      );
      expect(read).toEqual({ integration: names, practice: names, mobile: names });
    }
  });
});
