import { expect } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import type { TestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';

type OfficeData = Omit<Parameters<typeof createOffice>[1], 'organizationId'>;

/** A practice with departments, by their names. */
export async function clinicWith(test: TestApp, ...offices: OfficeData[]) {
  const clinic = await practiceClient(test);
  const ids: Record<string, number> = {};
  for (const office of offices) {
    const { id, name } = await createOffice(test.database.prisma, { ...office, organizationId: clinic.organizationId });
    ids[name] = id;
  }
  const list = async (query = '') => {
    const answer = await clinic.get(`/departments${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  return { clinic, ids, list };
}
