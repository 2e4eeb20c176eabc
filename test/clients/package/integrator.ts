// A program of an integrator, compiled strictly against the installed package. `@ts-expect-error` holds what its types refuse.
import { all, clientCredentials, connect, follow, hasCode, privateKeyJwt, userSession } from 'triptych-client';
import { createAppointment, createPatient, listPatients } from 'triptych-client/integration';
import { listMonitoringItems, login, uploadAttachment } from 'triptych-client/mobile';
import { createWebhookEndpoint, exportRecords, importFile } from 'triptych-client/platform';
import { searchPatients } from 'triptych-client/practice';

const client = connect({ url: 'https://triptych.example.com', auth: clientCredentials({ clientId: 'one', clientSecret: 'two' }) });
connect({ url: 'https://triptych.example.com', auth: privateKeyJwt({ clientId: 'one', key: { kty: 'OKP', crv: 'Ed25519', kid: 'k' } }) });

const { data: patient } = await createPatient({ client, body: { fname: 'Zoë', lname: 'Cruz' } });
const id: number = patient.uuid;
await createAppointment({ client, body: { patient_id: id, appointment_date: '2027-03-13T09:30:00' }, idempotencyKey: 'visit-1' });
// @ts-expect-error There is no such field.
await createAppointment({ client, body: { patient: id } });
// @ts-expect-error Each call names its client.
await createPatient({ body: {} });

for await (const one of all(listPatients, { client, query: { lastname: 'Cruz' } })) console.log(one.uuid.toFixed());
for await (const one of all(searchPatients, { client, path: { apivariant: 'v1', practiceid: 1 } })) console.log(one.lastname?.trim());
for await (const item of all(listMonitoringItems, { client })) console.log(item.name.trim());
// @ts-expect-error The query is the operation's.
all(listPatients, { client, query: { color: 'blue' } });

const session = userSession();
try {
  await session.keep((await login({ client, body: { email: 'a@example.com', password: 'secret' } })).data);
} catch (error) {
  if (hasCode(error, 'second_factor_required', 'step_up_required') && error.code === 'second_factor_required')
    console.log(error.status.toFixed());
  if (hasCode(error, 'second_factor_required')) console.log(error.details.challenge.trim());
}
await uploadAttachment({ client, body: { file: new Blob(['text']) }, onProgress: ({ sent, total }) => console.log(sent / total) });
await importFile({ client, query: { kind: 'patients' }, body: new Blob(['firstname']) });
await exportRecords({ client, query: { kind: 'patients' }, parseAs: 'stream' });
await createWebhookEndpoint({ client, body: { url: 'https://example.com/hook', types: ['patient.*'], signatures: ['v1a'] } });
for await (const event of follow({ client, types: ['patient.*'] })) console.log(event.subject.id.toFixed());
