import { type Statement, statement } from '../../../database/statements/statement.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { invalid } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { patientIdsOfSession } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { Tx } from '../../tx.ts';
import { writeFullName } from '../sessions/join-session.ts';

/** The patients who were in the room of a session, restricted ones too. Values: organization, session. */
const PATIENTS_WHO_CAME: Statement<{ id: number }> = statement(
  'telehealth_patients_who_came',
  `SELECT o.patient_id AS id FROM session_participant o
    WHERE o.organization_id = $1 AND o.video_session_id = $2::bigint AND o.patient_id IS NOT NULL AND o.admitted_at IS NOT NULL
    UNION SELECT v.patient_id FROM telehealth_visit v
           WHERE v.organization_id = $1 AND v.video_session_id = $2::bigint AND v.patient_id IS NOT NULL`,
);

/** All patients of a session, also those who are only expected, and restricted ones. Values: organization, session. */
const PATIENTS_OF_SESSION: Statement<{ id: number }> = statement(
  'telehealth_patients_of_session',
  `SELECT i.patient_id AS id FROM video_session s, LATERAL (${patientIdsOfSession('s')}) AS i
    WHERE s.organization_id = $1 AND s.id = $2::bigint AND i.patient_id IS NOT NULL`,
);

/**
 * The only patient of a session, to whom its pictures belong where nobody is named: of those who came; where no patient came, of
 * those who are expected. Null where there is none, and where several are expected of whom nobody came.
 * @param field for errors
 * @throws Failure invalid where several came
 */
export async function findOnlyPatient(tx: Tx, videoSessionId: number, field: string): Promise<number | null> {
  const came = await tx.rows(PATIENTS_WHO_CAME, [videoSessionId]);
  if (came.length > 1) throw severalPatients(field);
  if (came[0]) return came[0].id;
  const expected = await tx.rows(PATIENTS_OF_SESSION, [videoSessionId]);
  return expected.length === 1 ? (expected[0]?.id ?? null) : null;
}

const severalPatients = (field: string) => invalid(field, 'is required, since several patients were in this session', 'missing');

/** The patient whom a user of the practice names; else the only one of the session. @throws Failure not_found; as findOnlyPatient */
export async function findMediaPatient(tx: Tx, videoSessionId: number, patientId: number | null | undefined): Promise<number | null> {
  if (patientId === undefined || patientId === null) return findOnlyPatient(tx, videoSessionId, 'mediaPatientId');
  return (await findPatient(tx, patientId, 'mediaPatientId')).id;
}

/** The person whom a picture or a recording of the page of a visit shows. */
export interface ShownPerson {
  /** Null for people without a chart. */
  patientId: number | null;
  /** Null where nobody was chosen. */
  shownParticipantId: number | null;
}

/**
 * The person whom a host chose on the page of the visit; without a choice, the only patient of the session.
 * @param chosen a participant of the session who was admitted, also one who has left
 * @throws Failure invalid for anybody else, and where several patients came and none was chosen
 */
export async function findShownPerson(tx: Tx, videoSessionId: number, chosen: number | null): Promise<ShownPerson> {
  if (chosen === null) return { patientId: await findOnlyPatient(tx, videoSessionId, 'patient'), shownParticipantId: null };
  const person = await tx.prisma.sessionParticipant.findFirst({
    where: { ...tx.practice, videoSessionId, id: chosen, admittedAt: { not: null } },
    select: { id: true, patientId: true },
  });
  if (!person) throw invalid('patient', 'was not in this visit', 'unknown');
  return { patientId: person.patientId, shownParticipantId: person.id };
}

/** The user behind a host who sent a picture from the page of a visit. */
export async function findMaker(tx: Tx, participantId: number): Promise<number | null> {
  const where = tx.key(participantId);
  return (await tx.prisma.sessionParticipant.findUnique({ where, select: { userId: true } }))?.userId ?? null;
}

/** The name by which the page of a visit says whose a picture is; of a restricted chart none. Audited. */
export async function findMediaName(tx: Tx, patientId: number): Promise<string> {
  const where = tx.key(patientId);
  const patient = await tx.prisma.patient.findUniqueOrThrow({ where, select: { firstName: true, lastName: true, restricted: true } });
  recordRead(tx, 'patient', [patientId]);
  return writeFullName(patient);
}
