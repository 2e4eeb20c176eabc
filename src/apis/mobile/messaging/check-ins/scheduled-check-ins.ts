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
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listSchedules(db, caller, query.active, query), fromListedSchedule),
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
    handle: async ({ db, caller, body }) => ({
      data: fromSchedule(await scheduleCheckIns(db, caller, toSchedule(body), nowIn(caller.organizationId))),
    }),
  });

  get('/scheduled-checkins/:checkin', {
    operationId: 'getScheduledCheckIn',
    summary: 'Read a scheduled check-in',
    params: scheduleParams,
    response: ScheduleResponse,
    etag: true,
    handle: async ({ db, caller, params }) => ({ data: fromSchedule(await readSchedule(db, caller, params.checkin)) }),
  });

  remove('/scheduled-checkins/:checkin', {
    operationId: 'endScheduledCheckIn',
    beyondDocument: true,
    summary: 'End a scheduled check-in',
    description: 'No further check-ins are sent. Those that were sent can still be answered, and the record stays.',
    params: scheduleParams,
    current: async ({ db, caller, params }) => ({ data: fromSchedule(await readSchedule(db, caller, params.checkin)) }),
    handle: ({ db, caller, params }) => endSchedule(db, caller, params.checkin),
  });
}
