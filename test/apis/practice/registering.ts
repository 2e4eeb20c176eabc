import { expect } from 'vitest';
import type { practiceClient } from '../../support/actors.ts';
import type { TestApp } from '../../support/app.ts';

interface Place {
  test: TestApp;
  system: Awaited<ReturnType<typeof practiceClient>>;
}

/** Registrations of a practice system, and what came of them. */
export function registering(place: () => Place) {
  const rows = () => place().test.database.prisma;
  const send = (form: string | object) => place().system.post('/patients').type('form').send(form);
  const stored = (id: number) =>
    rows().patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId: place().system.organizationId, id } } });

  async function register(form: string | object) {
    const answer = await send(form);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual([{ patientid: expect.any(Number) }]);
    return { answer, patient: await stored(answer.body[0].patientid) };
  }

  /** @returns the answer, after which nobody was registered */
  async function refused(form: string | object, status = 400) {
    const { organizationId } = place().system;
    const before = await rows().patient.count({ where: { organizationId } });
    const answer = await send(form);
    expect(answer.status, answer.text).toBe(status);
    expect(await rows().patient.count({ where: { organizationId } })).toBe(before);
    return answer;
  }

  return { rows, send, stored, register, refused };
}
