import { z } from 'zod';
import { OFFICES, type PracticePlan } from '../data/practices.ts';
import { draws, people, reachable } from './people.ts';
import { type BenchRequest, COMPARED_WRITES, inTurns, type Workload } from './workload.ts';
import { PATIENT_ROWS } from './written-rows.ts';

const registered = z.tuple([z.object({ patientid: z.int() })]);
const updated = z.object({ data: z.object({ uuid: z.int() }) });

/**
 * New patients, from the form of the practice API.
 * @param seed of this run and this workload: no person and no key repeats
 */
export function createPatient({ organizationId }: PracticePlan, seed: number): Workload {
  const draw = draws(seed);
  const person = people(draw);
  return {
    name: 'create-patient',
    title: 'create a patient from a form',
    connections: 32,
    rows: 'body',
    compared: COMPARED_WRITES,
    writes: true,
    written: {
      rows: PATIENT_ROWS,
      id: (answer) => registered.parse(answer)[0].patientid,
      own: ['patientid'],
      creates: 'patient',
      setAside: `UPDATE patient SET status = 'deleted' WHERE id = $1`,
    },
    request(n) {
      const form = new URLSearchParams({ departmentid: String(Math.floor(1 + draw(n, 40) * OFFICES)) });
      for (const [name, value] of Object.entries(person(n))) if (value !== undefined) form.set(name, value);
      return {
        method: 'POST',
        path: `/v1/${organizationId}/patients`,
        client: 'client',
        body: form.toString(),
        type: 'application/x-www-form-urlencoded',
        key: `${seed}-${n}`,
      };
    },
  };
}

/**
 * A patient moves: address, telephone number, mail address, and whether he wants texts, by the integration API.
 * @param sample ids of patients from all over the practice
 * @param seed of this run and this workload: every value is new
 */
export function updatePatient(sample: readonly number[], seed: number): Workload {
  const draw = draws(seed);
  const request = (n: number): BenchRequest => {
    const { address1, address2 = null, city, state, zip, mobilephone, email } = reachable(draw, n);
    const address = { address: address1, address2, city, state, zip };
    return {
      method: 'PUT',
      path: `/api/patients/${inTurns(sample, n)}`,
      client: 'integration',
      body: JSON.stringify({ address, phone_no: mobilephone, email, do_not_sms: draw(n, 41) < 0.5 }),
      type: 'application/json',
    };
  };
  return {
    name: 'update-patient',
    title: 'update a patient',
    connections: 32,
    rows: null,
    compared: COMPARED_WRITES,
    writes: true,
    written: {
      rows: PATIENT_ROWS,
      id: (answer) => updated.parse(answer).data.uuid,
      own: [],
      // The same patient in the next round, who moves somewhere else.
      before: (n) => request(n + sample.length),
    },
    request,
  };
}
