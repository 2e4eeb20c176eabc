// A gateway of devices that sends 5,000 readings, 1,000 a request. Scopes: readings.write, integration.read.
import { all, clientCredentials, connect } from 'triptych-client';
import { listPatients } from 'triptych-client/integration';
import { createReadings, listMonitoringItems } from 'triptych-client/mobile';

const { URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
const client = connect({ url, auth: clientCredentials({ clientId, clientSecret }) });
const READINGS = 5_000;
const BATCH = 1_000;

const items = [];
for await (const item of all(listMonitoringItems, { client })) items.push(item);
const item = items.find(({ unit }) => unit === 'mmHg') ?? items[0];
const { data: patients } = await listPatients({ client, query: { limit: 20 } });

// Minute by minute back from now: the same measurement sent twice is stored once.
const now = Math.floor(Date.now() / 60_000) * 60_000;
const readings = Array.from({ length: READINGS }, (_, number) => ({
  patient_uuid: patients[number % patients.length].uuid,
  item_uuid: item.uuid,
  value: 70 + (number % 20),
  ...(item.unit ? { unit: item.unit } : {}),
  measured_at: new Date(now - Math.floor(number / patients.length) * 60_000).toISOString(),
  device: { identifier: `gateway-${patients[number % patients.length].uuid}` },
}));

const started = Date.now();
const counts = { stored: 0, duplicates: 0, refused: 0 };
for (let first = 0; first < READINGS; first += BATCH) {
  const { data } = await createReadings({ client, body: { readings: readings.slice(first, first + BATCH) } });
  if (data.kind !== 'batch') throw new Error('a batch has results');
  for (const outcome of Object.keys(counts)) counts[outcome] += data[outcome];
  for (const { errors } of data.results) for (const { pointer, detail } of errors) console.error(`refused: ${pointer} ${detail}`);
}
console.log(`${counts.stored} stored, ${counts.duplicates} stored before, ${counts.refused} refused in ${(Date.now() - started) / 1000} s`);
