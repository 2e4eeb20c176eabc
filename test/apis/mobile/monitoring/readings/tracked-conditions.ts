import { expect } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import type { TestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import type { Person } from '../../people/people.ts';
import { createItem } from '../care.ts';

export const TRACKED_CONDITIONS = '/remote-patient-monitoring/tracked-conditions';

/** A user of a practice that measures blood pressure and weight, and the calls that track conditions. */
export async function openConditionTracking(test: TestApp) {
  const db = test.database.prisma;
  const own: Person = await signedInUser(test);
  const { organizationId } = own;
  const pressure = (await createItem(db, { organizationId })).id;
  const weight = (await createItem(db, { organizationId, name: 'Weight', unit: 'lb', minTarget: null, maxTarget: null })).id;
  const post = (body: object, person = own) => person.post(TRACKED_CONDITIONS).send(body);
  return {
    own,
    organizationId,
    /** The ids of what the practice measures. */
    pressure,
    weight,
    post,
    /** The id of a new patient. */
    newPatient: async () => (await createPatient(db, { organizationId, firstName: 'Rosa', lastName: 'Diaz' })).id,
    /** Tracks a condition of a patient, with a target of the blood pressure. @returns the record */
    async track(patient: number, body: object = {}) {
      const answer = await post({ patient_uuid: patient, icd_lex_code: 24526, items: [pressure], ...body });
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data;
    },
  };
}
