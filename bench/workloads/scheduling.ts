import { z } from 'zod';
import { OFFICES, PROVIDERS, TYPES } from '../data/practices.ts';
import { draws } from './people.ts';
import { type BenchRequest, COMPARED_WRITES, inTurns, type Workload } from './workload.ts';
import { APPOINTMENT_ROWS } from './written-rows.ts';

const written = z.object({ data: z.object({ uuid: z.int() }) });
const LOCATIONS = 48;

/** A quarter of an hour of a weekday of 2027 that no clock skips. */
function localStart(draw: (what: number) => number): string {
  const day = new Date(Date.UTC(2027, 0, 4) + Math.floor(draw(60) * 51) * 7 * 86_400_000 + Math.floor(draw(61) * 5) * 86_400_000);
  const minutes = 8 * 60 + Math.floor(draw(62) * 36) * 15;
  const pad = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return `${day.toISOString().slice(0, 10)}T${pad(minutes / 60)}:${pad(minutes % 60)}:00`;
}

/** An appointment of a patient with a provider, by the integration API. */
export function bookAppointment(sample: readonly number[], seed: number): Workload {
  const draw = draws(seed);
  return {
    name: 'book-appointment',
    title: 'book an appointment',
    connections: 32,
    rows: null,
    compared: COMPARED_WRITES,
    writes: true,
    written: {
      rows: APPOINTMENT_ROWS,
      id: (answer) => written.parse(answer).data.uuid,
      own: ['uuid', 'created_at', 'updated_at', 'created_by', 'created_by_first_name', 'created_by_last_name'],
      creates: 'appointment',
    },
    request(n) {
      const location = 1 + Math.floor(draw(n, 63) * LOCATIONS);
      const body = {
        appointment_date: localStart((what) => draw(n, what)),
        patient_id: inTurns(sample, n),
        appointment_type_id: 1 + Math.floor(draw(n, 64) * TYPES),
        office_id: 1 + (location % OFFICES),
        location_id: location,
        user: [1 + Math.floor(draw(n, 65) * PROVIDERS)],
      };
      return { method: 'POST', path: '/api/appointments', client: 'integration', body: JSON.stringify(body), type: 'application/json' };
    },
  };
}

/** An appointment at another time, by the mobile API. @param sample ids of appointments that are to come */
export function moveAppointment(sample: readonly number[], seed: number): Workload {
  const draw = draws(seed);
  const request = (n: number): BenchRequest => ({
    method: 'POST',
    path: `/appointments/${inTurns(sample, n)}`,
    client: 'user',
    body: JSON.stringify({ appointment_date: localStart((what) => draw(n, what)) }),
    type: 'application/json',
  });
  return {
    name: 'move-appointment',
    title: 'move an appointment',
    connections: 32,
    rows: null,
    compared: COMPARED_WRITES,
    writes: true,
    written: {
      rows: APPOINTMENT_ROWS,
      id: (answer) => written.parse(answer).data.uuid,
      own: ['updated_at'],
      // The same appointment in the next round, at another time.
      before: (n) => request(n + sample.length),
    },
    request,
  };
}
