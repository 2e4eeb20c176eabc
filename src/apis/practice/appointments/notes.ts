import { addNote, changeNote, deleteNote, listNotes } from '../../../domain/scheduling/booked/appointment-notes.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { DONE, Done } from '../done.wire.ts';
import { appointmentParams } from './appointments.wire.ts';
import { fromNote, NoteDeletionForm, NoteForm, NoteList, NoteUpdateForm, noteParams, notesQuery } from './notes.wire.ts';

const WITHHELD = '404 if the client may not see the patient.';

export function appointmentNoteRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Appointments', beyondDocument: true });
  get('/appointments/:appointmentId/notes', {
    operationId: 'listAppointmentNotes',
    summary: 'List the notes about an appointment',
    description: WITHHELD,
    params: appointmentParams,
    query: notesQuery,
    response: NoteList,
    handle: async ({ tx, params, query }) => {
      const notes = await listNotes(tx, params.appointmentId, query.showdeleted);
      return { totalcount: notes.length, notes: notes.map(fromNote) };
    },
  });

  post('/appointments/:appointmentId/notes', {
    operationId: 'addAppointmentNote',
    summary: 'Add a note about an appointment',
    description: WITHHELD,
    params: appointmentParams,
    body: NoteForm,
    response: Done,
    handle: async ({ tx, params, body }) => {
      await addNote(tx, params.appointmentId, { text: body.notetext, displayOnSchedule: body.displayonschedule ?? false });
      return DONE;
    },
  });

  put('/appointments/:appointmentId/notes/:noteId', {
    operationId: 'updateAppointmentNote',
    summary: 'Update a note about an appointment',
    description: `Only the fields sent are changed. ${WITHHELD}`,
    params: noteParams,
    body: NoteUpdateForm,
    response: Done,
    handle: async ({ tx, params: { appointmentId, noteId: id }, body }) => {
      await changeNote(tx, { appointmentId, id }, { text: body.notetext, displayOnSchedule: body.displayonschedule ?? undefined });
      return DONE;
    },
  });

  remove('/appointments/:appointmentId/notes/:noteId', {
    operationId: 'deleteAppointmentNote',
    summary: 'Delete a note about an appointment',
    description: `The deleted note is still listed with \`showdeleted\`. ${WITHHELD}`,
    params: noteParams,
    body: NoteDeletionForm,
    bodyOptional: true,
    response: Done,
    handle: async ({ tx, params: { appointmentId, noteId: id } }) => {
      await deleteNote(tx, { appointmentId, id });
      return DONE;
    },
  });
}
