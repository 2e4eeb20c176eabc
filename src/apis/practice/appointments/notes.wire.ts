import { z } from 'zod';
import { NOTE_LENGTH, type NoteWithAuthor } from '../../../domain/scheduling/booked/appointment-notes.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { longId, multilineText, optional } from '../../../http/wire/wire-types.ts';
import { writeEasternTime } from '../eastern-times.wire.ts';
import { option, yesNo } from '../parameters.ts';
import { appointmentParams } from './appointments.wire.ts';

const EASTERN = 'mm/dd/yyyy hh24:mi:ss in Eastern time';

const NoteShape = z
  .strictObject({
    noteid: z.string().describe('Note id'),
    notetext: z.string().describe('The note'),
    displayonschedule: z.boolean().describe('Whether it is shown in the schedule'),
    created: z.string().describe(`When it was written, ${EASTERN}`),
    createdby: z.string().describe('Name of the user who wrote it'),
    lastmodified: z.string().optional().describe(`When it was changed, ${EASTERN}; absent if it never was`),
    deleted: z.string().optional().describe(`When it was deleted, ${EASTERN}`),
  })
  .meta({ id: 'AppointmentNote' });

export const NoteList = z
  .strictObject({ totalcount: z.int().describe('Number of notes'), notes: z.array(NoteShape).describe('By id') })
  .meta({ id: 'AppointmentNoteList' });

/** Public clients repeat the ids of the path. */
const repeated = () => optional(longId()).describe('Has no effect: the path says it');

export const notesQuery = z.object({ appointmentid: repeated(), showdeleted: option().describe('Include deleted notes') });

export const noteParams = appointmentParams.extend({ noteId: longId().describe('Note id') });

const displayonschedule = yesNo().describe('Whether to show it in the schedule; false by default');

export const NoteForm = z
  .object({ notetext: multilineText(NOTE_LENGTH).min(1).describe('The note'), displayonschedule, appointmentid: repeated() })
  .meta({ id: 'AppointmentNoteForm' });

export const NoteUpdateForm = z
  .object({
    notetext: multilineText(NOTE_LENGTH).min(1).optional().describe('The note'),
    displayonschedule: yesNo().describe('Whether it is shown in the schedule'),
    appointmentid: repeated(),
    noteid: repeated(),
  })
  .meta({ id: 'AppointmentNoteUpdateForm' });

export const NoteDeletionForm = z.object({ appointmentid: repeated(), noteid: repeated() }).meta({ id: 'AppointmentNoteDeletionForm' });

export function fromNote({ createdBy, ...note }: NoteWithAuthor): z.input<typeof NoteShape> {
  const toEastern = (at: Date) => writeEasternTime(writeInstant(at));
  const isChanged = note.updatedAt > note.createdAt && note.deletedAt === null;
  return {
    noteid: String(note.id),
    notetext: note.text,
    displayonschedule: note.displayOnSchedule,
    created: toEastern(note.createdAt),
    createdby: createdBy === null ? '' : `${createdBy.firstName} ${createdBy.lastName}`,
    ...(isChanged && { lastmodified: toEastern(note.updatedAt) }),
    ...(note.deletedAt && { deleted: toEastern(note.deletedAt) }),
  };
}
