import { addToWaitlist, changeWaiting, listWaitlist, removeFromWaitlist } from '../../../domain/scheduling/patient-booking/waitlist.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { pageLinks } from '../paging.ts';
import { renameIssues } from './booked-update.wire.ts';
import {
  bothParts,
  CreatedShape,
  fromWaiting,
  toNewWaiting,
  toWaitlistChanges,
  toWaitlistFilter,
  WaitlistForm,
  WaitlistParameters,
  WaitlistShape,
  waitlistParams,
  waitlistQuery,
} from './waitlist.wire.ts';

const EITHER_PART = 'The parameters may come in the query or in the form.';

export function waitlistRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Appointments', beyondDocument: true });
  get('/appointments/waitlist', {
    operationId: 'listWaitlist',
    summary: 'List the waitlist',
    description: 'In the order of offers: by priority, then by waiting time.',
    query: waitlistQuery,
    response: WaitlistShape,
    handle: async ({ tx, query, request }) => {
      const { items, total } = await listWaitlist(tx, toWaitlistFilter(query), query);
      return { totalcount: total, ...pageLinks(request, query, total), waitlist: items.map(fromWaiting) };
    },
  });

  post('/appointments/waitlist', {
    operationId: 'createWaitlistEntry',
    summary: 'Add a patient to the waitlist',
    description: `A freed time is offered to one patient at a time. ${EITHER_PART}`,
    query: WaitlistParameters,
    body: WaitlistForm,
    bodyOptional: true,
    response: CreatedShape,
    handle: async ({ tx, query, body }) => ({
      waitlistid: (await renameIssues(addToWaitlist(tx, toNewWaiting(bothParts(query, body))))).id,
    }),
  });

  put('/appointments/waitlist/:waitlistId', {
    operationId: 'updateWaitlistEntry',
    summary: 'Update an entry of the waitlist',
    description: `Only the fields sent are changed. ${EITHER_PART}`,
    params: waitlistParams,
    query: WaitlistParameters,
    body: WaitlistForm,
    bodyOptional: true,
    response: CreatedShape,
    handle: async ({ tx, params, query, body }) => {
      await renameIssues(changeWaiting(tx, params.waitlistId, toWaitlistChanges(bothParts(query, body))));
      return { waitlistid: params.waitlistId };
    },
  });

  remove('/appointments/waitlist/:waitlistId', {
    operationId: 'deleteWaitlistEntry',
    summary: 'Remove a patient from the waitlist',
    params: waitlistParams,
    response: CreatedShape,
    handle: async ({ tx, params }) => {
      await removeFromWaitlist(tx, params.waitlistId);
      return { waitlistid: params.waitlistId };
    },
  });
}
