// Books a visit, moves it by a day, and is told of both. Scopes: integration.read, integration.write, events.read.
import { clientCredentials, connect, follow, TriptychError } from 'triptych-client';
import { createAppointment, createPatient, listAppointmentTypes, updateAppointment } from 'triptych-client/integration';
import { listEvents } from 'triptych-client/platform';

const { URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
const client = connect({ url, auth: clientCredentials({ clientId, clientSecret }) });
const { next } = await listEvents({ client, query: { after: 'latest' } });

// A day at half past nine on the clocks of the practice: without an offset, times are those of its office.
const dayIn = (days) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T09:30:00`;

const { data: types } = await listAppointmentTypes({ client });
const { data: patient } = await createPatient({ client, body: { fname: 'Zoë', lname: 'de la Cruz', dob: '1980-02-29' } });
const { data: visit } = await createAppointment({
  client,
  body: { patient_id: patient.uuid, appointment_type_id: types[0].uuid, appointment_date: dayIn(30) },
});
console.log(`booked ${visit.uuid} at ${visit.appointment_date}`);

const path = { uuid: visit.uuid };
const { data: moved } = await updateAppointment({ client, path, body: { appointment_date: dayIn(31) } });
console.log(`moved to ${moved.appointment_date}`);

try {
  await updateAppointment({ client, path, body: { appointment_date: '2027-02-30T09:30:00' } });
} catch (error) {
  if (!(error instanceof TriptychError)) throw error;
  console.log(`refused, as there is no such day: ${error.status} ${error.message}`);
}

const signal = AbortSignal.timeout(30_000);
for await (const event of follow({ client, after: next, subject: `appointment:${visit.uuid}`, signal })) {
  console.log(`told: ${event.type} ${event.changed.join(', ')}`);
  if (event.type === 'appointment.moved') break;
}
