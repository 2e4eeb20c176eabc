// A copy of all patients and appointments, which follows each change. Scopes: integration.read, events.read.
import { all, clientCredentials, connect, follow, hasCode, memoryStore } from 'triptych-client';
import { getAppointment, getPatientById, listAppointments, listPatients } from 'triptych-client/integration';
import { listEvents } from 'triptych-client/platform';

const { URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, FOLLOW_SECONDS } = process.env;
const client = connect({ url, auth: clientCredentials({ clientId, clientSecret }) });

const KINDS = {
  patient: { list: listPatients, read: getPatientById, copy: new Map() },
  appointment: { list: listAppointments, read: getAppointment, copy: new Map() },
};

// The cursor first: what changes while the lists are read is seen again after them. A copy on disk has its cursor there too:
// fileStore of triptych-client/node, or a row beside the copy.
const cursor = memoryStore();
cursor.set((await listEvents({ client, query: { after: 'latest' } })).next);

for (const [kind, { list, copy }] of Object.entries(KINDS)) {
  for await (const record of all(list, { client, query: { limit: 1000 } })) copy.set(record.uuid, record);
  console.log(`copied ${copy.size} ${kind}s`);
}

const signal = FOLLOW_SECONDS ? AbortSignal.timeout(FOLLOW_SECONDS * 1000) : undefined;
try {
  for await (const event of follow({ client, cursor, types: ['patient.*', 'appointment.*'], signal })) {
    const { type, id } = event.subject;
    const kind = KINDS[type];
    if (!kind) continue;
    try {
      const { data } = await kind.read({ client, path: { uuid: id } });
      kind.copy.set(id, data);
    } catch (error) {
      // Deleted, merged, or no longer shown to this client: so is the copy.
      if (!hasCode(error, 'patient_not_found', 'appointment_not_found')) throw error;
      kind.copy.delete(id);
    }
    console.log(`${event.type} ${type} ${id}: ${event.changed.join(', ')}`);
  }
} catch (error) {
  if (!signal?.aborted) throw error;
}
console.log(
  `followed for ${FOLLOW_SECONDS} seconds: ${Object.entries(KINDS)
    .map(([kind, { copy }]) => `${copy.size} ${kind}s`)
    .join(', ')}`,
);
