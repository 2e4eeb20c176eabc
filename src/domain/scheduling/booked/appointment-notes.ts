import type { AppointmentNote } from '../../../generated/prisma/client.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
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
export async function listNotes(tx: Tx, appointmentId: number, withDeleted: boolean): Promise<NoteWithAuthor[]> {
  const patientIds = await readPatientIds(tx, appointmentId);
  const where = { ...tx.practice, appointmentId, ...(withDeleted ? {} : { deletedAt: null }) };
  const notes = await tx.prisma.appointmentNote.findMany({ where, include: WITH_AUTHOR, orderBy: { id: 'asc' } });
  if (notes.length > 0) recordReadWithPatients(tx, 'appointment', { ids: [appointmentId], patientIds }, 'read');
  return notes;
}

/** @throws Failure as listNotes */
export async function addNote(tx: Tx, appointmentId: number, input: NoteInput & { text: string }): Promise<void> {
  const patientIds = await readPatientIds(tx, appointmentId);
  const { text, displayOnSchedule = false } = input;
  const { userId: createdByUserId } = tx;
  await tx.prisma.appointmentNote.create({ data: { ...tx.practice, appointmentId, text, displayOnSchedule, createdByUserId } });
  recordNotes(tx, appointmentId, patientIds);
}

/** @throws Failure as listNotes; not_found for a note that is not there, or was deleted */
export async function changeNote(tx: Tx, { appointmentId, id }: NoteKey, input: NoteInput): Promise<void> {
  const patientIds = await readPatientIds(tx, appointmentId);
  const before = await findNote(tx, { appointmentId, id });
  const data = changesTo(before, input);
  if (Object.keys(data).length === 0) return;
  await tx.prisma.appointmentNote.update({ where: tx.key(id), data });
  recordNotes(tx, appointmentId, patientIds);
}

/** @throws Failure as changeNote */
export async function deleteNote(tx: Tx, { appointmentId, id }: NoteKey): Promise<void> {
  const patientIds = await readPatientIds(tx, appointmentId);
  await findNote(tx, { appointmentId, id });
  await tx.prisma.appointmentNote.update({
    where: tx.key(id),
    data: { deletedAt: new Date() },
  });
  recordNotes(tx, appointmentId, patientIds);
}

interface NoteKey {
  appointmentId: number;
  id: number;
}

async function findNote(tx: Tx, { appointmentId, id }: NoteKey): Promise<AppointmentNote> {
  const note = await tx.prisma.appointmentNote.findUnique({
    where: { organizationId_id: { ...tx.practice, id }, appointmentId, deletedAt: null },
  });
  if (!note) throw notFound('note');
  return note;
}

/** The chart that notes about an appointment belong to, or none. @throws Failure not_found */
async function readPatientIds(tx: Tx, appointmentId: number): Promise<number[]> {
  const { hasPatient, patientId } = await readBookedAppointment(tx, appointmentId);
  if (hasPatient && patientId === null) throw notFound('appointment');
  return patientId === null ? [] : [patientId];
}

const recordNotes = (caller: Caller, id: number, patientIds: number[]): void =>
  recordChange(caller, 'update', { name: 'appointment.changed', id, changed: ['notes'], textsWait: false }, patientIds);
