import {
  addToWaitlist,
  changeWaiting,
  listWaitlist,
  readWaiting,
  removeFromWaitlist,
} from '../../../../domain/scheduling/patient-booking/waitlist.ts';
import { reportWaitlist } from '../../../../domain/scheduling/patient-booking/waitlist-report.ts';
import type { PageRequest } from '../../../../domain/values/paging.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromReport,
  fromWaiting,
  reportQuery,
  toNewWaiting,
  toWaitlistChanges,
  toWaitlistFilter,
  WaitlistCreate,
  WaitlistList,
  WaitlistReportShape,
  WaitlistResponse,
  WaitlistUpdate,
  waitlistParams,
  waitlistQuery,
} from './waitlist.wire.ts';

const toOffset = ({ page, limit }: PageRequest) => ({ limit, offset: (page - 1) * limit });

export function waitlistRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Waitlist', beyondDocument: true });
  get('/waitlist', {
    operationId: 'listWaitlist',
    summary: 'List the patients on the waitlist',
    description: 'In the order of offers: by priority, then by waiting time.',
    query: waitlistQuery,
    response: WaitlistList,
    handle: async ({ tx, query, request }) =>
      writePage(request, { ...query, ...(await listWaitlist(tx, toWaitlistFilter(query), toOffset(query))) }, fromWaiting),
  });

  post('/waitlist', {
    operationId: 'createWaitlistEntry',
    summary: 'Add a patient to the waitlist',
    description:
      'A freed time is held and offered to one patient at a time. YES or the link books it; NO, or no answer within the minutes set by the practice, passes it on to the next patient.',
    body: WaitlistCreate,
    response: WaitlistResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => ({ data: fromWaiting(await addToWaitlist(tx, toNewWaiting(body))) }),
  });

  get('/waitlist/report', {
    operationId: 'reportWaitlist',
    summary: 'Report offers of freed times and the visits booked from them',
    description: 'Counts offers made in a range of days; without a range, all offers.',
    query: reportQuery,
    response: WaitlistReportShape,
    handle: async ({ tx, query }) =>
      fromReport(await reportWaitlist(tx, { min: query.from, max: query.until, fields: { min: 'from', max: 'until' } })),
  });

  const current = get('/waitlist/:uuid', {
    operationId: 'getWaitlistEntry',
    summary: 'Read an entry of the waitlist',
    params: waitlistParams,
    response: WaitlistResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromWaiting(await readWaiting(tx, params.uuid)) }),
  });

  put('/waitlist/:uuid', {
    operationId: 'updateWaitlistEntry',
    summary: 'Update an entry of the waitlist',
    description: 'Only the fields sent are changed. A time held for the patient is offered to others.',
    params: waitlistParams,
    body: WaitlistUpdate,
    response: WaitlistResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => ({
      data: fromWaiting(await changeWaiting(tx, params.uuid, toWaitlistChanges(body))),
    }),
  });

  remove('/waitlist/:uuid', {
    operationId: 'deleteWaitlistEntry',
    summary: 'Remove a patient from the waitlist',
    description: 'A time held for them is offered to others.',
    params: waitlistParams,
    current,
    handle: ({ tx, params }) => removeFromWaitlist(tx, params.uuid),
  });
}
