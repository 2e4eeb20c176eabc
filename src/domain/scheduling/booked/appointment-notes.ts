import type { Db } from '../../../database/database.ts';
import type { AppointmentNote } from '../../../generated/prisma/client.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { readBookedAppointment } from './booked-appointments.ts';

/** Longest note, in characters. */
export const NOTE_LENGTH = 4_000;

const WITH_AUTHOR = { createdBy: { select: { firstName: true, lastName: true } } } as const;

export interface NoteWithAuthor extends AppointmentNote {
  createdBy: { firstName: string; lastName: string } | null;
}

/** Fields of a note. One that is absent stays as it is. */
export interface NoteInput {
  text?: string | undefined;
  displayOnSchedule?: boolean | undefined;
}

/** The notes about an appointment, by id. @throws Failure not_found; also where the caller may not see its patient */
export async function listNotes(db: Db, caller: Caller, appointmentId: number, withDeleted: boolean): Promise<NoteWithAuthor[]> {
  const patientIds = await readPatientIds(db, caller, appointmentId);
  const where = { organizationId: caller.organizationId, appointmentId, ...(withDeleted ? {} : { deletedAt: null }) };
  const notes = await db.appointmentNote.findMany({ where, include: WITH_AUTHOR, orderBy: { id: 'asc' } });
  if (notes.length > 0) recordReadWithPatients(caller, 'appointment', { ids: [appointmentId], patientIds }, 'read');
  return notes;
}

/** @throws Failure as listNotes */
export async function addNote(db: Db, caller: Caller, appointmentId: number, input: NoteInput & { text: string }): Promise<void> {
  const patientIds = await readPatientIds(db, caller, appointmentId);
  const { text, displayOnSchedule = false } = input;
  const { organizationId, userId: createdByUserId } = caller;
  await db.appointmentNote.create({ data: { organizationId, appointmentId, text, displayOnSchedule, createdByUserId } });
  recordNotes(caller, appointmentId, patientIds);
}

/** @throws Failure as listNotes; not_found for a note that is not there, or was deleted */
export async function changeNote(db: Db, caller: Caller, { appointmentId, id }: NoteKey, input: NoteInput): Promise<void> {
  const patientIds = await readPatientIds(db, caller, appointmentId);
  const before = await findNote(db, caller, { appointmentId, id });
  const data = changesTo(before, input);
  if (Object.keys(data).length === 0) return;
  await db.appointmentNote.update({ where: { organizationId_id: { organizationId: caller.organizationId, id } }, data });
  recordNotes(caller, appointmentId, patientIds);
}

/** @throws Failure as changeNote */
export async function deleteNote(db: Db, caller: Caller, { appointmentId, id }: NoteKey): Promise<void> {
  const patientIds = await readPatientIds(db, caller, appointmentId);
  await findNote(db, caller, { appointmentId, id });
  await db.appointmentNote.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id } },
    data: { deletedAt: new Date() },
  });
  recordNotes(caller, appointmentId, patientIds);
}

interface NoteKey {
  appointmentId: number;
  id: number;
}

async function findNote(db: Db, { organizationId }: Caller, { appointmentId, id }: NoteKey): Promise<AppointmentNote> {
  const note = await db.appointmentNote.findUnique({
    where: { organizationId_id: { organizationId, id }, appointmentId, deletedAt: null },
  });
  if (!note) throw notFound('note');
  return note;
}

/** The chart that notes about an appointment belong to, or none. @throws Failure not_found */
async function readPatientIds(db: Db, caller: Caller, appointmentId: number): Promise<number[]> {
  const { hasPatient, patientId } = await readBookedAppointment(db, caller, appointmentId);
  if (hasPatient && patientId === null) throw notFound('appointment');
  return patientId === null ? [] : [patientId];
}

const recordNotes = (caller: Caller, id: number, patientIds: number[]): void =>
  recordChange(caller, 'update', { name: 'appointment.changed', id, changed: ['notes'], textsWait: false }, patientIds);
