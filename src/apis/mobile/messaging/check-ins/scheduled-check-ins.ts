import { endSchedule, listSchedules, readSchedule, scheduleCheckIns } from '../../../../domain/messaging/check-ins/scheduled-check-ins.ts';
import { nowIn } from '../../../../domain/values/test-practices.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromListedSchedule,
  fromSchedule,
  ScheduleList,
  ScheduleRequest,
  ScheduleResponse,
  scheduleParams,
  schedulesQuery,
  toSchedule,
  unusedChannel,
} from './scheduled-check-ins.wire.ts';

/** Surveys that are sent to patients on a schedule. */
export function scheduledCheckInRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Check-ins' });
  get('/scheduled-checkins', {
    operationId: 'listScheduledCheckIns',
    beyondDocument: true,
    summary: 'List scheduled check-ins',
    description: 'Sorted by id, including ended ones.',
    query: schedulesQuery,
    response: ScheduleList,
    handle: async ({ tx, query, request }) => writePage(request, await listSchedules(tx, query.active, query), fromListedSchedule),
  });

  post('/scheduled-checkins', {
    operationId: 'createScheduledCheckIn',
    summary: 'Schedule check-ins every day, week or month',
    description:
      'Each run sends each survey once to each patient, at a local time of the organization. A missed run is made up for once, within twelve hours.',
    body: ScheduleRequest,
    ignored: unusedChannel,
    response: ScheduleResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => ({
      data: fromSchedule(await scheduleCheckIns(tx, toSchedule(body), nowIn(tx.organizationId))),
    }),
  });

  const current = get('/scheduled-checkins/:checkin', {
    operationId: 'getScheduledCheckIn',
    summary: 'Read a scheduled check-in',
    params: scheduleParams,
    response: ScheduleResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromSchedule(await readSchedule(tx, params.checkin)) }),
  });

  remove('/scheduled-checkins/:checkin', {
    operationId: 'endScheduledCheckIn',
    beyondDocument: true,
    summary: 'End a scheduled check-in',
    description: 'No further check-ins are sent. Those that were sent can still be answered, and the record stays.',
    params: scheduleParams,
    current,
    handle: ({ tx, params }) => endSchedule(tx, params.checkin),
  });
}
