import { addRecall, deleteRecall, listRecalls, readRecall } from '../../../domain/scheduling/types/recalls.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { DONE, Done } from '../done.wire.ts';
import { pageLinks } from '../paging.ts';
import { renameIssues } from './booked-update.wire.ts';
import {
  fromRecall,
  ReminderAdded,
  ReminderForm,
  ReminderList,
  ReminderShape,
  reminderParams,
  remindersQuery,
  toRecall,
  toRecallFilter,
} from './reminders.wire.ts';

const WITHHELD = 'Reminders of charts that the client may not see are omitted.';

/** Visits that patients are to book about a day, which other systems call recalls. */
export function reminderRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Appointments', beyondDocument: true });
  get('/appointments/appointmentreminders', {
    operationId: 'listAppointmentReminders',
    summary: 'List reminders to book a visit',
    description: `Reminders of one department, sorted by day. ${WITHHELD}`,
    query: remindersQuery,
    response: ReminderList,
    handle: async ({ tx, query, request }) => {
      const { recalls, total } = await listRecalls(tx, toRecallFilter(query), query);
      return { totalcount: total, reminders: recalls.map(fromRecall), ...pageLinks(request, query, total) };
    },
  });

  post('/appointments/appointmentreminders', {
    operationId: 'addAppointmentReminder',
    summary: 'Add a reminder to book a visit',
    description: 'The practice calls the patient; no message is sent automatically.',
    body: ReminderForm,
    response: ReminderAdded,
    handle: async ({ tx, body }) => ({
      success: true as const,
      appointmentreminderid: await renameIssues(addRecall(tx, toRecall(body))),
    }),
  });

  const current = get('/appointments/appointmentreminders/:reminderId', {
    operationId: 'getAppointmentReminder',
    summary: 'Read a reminder to book a visit',
    params: reminderParams,
    response: ReminderShape,
    etag: true,
    handle: async ({ tx, params }) => fromRecall(await readRecall(tx, params.reminderId)),
  });

  remove('/appointments/appointmentreminders/:reminderId', {
    operationId: 'deleteAppointmentReminder',
    summary: 'Delete a reminder to book a visit',
    description: 'A deleted reminder is still listed with `showdeleted`.',
    params: reminderParams,
    response: Done,
    current,
    handle: async ({ tx, params }) => {
      await deleteRecall(tx, params.reminderId);
      return DONE;
    },
  });
}
