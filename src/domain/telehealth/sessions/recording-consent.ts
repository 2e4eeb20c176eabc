import type { Db } from '../../../database/database.ts';
import type { SessionParticipant, VideoSession } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import type { InEachLanguage, Language } from '../../values/languages.ts';
import type { ParticipantMember } from './room-tokens.ts';
import { lockSession } from './sessions.ts';
import { notifyRoom } from './signals.ts';

/** Each person is asked in these words, which are stored with the answer. */
export const RECORDING_QUESTION: InEachLanguage = {
  en: 'Your practice would like to record this visit, with your picture and your voice. The recording is kept in the patient’s chart. You may say no: the visit continues without a recording.',
  es: 'Su consultorio pide grabar esta consulta, con su imagen y su voz. La grabación se guarda en el expediente del paciente. Puede decir que no: la consulta sigue igual.',
};

/** Stored for the host who starts a recording. */
const STARTED = 'Started the recording.';

/**
 * A host begins a recording, or stops it. It begins when everybody in the visit has agreed; until then it is asked for.
 * @throws Failure conflict recording_refused where the practice does not record
 */
export async function setRecording(tx: Tx, { id, sessionId }: ParticipantMember, on: boolean): Promise<void> {
  const { session, now } = await lockSession(tx, sessionId);
  if (session.endedAt !== null) return;
  if (!on) return changeRecording(tx, session, { recordingSince: null, recordingAskedAt: null });
  if (session.recordingSince !== null) return;
  const { recordsVisits } = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { recordsVisits: true },
  });
  if (!recordsVisits) throw conflict('recording_refused', 'Your practice does not record visits.');
  const here = await findPresent(tx.prisma, session);
  for (const person of here) {
    if (person.id === id && person.recordingConsent !== true) await storeAnswer(tx, person, { given: true, words: STARTED, now });
    // A person who has said no is asked again.
    else if (person.recordingConsent === false) await storeAnswer(tx, person, { given: null, words: null, now });
  }
  const isAgreed = here.every((person) => person.id === id || person.recordingConsent === true);
  await changeRecording(
    tx,
    session,
    isAgreed ? { recordingSince: now, recordingAskedAt: null } : { recordingSince: null, recordingAskedAt: now },
  );
}

/** A person in the visit answers. The last one who agrees lets the recording begin; one who does not ends it, and the question. */
export async function answerRecording(
  tx: Tx,
  { id, sessionId }: ParticipantMember,
  { given, language }: { given: boolean; language: Language },
): Promise<void> {
  const { session, now } = await lockSession(tx, sessionId);
  const here = await findPresent(tx.prisma, session);
  const person = here.find((one) => one.id === id);
  if (!person) throw forbidden('not_admitted', 'You are not in the room yet.');
  await storeAnswer(tx, person, { given, words: RECORDING_QUESTION[language], now });
  const isAgreed = given && here.every((one) => one.id === id || one.recordingConsent === true);
  if (!given) await changeRecording(tx, session, { recordingSince: null, recordingAskedAt: null });
  else if (session.recordingAskedAt !== null && isAgreed)
    await changeRecording(tx, session, { recordingSince: now, recordingAskedAt: null });
  notifyRoom(tx, `session:${sessionId}`, { type: 'changed' });
}

/** Somebody who has not agreed comes in: the recording waits for the answer. */
export async function pauseRecordingFor(tx: Tx, session: VideoSession, person: SessionParticipant, now: Date): Promise<void> {
  if (session.recordingSince === null || person.recordingConsent === true) return;
  await changeRecording(tx, session, { recordingSince: null, recordingAskedAt: now });
}

/** The last host has left, whose page recorded: nobody is recorded now, nor asked. */
export async function endRecordingWithoutHost(tx: Tx, session: VideoSession): Promise<void> {
  if (session.recordingSince === null && session.recordingAskedAt === null) return;
  const host = { organizationId: session.organizationId, videoSessionId: session.id, role: 'host', joinedAt: { not: null }, leftAt: null };
  if (await tx.prisma.sessionParticipant.findFirst({ where: host, select: { id: true } })) return;
  await changeRecording(tx, session, { recordingSince: null, recordingAskedAt: null });
}

/**
 * Makes sure that a recording of a session may be kept: all who were in the visit had agreed when it began. Of a session that nobody has joined
 * here, the visit was elsewhere, and so were the answers.
 * @throws Failure not_found, conflict recording_not_agreed
 */
export async function requireRecordingAgreed(tx: Tx, id: number): Promise<void> {
  const session = await tx.prisma.videoSession.findUnique({
    where: tx.key(id),
    select: { visit: true, recordedVisit: true },
  });
  if (!session) throw notFound('video session');
  if (session.recordedVisit === session.visit) return;
  const joined = { ...tx.practice, videoSessionId: id, joinedAt: { not: null } };
  if (await tx.prisma.sessionParticipant.findFirst({ where: joined, select: { id: true } }))
    throw conflict('recording_not_agreed', 'This visit has no recording that everybody in it agreed to. Begin the recording in the room.');
}

const findPresent = (db: Db, { organizationId, id: videoSessionId, visit }: VideoSession): Promise<SessionParticipant[]> =>
  db.sessionParticipant.findMany({
    where: { organizationId, videoSessionId, joinedAt: { not: null }, leftAt: null, OR: [{ role: 'host' }, { visit }] },
    orderBy: { id: 'asc' },
  });

async function storeAnswer(
  tx: Tx,
  person: SessionParticipant,
  { given, words, now }: { given: boolean | null; words: string | null; now: Date },
): Promise<void> {
  const { organizationId, id } = person;
  await tx.prisma.sessionParticipant.update({
    where: { organizationId_id: { organizationId, id } },
    data: { recordingConsent: given, recordingWords: words, recordingAnsweredAt: given === null ? null : now },
    select: { id: true },
  });
  if (given === null) return;
  const name = 'session_participant.recording_answered';
  recordChange(tx, 'update', { name, id, changed: ['recordingConsent'] }, toPatientIds(person), given ? 'agreed' : 'declined');
}

async function changeRecording(
  tx: Tx,
  { organizationId, id, ...before }: VideoSession,
  data: Pick<VideoSession, 'recordingSince' | 'recordingAskedAt'>,
): Promise<void> {
  if (data.recordingSince === null && before.recordingSince === null && data.recordingAskedAt === before.recordingAskedAt) return;
  const isOn = data.recordingSince !== null;
  const changes = isOn ? { ...data, recordedVisit: before.visit } : data;
  await tx.prisma.videoSession.update({ where: { organizationId_id: { organizationId, id } }, data: changes, select: { id: true } });
  if (isOn !== (before.recordingSince !== null)) {
    const name = isOn ? 'video_session.recording_started' : 'video_session.recording_stopped';
    recordChange(tx, 'update', { name, id, changed: ['recordingSince'] });
  }
  notifyRoom(tx, `session:${id}`, { type: 'changed' });
}
