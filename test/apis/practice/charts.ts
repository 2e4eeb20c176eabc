import { expect } from 'vitest';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import type { practiceClient } from '../../support/actors.ts';
import type { TestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

interface Place {
  test: TestApp;
  clinic: Awaited<ReturnType<typeof practiceClient>>;
}

/** Patients of a clinic, as it reads them. */
export function createCharts(place: () => Place) {
  const rows = () => place().test.database.prisma;
  const newPatient = (data: Partial<Prisma.PatientUncheckedCreateInput> = {}) =>
    createPatient(rows(), { organizationId: place().clinic.organizationId, ...data });

  /** The one record of the answer. */
  async function read(id: number, query = '') {
    const answer = await place().clinic.get(`/patients/${id}${query}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toHaveLength(1);
    return answer.body[0];
  }

  return { rows, newPatient, read };
}
