import { z } from 'zod';
import { BASE_POINT } from '../plausible-by-hand.ts';
import { type Ask, readId, type Value, valueAt } from './recorder.ts';

const ONE = { limit: 1 };

interface Monitored {
  patient: number;
  user: number;
}

/** Surveys, check-ins and their reviews, programs, conditions, and the month's ledger. */
export async function monitoringExamples(ask: Ask, { patient, user }: Monitored): Promise<void> {
  const survey = readId(await ask('listSurveyTypes', { query: ONE }));
  await ask('sendCheckIn', { body: { recipient_id: patient, sms_email: 'email', survey_type_id: survey } });
  await ask('listScheduledCheckIns', { query: ONE });
  const checkin = readId(
    await ask('createScheduledCheckIn', {
      body: {
        name: 'Blood pressure every morning',
        schedule_time: '09:00',
        schedule_period: 'daily',
        surveys: [survey],
        recipients: [{ recipient_id: patient, sms_email: 'email' }],
        starts_on: '2031-03-01',
      },
    }),
  );
  await ask('getScheduledCheckIn', { path: { checkin } });
  await ask('endScheduledCheckIn', { path: { checkin } });

  const monitored = readId(await ask('listMonitoredPatients', { query: ONE }));
  await ask('getMonitoredPatient', { path: { patient: monitored } });
  await programExamples(ask, { patient, monitored });
  await conditionExamples(ask, patient);
  await readingExamples(ask, patient);

  await ask('listMonitoringCheckIns', { query: ONE });
  await ask('countMonitoringCheckIns', { path: { user_uuid: user } });
  // One of those that were sent before today.
  const checkIn = readId(await ask('listPatientCheckIns', { path: { patient_uuid: monitored }, query: ONE }));
  await ask('listCheckInReviews', { query: ONE });
  const body = { checkin_uuid: checkIn, message: 'Discussed by telephone.', minutes: 5, live_contact: true };
  const review = readId(await ask('createCheckInReview', { body }));
  await ask('getCheckInReview', { path: { checkin_review: review } });
  await ask('deleteCheckInReview', { path: { checkin_review: review } });
  await ask('recordMonitoringConsent', { path: { patient }, body: { how: 'verbal', note: 'By telephone.' } });
  await ask('listMonitoringConsents', { path: { patient } });
  await ask('getTrendChart', { path: { patient: monitored, item: readId(await ask('listMonitoringItems', { query: ONE })) } });
  await ask('getMonitoringLedger', { query: ONE });
  await alertExamples(ask);
}

const reviewList = z.object({ data: z.array(z.object({ uuid: z.int(), holds: z.array(z.object({ released: z.unknown() })) })) });
const ledgerList = z.object({
  data: z.array(z.object({ month: z.string(), patient_uuid: z.int(), pending_corrections: z.array(z.string()) })),
});

/** The demo's newest hold, and its last month, which was closed before a review of it came. */
export async function ledgerExamples(ask: Ask): Promise<void> {
  const reviews = reviewList.parse(await ask('listCheckInReviews', { query: { sort: 'minutes', order: 'DESC', ...ONE } }));
  const [held] = reviews.data;
  await ask('releaseLedgerHold', {
    body: { kind: 'long_review', review_uuid: held?.uuid, reason: 'A long call about a new cuff; see the call log.' },
  });
  const month = '2026-10';
  const ledger = ledgerList.parse(await ask('getMonitoringLedger', { query: { month, limit: 1_000 } }));
  const late = ledger.data.find(({ pending_corrections }) => pending_corrections.length > 0);
  await ask('getLedgerEvidence', { path: { month, patient: Number(late?.patient_uuid) } });
  await ask('correctLedgerRow', {
    path: { month },
    body: { patient_uuid: late?.patient_uuid, reason: 'A call that was noted on paper.' },
  });
  await ask('verifyLedgerMonth', { path: { month } });
  await ask('closeLedgerMonth', { path: { month: '2025-01' }, body: { leave_held: true } });
  await ask('getLedgerClosing', { path: { month: '2025-01' } });
}

async function alertExamples(ask: Ask): Promise<void> {
  const alert = readId(await ask('listMonitoringAlerts', { query: { state: 'open', ...ONE } }));
  await ask('getMonitoringAlert', { path: { alert } });
  await ask('acknowledgeMonitoringAlert', { path: { alert }, body: { note: 'I call the patient now.' } });
  await ask('closeMonitoringAlert', { path: { alert }, body: { note: 'Measured again: 128. All is well.' } });
}

async function programExamples(ask: Ask, { patient, monitored }: { patient: number; monitored: number }): Promise<void> {
  const program = readId(await ask('listMonitoringPrograms', { query: ONE }));
  const steps = await ask('getMonitoringProgram', { path: { program } });
  await ask('listPatientPrograms', { path: { patient_uuid: monitored }, query: ONE });
  const both: Record<string, Value> = { program_uuid: program, patient_uuid: patient };
  await ask('addProgramPatient', { body: both });
  await ask('listWorkflow', { query: ONE });
  await ask('createWorkflowEvent', { body: { ...both, step_uuid: valueAt(steps, 'data', 'steps', '1', 'uuid') } });
  await ask('removeProgramPatient', { path: both });
}

async function conditionExamples(ask: Ask, patient: number): Promise<void> {
  const item = readId(await ask('listMonitoringItems', { query: ONE }));
  await ask('listTrackedConditions', { query: ONE });
  const condition = readId(await ask('createTrackedCondition', { body: { patient_uuid: patient, icd_code: 'I10', items: [item] } }));
  await ask('getTrackedCondition', { path: { tracked_condition: condition } });
  await ask('updateTrackedCondition', { path: { tracked_condition: condition }, body: { icd_code: 'I11.9' } });
  await ask('deleteTrackedCondition', { path: { tracked_condition: condition } });
}

async function readingExamples(ask: Ask, patient: number): Promise<void> {
  const item = readId(await ask('listMonitoringItems', { query: ONE }));
  const device = { make: 'Example Devices', model: 'Cuff 2', serial: 'EX-1001' };
  const sent = { patient_uuid: patient, item_uuid: item, value: 84, unit: 'mmHg', measured_at: '2026-11-18T15:20:00Z', device };
  const assigned = readId(await ask('assignDevice', { body: { patient_uuid: patient, ...device } }));
  await ask('listAssignedDevices', { query: ONE });
  await ask('returnDevice', { path: { device: assigned } });
  const reading = readId(await ask('createReadings', { body: sent }));
  await ask('listPatientReadings', { path: { patient }, query: ONE });
  await ask('markReadingEnteredInError', { path: { reading }, body: { reason: 'The cuff was on the table.' } });
}

/** What a device is told. */
export async function notificationExamples(ask: Ask): Promise<void> {
  await ask('updateNotification', { path: { uuid: readId(await ask('listNotifications', { query: ONE })) }, body: { read: true } });
  await ask('streamNotifications', { isStream: true });
  const keys = { p256dh: BASE_POINT, auth: 'A'.repeat(22) };
  const device = readId(await ask('createPushSubscription', { body: { endpoint: 'https://push.example.com/device', keys } }));
  await ask('deletePushSubscription', { path: { uuid: device } });
}
