import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from '../../apis/mobile/messaging/attachments/uploading.ts';
import { type Ask, readId, valueAt } from './recorder.ts';

const ONE = { limit: 1 };
const SINCE = { 'min-date': '2026-01-01' };
const RECORDING = new Uint8Array(readFileSync(join(import.meta.dirname, '../../../prisma/seed/media/recording.webm')));

interface Visited {
  /** With a mail address. */
  patient: number;
  /** Whose waiting room it is. */
  waitingRoom: number;
  /** Opens the link of an invite to the waiting room as its patient, and waits. */
  wait: (invite: number) => Promise<void>;
  /** Opens the link of a session for guests, and waits. @returns the id of the participant */
  arrive: (link: string) => Promise<number>;
}

/** Video sessions with their pictures and recordings, invites, waiting rooms and visits. */
export async function telehealthExamples(ask: Ask, visited: Visited): Promise<void> {
  const session = readId(await ask('listVideoSessions', { query: ONE }));
  await ask('getVideoSession', { path: { uuid: session } });
  await ask('searchVideoSessions', { query: { kind: 'meet', ...ONE } });
  await ask('listTelehealthSessions', { query: ONE });
  await ask('getTelehealthData', { query: { 'min-date': '2031-01-01', 'max-date': '2031-01-02' } });
  await ask('getTelehealthUserData', { query: SINCE });
  await mediaExamples(ask);

  const meeting = await ask('openMeetSession');
  const guid = valueAt(meeting, 'data', 'guid');
  const invite = readId(
    await ask('inviteToVideoSession', { path: { GUID: guid }, body: { emailOrSms: 'email', email: 'sam@example.com' } }),
  );
  await ask('withdrawVideoSessionInvite', { path: { GUID: guid, invite } });
  const participant = await visited.arrive(String(valueAt(meeting, 'data', 'guest_link')));
  await ask('updateVideoSessionParticipant', { path: { GUID: guid, participant }, body: { patient_uuid: visited.patient } });
  await ask('openVideoSessionHostLink', { path: { GUID: guid } });
  await ask('withdrawVideoSessionHostLinks', { path: { GUID: guid } });
  const image = await ask('createVideoSessionImage', {
    path: { GUID: guid },
    files: { file: ['picture.png', new Uint8Array(PNG)] },
    body: { title: 'Rash', body_site: 'Left hand' },
  });
  await ask('updateVideoSessionImage', {
    path: { GUID: guid, uuid: readId(image) },
    body: { patient_uuid: visited.patient, body_site: 'Right hand' },
  });
  await ask('deleteVideoSessionImage', { path: { GUID: guid, uuid: readId(image) } });
  const video = await ask('createVideoSessionVideo', {
    path: { GUID: guid },
    files: { file: ['recording.webm', RECORDING] },
    body: { title: 'Walking' },
  });
  await ask('updateVideoSessionVideo', {
    path: { GUID: guid, uuid: readId(video) },
    body: { patient_uuid: visited.patient, title: 'Gait' },
  });
  await ask('deleteVideoSessionVideo', { path: { GUID: guid, uuid: readId(video) } });
  await waitingExamples(ask, visited);
}

async function mediaExamples(ask: Ask): Promise<void> {
  for (const kind of ['VideoSessionImage', 'VideoSessionVideo']) {
    const uuid = readId(await ask(`list${kind}s`, { query: ONE }));
    await ask(`search${kind}s`, { query: { ...SINCE, ...ONE } });
    await ask(`get${kind}`, { path: { uuid } });
    await ask(`get${kind}Content`, { path: { uuid } });
    if (kind === 'VideoSessionVideo') await ask('getVideoSessionVideoThumbnail', { path: { uuid } });
  }
}

async function waitingExamples(ask: Ask, { patient, waitingRoom, wait }: Visited): Promise<void> {
  await ask('getFiveMinuteCheckIn');
  await ask('setFiveMinuteCheckIn', { body: { teleheath_5_minute_check_in: true, teleheath_5_minute_check_in_type: 'email' } });
  const invite = await ask('inviteToWaitingRoom', { path: { UUID: waitingRoom, 'Patient-UUID': patient }, body: { emailOrSms: 'email' } });
  const path = { UUID: waitingRoom, 'Patient-UUID': patient };
  const withdrawn = readId(await ask('inviteToWaitingRoom', { path, body: {} }));
  await ask('withdrawWaitingRoomInvite', { path: { ...path, invite: withdrawn } });
  await wait(readId(invite));
  const visit = readId(await ask('listWaitingPatients', { path: { UUID: waitingRoom }, query: ONE }));
  await ask('admitFromWaitingRoom', { path: { UUID: waitingRoom, visit }, body: { visit: 'new' } });
  await ask('listWaitingRoomVisits', { path: { UUID: patient }, query: ONE });
  await ask('getWaitingRoomVisit', { path: { UUID: visit } });
}

/** Video visits of a patient who had some. */
export async function visitExamples(ask: Ask, patient: number): Promise<void> {
  const visit = readId(await ask('listTelehealthVisits', { path: { uuid: patient }, query: ONE }));
  const held = await ask('getTelehealthVisit', { path: { uuid: visit } });
  await ask('listVideoSessionChat', { path: { GUID: valueAt(held, 'data', 'video_session_guid') } });
  await ask('listVisits', { path: { uuid: patient }, query: ONE });
}
