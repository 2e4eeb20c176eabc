import { AGENT_SCOPES } from '../../../../domain/identity/clients/client-scopes.ts';
import { HOLD_MINUTES, holdSlot, releaseHold } from '../../../../domain/scheduling/free-time/claims.ts';
import { listSlots } from '../../../../domain/scheduling/free-time/slots.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { NoContent, writePage } from '../../shared.wire.ts';
import { fromHold, fromSlot, HoldRequest, HoldResponse, holdParams, SlotList, slotsQuery, toSlotSearch } from './slots.wire.ts';

const SLOTS = { tag: 'Slots', beyondDocument: true } as const;

export function slotRoutes({ get, post, delete: remove }: Endpoints): void {
  get('/slots', {
    ...SLOTS,
    operationId: 'listSlots',
    scope: AGENT_SCOPES.read,
    summary: 'List free times',
    description: 'Sorted by start, provider and office. To book one, send `slot` or, if you hold it, `hold` to `POST /appointments`.',
    query: slotsQuery,
    response: SlotList,
    handle: async ({ prepared, caller, query, request }) =>
      writePage(request, await listSlots(prepared, caller, toSlotSearch(query), query), fromSlot),
  });

  post('/slots/hold', {
    ...SLOTS,
    operationId: 'holdSlot',
    scope: AGENT_SCOPES.write,
    summary: 'Hold a free time',
    description: 'Nobody else can hold or book it until the hold ends. Hold it again to extend the hold from now; it keeps its id.',
    body: HoldRequest,
    response: HoldResponse,
    status: 201,
    handle: async ({ db, caller, body }) => ({
      data: fromHold(await holdSlot(db, caller, body.slot, body.minutes ?? HOLD_MINUTES.usual)),
    }),
  });

  remove('/slots/hold/:uuid', {
    ...SLOTS,
    operationId: 'releaseHold',
    summary: 'Release a hold early',
    description: 'You can release your own holds.',
    params: holdParams,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, params }) => {
      await releaseHold(db, caller, params.uuid);
      return null;
    },
  });
}
