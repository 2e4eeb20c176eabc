import { z } from 'zod';
import { type Claim, HOLD_MINUTES } from '../../domain/scheduling/booking/claims.ts';
import { MODALITIES } from '../../domain/scheduling/free-time/opening-hours.ts';
import type { Slot, SlotSearch } from '../../domain/scheduling/free-time/slots.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../http/input/query.ts';
import { dateBound, id, instant, integerBetween, localTime, longId, optional, paging } from '../../http/wire/wire-types.ts';
import { Links, listMeta } from './appointment-types.wire.ts';

const SlotShape = z
  .strictObject({
    uuid: z.int().describe('Slot id; stable for a day, and while the slot is held, for the same time, provider, office and type'),
    appointment_date: localTime().describe('Local time in appointment_timezone, such as 2026-03-09T09:30:00'),
    appointment_date_utc: instant().describe('The same instant in UTC'),
    appointment_timezone: z.string().describe('IANA time zone of the office'),
    duration_minutes: z.int().describe('Length in minutes'),
    provider_id: z.int().describe('Provider id'),
    office_id: z.int().describe('Office id'),
    appointment_type_id: z.int().nullable().describe('Appointment type id; null for a search without one'),
    modality: z.enum(MODALITIES).describe('How the visit takes place'),
    places_left: z.int().describe('Number of patients who can still be booked'),
  })
  .meta({ id: 'Slot' });

export const SlotList = z
  .strictObject({ data: z.array(SlotShape).describe('The free times of this page'), links: Links, meta: listMeta })
  .meta({ id: 'GetSlotsResponse' });

export const slotsQuery = z.object({
  appointment_type_id: optional(id()).describe('Appointment type id; by default, times of the default length that accept all types'),
  provider: alsoNamed(optional(id()), ...filterNames('provider')).describe('Provider id'),
  office: alsoNamed(optional(id()), ...filterNames('office')).describe('Office id'),
  from: dateBound()
    .optional()
    .describe('Start of the search: a day or a date-time; now by default. Without an offset, in the organization’s time zone'),
  to: alsoNamed(dateBound().optional(), 'until').describe(
    'End of the search: a whole day, or a date-time; by default a week after from, at most 31 days',
  ),
  ...paging,
});

export const toSlotSearch = ({ appointment_type_id, provider, office, from, to }: z.output<typeof slotsQuery>): SlotSearch => ({
  typeId: appointment_type_id ?? null,
  providerIds: provider == null ? null : [provider],
  officeIds: office == null ? null : [office],
  dates: { min: from, max: to, fields: { min: 'from', max: 'to' } },
});

export const fromSlot = (slot: Slot): z.input<typeof SlotShape> => ({
  uuid: slot.id,
  appointment_date: slot.localStart,
  appointment_date_utc: slot.startsAt,
  appointment_timezone: slot.timeZone,
  duration_minutes: slot.durationMinutes,
  provider_id: slot.providerId,
  office_id: slot.officeId,
  appointment_type_id: slot.typeId,
  modality: slot.modality,
  places_left: slot.left,
});

export const HoldRequest = z
  .object({
    slot: longId().describe('Slot id'),
    minutes: optional(integerBetween(1, HOLD_MINUTES.most)).describe(`Length of the hold in minutes; ${HOLD_MINUTES.usual} by default`),
  })
  .meta({ id: 'SlotHoldRequest' });

export const HoldResponse = z
  .strictObject({
    data: z
      .strictObject({
        uuid: z.int().describe('Hold id, for booking the slot'),
        slot: z.int().describe('Slot id'),
        expires_at: instant().describe('When the hold expires'),
      })
      .meta({ id: 'SlotHold' }),
  })
  .meta({ id: 'SlotHoldResponse' });

export const fromHold = ({ id: uuid, slot, expiresAt }: Claim) => ({
  data: { uuid, slot: slot.id, expires_at: writeInstant(expiresAt ?? slot.startsAt) },
});
