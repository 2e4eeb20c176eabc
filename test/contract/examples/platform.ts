import { runImports } from '../../../src/jobs/run-imports.ts';
import { queueWebhooks } from '../../../src/jobs/sending/send-webhooks.ts';
import type { TestApp } from '../../support/app.ts';
import { eventually } from '../../support/server-process.ts';
import type { Ask } from './recorder.ts';
import { readId, valueAt } from './recorder.ts';

/** The requests of the platform API's examples. */
export async function platformExamples(test: TestApp, ask: Ask): Promise<void> {
  await ask('getSecurityPolicy');
  await ask('updateSecurityPolicy', { body: { second_factor: 'required_for_admins', session_idle_minutes: 240 } });
  await identityProvider(ask);
  await users(ask);
  await clients(ask);
  await clientRequests(test, ask);
  await ask('listAudit', { query: { action: 'administer', limit: 1 } });
  await ask('verifyAudit');
  await ask('listEvents', { query: { types: 'security_policy.changed,user.*', limit: 2 } });
  await ask('streamEvents', { isStream: true });
  await ask('exportRecords', { query: { kind: 'insurances', patient: 1 } });
  await webhooks(test, ask);
  await chartOpenings(ask);
  await restrictions(ask);
  await imports(test, ask);
  await merges(ask);
  await ask('reassignAppointments', {
    query: { dry_run: true },
    body: { from_provider_id: 1, to_provider_id: 2, from: '2040-01-01T00:00:00Z' },
  });
}

async function imports(test: TestApp, ask: Ask): Promise<void> {
  const text = 'external_id,firstname,lastname,dob,zip\nk-1,Ines,Moreau,1980-02-29,27601\nk-2,Tom,Reed,02/30/1980,27601\n';
  const made = await ask('importFile', { query: { kind: 'patients' }, headers: { 'upload-length': String(text.length) } });
  const path = { id: Number(valueAt(made, 'data', 'id')) };
  await ask('sendFile', { path, text, headers: { 'upload-offset': '0' } });
  await runImports(test.services);
  await ask('getImport', { path });
  await ask('getImportReport', { path });
}

async function merges(ask: Ask): Promise<void> {
  await ask('listPossibleDuplicates', { query: { limit: 1 } });
  const path = { uuid: 2 };
  await ask('mergePatients', { path, body: { from: 3, fields: ['email'] } });
  await ask('undoMerge', { path });
}

async function webhooks(test: TestApp, ask: Ask): Promise<void> {
  const body = { url: 'https://hooks.riverside.example/triptych', description: 'Billing', types: ['appointment.*', 'patient.updated'] };
  const path = { id: Number(valueAt(await ask('createWebhookEndpoint', { body }), 'data', 'id')) };
  await ask('listWebhookEndpoints', { query: { limit: 1 } });
  await ask('getWebhookEndpoint', { path });
  await ask('updateWebhookEndpoint', { path, body: { types: ['appointment.*'], signatures: ['v1', 'v1a'] } });
  await ask('rotateWebhookSecret', { path });
  await ask('testWebhookEndpoint', { path });
  // Events are queued once all transactions before theirs have ended.
  await eventually('the test is queued', async () => {
    await queueWebhooks(test.database);
    return (await test.database.prisma.webhookDelivery.count({ where: { webhookEndpointId: path.id } })) > 0;
  });
  const delivery = { id: Number(valueAt(await ask('listWebhookDeliveries', { path, query: { after_sequence: 0 } }), 'data', '0', 'id')) };
  await ask('retryWebhookDelivery', { path: delivery });
  await ask('replayWebhookEvents', { path, body: { from: '2026-01-01', types: ['appointment.cancelled'] } });
  await ask('deleteWebhookEndpoint', { path });
}

async function chartOpenings(ask: Ask): Promise<void> {
  const body = { patient_uuid: 1, reason: 'Unconscious in the emergency room, allergies unknown' };
  const path = { uuid: readId(await ask('createChartOpening', { body })) };
  await ask('listChartOpenings', { query: { limit: 3 } });
  await ask('deleteChartOpening', { path });
}

/** As an administrator who is a privacy officer too. */
async function restrictions(ask: Ask): Promise<void> {
  const me = readId(await ask('listUserAccounts', { query: { user_type: 'admin', limit: 1 } }));
  await ask('updateUserAccount', { path: { uuid: me }, body: { privacy_officer: true } });
  const path = { uuid: 2 };
  const made = readId(await ask('createRestriction', { path, body: { kind: 'record', reason: 'Member of staff' } }));
  await ask('listRestrictions', { path, query: { limit: 3 } });
  await ask('deleteRestriction', { path: { ...path, restriction: made } });
}

async function clients(ask: Ask): Promise<void> {
  const made = await ask('createApplication', { body: { name: 'Front desk', scopes: ['integration.read'] } });
  const path = { uuid: readId(made) };
  await ask('listApplications', { query: { limit: 2 } });
  await ask('getApplication', { path });
  await ask('updateApplication', { path, body: { scopes: ['integration.read', 'integration.write'] } });
  await ask('rotateApplicationSecret', { path, body: { overlap_hours: 48 } });
  await ask('disableApplication', { path });
  await ask('enableApplication', { path });
  await ask('deleteApplication', { path });
}

/** Of a request by which an integrator has misspelled a filter. */
async function clientRequests({ database: { prisma } }: TestApp, ask: Ask): Promise<void> {
  const path = { request_id: '0f5c3a52-6d0b-4c0e-9a55-5f1f7c2f9a11' };
  await prisma.clientRequest.create({
    data: {
      organizationId: 1,
      at: new Date('2026-11-17T15:04:05Z'),
      clientId: 'front-desk',
      requestId: path.request_id,
      operation: 'GET /api/patients',
      status: 400,
      code: 'unknown_parameter',
      fields: ['lastnaem'],
      warningFields: [],
      latencyMs: 3.2,
    },
  });
  await ask('listClientRequests', { query: { status: '4xx', code: 'unknown_parameter', limit: 1 } });
  await ask('getClientRequest', { path });
}

async function identityProvider(ask: Ask): Promise<void> {
  await ask('updateIdentityProvider', {
    body: {
      issuer: 'https://login.riverside.invalid',
      client_id: 'triptych',
      client_secret: 'from the provider',
      group_roles: [{ group: 'clinicians', role: 'provider' }],
      email_domains: ['riverside.example'],
      just_in_time: true,
    },
  });
  await ask('getIdentityProvider');
  await ask('checkIdentityProvider');
  await ask('deleteIdentityProvider');
}

async function users(ask: Ask): Promise<void> {
  const body = {
    user_type: 'staff',
    firstname: 'Nora',
    lastname: 'Lind',
    sign_in_email: 'nora.lind@clinic.example',
    privacy_officer: true,
  };
  const invited = { uuid: readId(await ask('createUserAccount', { body })) };
  await ask('inviteUserAccount', { path: invited });
  await ask('unlockUserAccount', { path: invited });
  await ask('listUserAccounts', { query: { limit: 3 } });
  const path = { uuid: readId(await ask('listUserAccounts', { query: { user_type: 'staff', limit: 1 } })) };
  await ask('getUserAccount', { path });
  await ask('updateUserAccount', { path, body: { phone: '+1 919-733-4321' } });
  await ask('deactivateUserAccount', { path });
  await ask('activateUserAccount', { path });
  await ask('resetSecondFactorsOfUserAccount', { path });
  await ask('deleteSessionsOfUserAccount', { path });
}
