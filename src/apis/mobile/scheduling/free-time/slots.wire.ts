import { z } from 'zod';
import type { Claim } from '../../../../domain/scheduling/booking/claims.ts';
import { HOLD_MINUTES } from '../../../../domain/scheduling/booking/claims.ts';
import { MODALITIES } from '../../../../domain/scheduling/free-time/opening-hours.ts';
import type { Slot, SlotSearch } from '../../../../domain/scheduling/free-time/slots.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { alsoNamed, filterNames, sameAs } from '../../../../http/input/query.ts';
import { dateBound, instant, integerBetween, localTime, longId, optional, paging } from '../../../../http/wire/wire-types.ts';
import { FILTER, ids, one, wrapList } from '../../shared.wire.ts';

export const SlotShape = z
  .strictObject({
    uuid: z.int().describe('Slot id: the same for this time, provider, office and type for a day, and while it is held'),
    provider_id: z.int(),
    office_id: z.int(),
    appointment_type_id: z.int().nullable(),
    starts_at: instant().describe('When it begins'),
    starts_at_local: localTime().describe('Local time of the office'),
    ends_at: instant().describe('When it ends'),
    timezone: z.string().describe('IANA time zone of the office'),
    duration_minutes: z.int(),
    modality: z.enum(MODALITIES).describe('How the visit takes place'),
    capacity: z.int().describe('Number of patients in one visit'),
    places_left: z.int().describe('Number of patients who can still be booked'),
  })
  .meta({ id: 'Slot' });

export const SlotList = wrapList(SlotShape).meta({ id: 'SlotList' });

export const slotsQuery = z.object({
  type: FILTER.type.describe('Appointment type id; without one, times of the usual length that take all types'),
  'provider[]': alsoNamed(ids(), ...filterNames('provider'), 'provider_ids').describe('Provider ids'),
  'office[]': alsoNamed(ids(), ...filterNames('office'), 'office_ids').describe('Office ids'),
  from: dateBound().optional().describe('A day or a date-time; now by default. Without an offset in the organization’s time zone'),
  until: alsoNamed(dateBound().optional(), 'to').describe('A whole day, or a date-time; a week after from by default, 31 days at most'),
  ...paging,
});

export const toSlotSearch = (query: z.output<typeof slotsQuery>): SlotSearch => ({
  typeId: query.type ?? null,
  providerIds: query['provider[]'] ?? null,
  officeIds: query['office[]'] ?? null,
  dates: { min: query.from, max: query.until, fields: { min: 'from', max: 'until' } },
});

export const fromSlot = (slot: Slot): z.input<typeof SlotShape> => ({
  uuid: slot.id,
  provider_id: slot.providerId,
  office_id: slot.officeId,
  appointment_type_id: slot.typeId,
  starts_at: slot.startsAt,
  starts_at_local: slot.localStart,
  ends_at: slot.endsAt,
  timezone: slot.timeZone,
  duration_minutes: slot.durationMinutes,
  modality: slot.modality,
  capacity: slot.capacity,
  places_left: slot.left,
});

export const HoldRequest = z
  .object({
    slot: longId().describe('Slot id'),
    slot_id: sameAs(longId().optional(), 'slot'),
    minutes: optional(integerBetween(1, HOLD_MINUTES.most)).describe(`Minutes of the hold; ${HOLD_MINUTES.usual} by default`),
  })
  .meta({ id: 'SlotHoldRequest' });

export const HoldShape = z
  .strictObject({
    uuid: z.int().describe('Hold id, by which you book the slot'),
    slot: z.int().describe('Slot id'),
    provider_id: z.int(),
    office_id: z.int(),
    appointment_type_id: z.int().nullable(),
    starts_at: instant().describe('When it begins'),
    ends_at: instant().describe('When it ends'),
    expires_at: instant().describe('When the hold expires'),
  })
  .meta({ id: 'SlotHold' });

export const HoldResponse = one(HoldShape).meta({ id: 'SlotHoldResponse' });
export const holdParams = z.object({ uuid: longId().describe('Hold id') });

export const fromHold = ({ id, slot, expiresAt }: Claim): z.input<typeof HoldShape> => ({
  uuid: id,
  slot: slot.id,
  provider_id: slot.providerId,
  office_id: slot.officeId,
  appointment_type_id: slot.typeId === 0 ? null : slot.typeId,
  starts_at: writeInstant(slot.startsAt),
  ends_at: writeInstant(slot.endsAt),
  expires_at: writeInstant(expiresAt ?? slot.startsAt),
});
