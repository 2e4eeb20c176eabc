import { expect } from 'vitest';
import type { Actor } from '../../../support/actors.ts';

/** The calls of a signed-in user that create and change appointments. Each expects success and returns the record. */
export function appointmentCalls(user: Actor) {
  return {
    async create(fields: object = {}) {
      const answer = await user.post('/appointments/').send(fields);
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data;
    },
    async save(uuid: number, fields: object) {
      const answer = await user.post(`/appointments/${uuid}`).send(fields);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data;
    },
  };
}
