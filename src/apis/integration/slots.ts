import { HOLD_MINUTES, holdSlot } from '../../domain/scheduling/booking/claims.ts';
import { listSlots } from '../../domain/scheduling/free-time/slots.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { pageLinks } from '../../http/wire/links.ts';
import { fromHold, fromSlot, HoldRequest, HoldResponse, SlotList, slotsQuery, toSlotSearch } from './slots.wire.ts';

export function slotRoutes(endpoints: Endpoints): void {
  const { get, post } = endpoints.group({ tag: 'Appointments', beyondDocument: true });
  get('/slots', {
    operationId: 'listSlots',
    summary: 'List free times',
    description: 'Sorted by start, provider and office. To book one, send `slot` or, if you hold it, `hold` to `POST /appointments`.',
    query: slotsQuery,
    response: SlotList,
    handle: async ({ tx, query, request }) => {
      const slots = await listSlots(tx, toSlotSearch(query), query);
      return { data: slots.items.map(fromSlot), links: pageLinks(request, slots), meta: null };
    },
  });

  post('/slots/hold', {
    operationId: 'holdSlot',
    summary: 'Hold a free time',
    description: 'Nobody else can hold or book it until the hold expires. Hold it again to extend the hold from now.',
    body: HoldRequest,
    response: HoldResponse,
    handle: async ({ tx, body }) => fromHold(await holdSlot(tx, body.slot, body.minutes ?? HOLD_MINUTES.usual)),
  });
}
