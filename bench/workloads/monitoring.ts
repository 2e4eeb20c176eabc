import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ITEM_IDS, makeVisits, TEXTING_ID, type Visits } from '../data/texting.ts';
import { draws } from './people.ts';
import { COMPARED_WRITES, inTurns, TIMED_FROM, type Workload } from './workload.ts';
import { CHECK_IN_ROWS, READING_ROWS } from './written-rows.ts';

/** The secret of the n-th link: the practice, and 160 bits. */
function toLink(seed: number, n: number): string {
  const practice = Buffer.alloc(4);
  practice.writeInt32BE(TEXTING_ID);
  return Buffer.concat([practice, createHash('sha1').update(`${seed} ${n}`).digest()]).toString('base64url');
}

/** The answers of a patient on the page of a check-in: two values, and three further answers. Each link is answered once. */
export function answerCheckIn(seed: number): Workload {
  const draw = draws(seed);
  let visits: Visits = { patientIds: [], appointmentIds: [] };
  return {
    name: 'answer-check-in',
    title: 'answer a check-in',
    connections: 32,
    rows: 'nothing',
    compared: COMPARED_WRITES,
    writes: true,
    written: { rows: CHECK_IN_ROWS, id: (_, n) => inTurns(visits.patientIds, n), own: [], twin: COMPARED_WRITES },
    async prepare(url, requests) {
      const links = Array.from({ length: requests }, (_, n) => toLink(seed, n));
      visits = await makeVisits(url, requests, links);
    },
    request(n) {
      const k = n < TIMED_FROM ? n % COMPARED_WRITES : n;
      const form = new URLSearchParams({
        answer_systolic: String(100 + Math.floor(draw(k, 70) * 60)),
        answer_pulse: String(55 + Math.floor(draw(k, 71) * 50)),
        answer_dizzy: draw(k, 72) < 0.2 ? 'yes' : 'no',
        answer_sleep: draw(k, 73) < 0.7 ? 'well' : 'badly',
        answer_remarks: draw(k, 74) < 0.3 ? 'The new pills taste of nothing.' : '',
      });
      return {
        method: 'POST',
        path: `/c/${toLink(seed, n)}`,
        client: 'colleague',
        body: form.toString(),
        type: 'application/x-www-form-urlencoded',
      };
    },
  };
}

const PATIENTS_A_REQUEST = 10;
const READINGS_A_PATIENT = 10;

const batch = z.object({ data: z.object({ results: z.tuple([z.object({ reading: z.object({ uuid: z.int() }) })], z.unknown()) }) });

/** What the devices of ten patients measured, from a device's cloud. @param sample ids of patients of the practice */
export function sendReadings(sample: readonly number[], seed: number): Workload {
  const draw = draws(seed);
  // Readings are of seconds; each run has days of its own.
  const start = Date.now() - 600_000 - (seed % (300 * 86_400)) * 1_000;
  return {
    name: '100-readings',
    title: '100 readings in one request',
    connections: 8,
    rows: null,
    compared: COMPARED_WRITES,
    writes: true,
    written: {
      rows: READING_ROWS,
      id: (answer) => batch.parse(answer).data.results[0].reading.uuid,
      own: ['uuid', 'received_at', 'measured_at', 'patient_uuid', 'identifier'],
      twin: COMPARED_WRITES,
    },
    request(n) {
      const k = n < TIMED_FROM ? n % COMPARED_WRITES : n;
      const readings = Array.from({ length: PATIENTS_A_REQUEST * READINGS_A_PATIENT }, (_, place) => {
        const patient = inTurns(sample, n * PATIENTS_A_REQUEST + Math.floor(place / READINGS_A_PATIENT));
        return {
          patient_uuid: patient,
          item_uuid: inTurns(ITEM_IDS, place),
          value: 50 + Math.floor(draw(k, 80 + place) * 100),
          unit: inTurns(['mmHg', 'mmHg', '/min', 'kg'], place),
          measured_at: new Date(start - (n * READINGS_A_PATIENT + (place % READINGS_A_PATIENT)) * 1_000).toISOString(),
          device: { identifier: `cuff-${patient}`, make: 'Example', model: 'C1' },
        };
      });
      return {
        method: 'POST',
        path: '/remote-patient-monitoring/readings',
        client: 'colleague',
        body: JSON.stringify({ readings }),
        type: 'application/json',
      };
    },
  };
}
