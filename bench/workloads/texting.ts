import type { Keyring } from '../../src/database/encryption/keyring.ts';
import { CARRIER_WEBHOOK } from '../../src/gateways/carrier/create-carrier.ts';
import { signLocalForm } from '../../src/gateways/carrier/local-carrier.ts';
import { makeVisits, TEXTING_NUMBER, type Visits } from '../data/texting.ts';
import { PUBLIC_URL } from '../process.ts';
import { COMPARED_WRITES, inTurns, type Workload } from './workload.ts';
import { APPOINTMENT_TEXT_ROWS } from './written-rows.ts';

const NONE: Visits = { patientIds: [], appointmentIds: [] };

/** Names of fields with ids, numbers and times, which differ between two texts. */
const OWN = ['uuid', 'appointment_id', 'patient_id', 'to_number', 'created_at', 'updated_at'];

/** A text about an appointment to its patient, in the server's own words, by the mobile API. Each is about another appointment. */
export function queueText(): Workload {
  let visits = NONE;
  return {
    name: 'queue-text',
    title: 'queue a text about an appointment',
    connections: 32,
    rows: null,
    compared: COMPARED_WRITES,
    writes: true,
    written: { rows: APPOINTMENT_TEXT_ROWS, id: (_, n) => inTurns(visits.appointmentIds, n), own: OWN, twin: COMPARED_WRITES },
    async prepare(url, requests) {
      visits = await makeVisits(url, requests);
    },
    request: (n) => ({
      method: 'POST',
      path: `/appointments/${inTurns(visits.appointmentIds, n)}/send-sms`,
      client: 'colleague',
      body: '{}',
      type: 'application/json',
    }),
  };
}

/** A patient's Y to the question whether they come, as the carrier delivers it. Each patient was asked once. */
export function confirmByText(keyring: Keyring, seed: number): Workload {
  let visits = NONE;
  return {
    name: 'confirm-by-text',
    title: 'confirm an appointment by a text’s answer',
    connections: 32,
    rows: 'nothing',
    compared: COMPARED_WRITES,
    writes: true,
    written: { rows: APPOINTMENT_TEXT_ROWS, id: (_, n) => inTurns(visits.appointmentIds, n), own: [], twin: COMPARED_WRITES },
    async prepare(url, requests) {
      visits = await makeVisits(url, requests, 'question');
    },
    request(n) {
      const form = {
        kind: 'text',
        id: `SM-${seed}-${n}`,
        from: `+1${2_000_000_000 + inTurns(visits.patientIds, n)}`,
        to: TEXTING_NUMBER,
        body: 'Y',
        at: new Date().toISOString(),
      };
      return {
        method: 'POST',
        path: CARRIER_WEBHOOK,
        client: 'colleague',
        body: new URLSearchParams(form).toString(),
        type: 'application/x-www-form-urlencoded',
        signature: signLocalForm(keyring, { url: `${PUBLIC_URL}${CARRIER_WEBHOOK}`, form }),
      };
    },
  };
}
