import { listSlots } from '../../domain/scheduling/free-time/slots.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { pageLinks } from '../../http/wire/links.ts';
import { fromSlot, SlotList, slotsQuery, toSlotSearch } from './slots.wire.ts';

/** Free times. */
export function slotRoutes({ get }: Endpoints): void {
  get('/slots', {
    operationId: 'listSlots',
    beyondDocument: true,
    summary: 'List free times',
    description: 'By start, provider and office. Book one by `slot` in `POST /appointments`.',
    tag: 'Appointments',
    query: slotsQuery,
    response: SlotList,
    handle: async ({ prepared, caller, query, request }) => {
      const slots = await listSlots(prepared, caller, toSlotSearch(query), query);
      return { data: slots.items.map(fromSlot), links: pageLinks(request, slots), meta: null };
    },
  });
}
