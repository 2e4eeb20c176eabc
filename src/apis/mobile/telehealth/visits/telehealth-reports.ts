import { reportDays, reportUsers } from '../../../../domain/telehealth/visits/reports.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import {
  DayReportResponse,
  fromDayReport,
  fromUserReport,
  reportQuery,
  toReportDays,
  UserReportResponse,
} from './telehealth-reports.wire.ts';

const COUNTED = 'Everything counts on the day it began, in the practice’s time zone, so the parts add up to the total.';

export function telehealthReportRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Video sessions' });
  get('/video-session/telehealth-data', {
    operationId: 'getTelehealthData',
    summary: 'Read the numbers of sessions, visits, minutes and patients, in total and by day',
    description: COUNTED,
    query: reportQuery,
    response: DayReportResponse,
    handle: async ({ tx, query }) => ({ data: fromDayReport(await reportDays(tx, toReportDays(query))) }),
  });

  get('/video-session/telehealth-user-data', {
    operationId: 'getTelehealthUserData',
    summary: 'Read the numbers of sessions, visits, minutes and patients, in total and by user',
    description: `${COUNTED} Visits count for the host of the session. Waiting counts for the host of the session into which the patient was admitted, otherwise for the host of the waiting room.`,
    query: reportQuery,
    response: UserReportResponse,
    handle: async ({ tx, query }) => ({ data: fromUserReport(await reportUsers(tx, toReportDays(query))) }),
  });
}
