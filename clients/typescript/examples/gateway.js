// A gateway of devices that sends 5,000 readings, 1,000 a request, and knows no ids. Scopes: readings.write, and integration.read to
// make up readings here.
import { all, clientCredentials, connect } from 'triptych-client';
import { listPatients } from 'triptych-client/integration';
import { createReadings, listMonitoringItems } from 'triptych-client/mobile';

const { URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
const client = connect({ url, auth: clientCredentials({ clientId, clientSecret }) });
const READINGS = 5_000;
const BATCH = 1_000;
const SYSTOLIC = '8480-6'; // LOINC

const codes = [];
for await (const { loinc } of all(listMonitoringItems, { client })) codes.push(loinc);
if (!codes.includes(SYSTOLIC)) throw new Error(`the practice measures ${codes}`);

// A device that the practice has assigned to a patient needs its serial alone: `device: { serial }`. These say whose they are.
const { data: patients } = await listPatients({ client, query: { limit: 40 } });
const numbers = patients.flatMap(({ med_rec_no }) => med_rec_no ?? []);

// Minute by minute back from now: the same measurement sent twice is stored once.
const now = Math.floor(Date.now() / 60_000) * 60_000;
const readings = Array.from({ length: READINGS }, (_, place) => {
  const med_rec_no = numbers[place % numbers.length];
  const measured_at = new Date(now - Math.floor(place / numbers.length) * 60_000).toISOString();
  return {
    med_rec_no,
    loinc: SYSTOLIC,
    value: 110 + (place % 20),
    unit: 'mmHg',
    measured_at,
    device: { identifier: `cuff of ${med_rec_no}` },
  };
});

const started = Date.now();
const counts = { stored: 0, duplicates: 0, refused: 0 };
for (let first = 0; first < READINGS; first += BATCH) {
  const { data } = await createReadings({ client, body: { readings: readings.slice(first, first + BATCH) } });
  if (data.kind !== 'batch') throw new Error('a batch has results');
  for (const outcome of Object.keys(counts)) counts[outcome] += data[outcome];
  for (const { errors } of data.results) for (const { pointer, detail } of errors) console.error(`refused: ${pointer} ${detail}`);
}
console.log(`${counts.stored} stored, ${counts.duplicates} stored before, ${counts.refused} refused in ${(Date.now() - started) / 1000} s`);
