import { z } from 'zod';
import type { CallGroup } from '../../../../domain/messaging/calls/call-groups.ts';
import type { IncomingCall, IncomingCallFilter } from '../../../../domain/messaging/calls/incoming-calls.ts';
import { fullName } from '../../../../domain/values/person-names.ts';
import { readNorthAmericanPhone, writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { dateBound, id, instant, PATTERNS, paging } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { fromNumber, NumberShape } from '../numbers/numbers.wire.ts';

const MemberShape = z
  .strictObject({
    user_id: z.int(),
    ring_order: z.int().describe('The member with the lowest number is called first'),
    first_name: z.string(),
    last_name: z.string(),
    phone: z.string().nullable(),
    chat_status: z.string(),
    telehealth_availability: z.boolean(),
    text_alerts: z.boolean().describe('Whether the member also gets the group’s notifications by text'),
  })
  .meta({ id: 'CallGroupMember' });

const CallGroupShape = z
  .strictObject({
    uuid: z.int().describe('Chat id'),
    name: z.string(),
    members: z.array(MemberShape).describe('In the order in which they are called'),
    numbers: z.array(NumberShape).describe('Ids of the numbers that ring this group'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'CallGroup' });

export const CallGroupResponse = one(CallGroupShape).meta({ id: 'CallGroupResponse' });

const CallShape = z
  .strictObject({
    uuid: z.int(),
    from: z.string().describe('Ten digits for a North American number; a word or empty if it was withheld'),
    to: z.string(),
    status: z.string().describe('State at the carrier: ringing, in-progress, completed, no-answer, busy …'),
    start_time: instant(),
    end_time: instant().nullable(),
    duration_seconds: z.int().nullable(),
    number_id: z.int().describe('Id of the practice’s number that was called'),
    chat_id: z.int().nullable().describe('The call group that received the call, even if the number now rings another'),
    contact_uuid: z.int().nullable(),
    patient_uuid: z.int().nullable(),
    caller_name: z.string().nullable().describe('The patient who had the number at that time, otherwise the contact with that number'),
  })
  .meta({ id: 'IncomingCall' });

export const CallList = wrapList(CallShape).meta({ id: 'IncomingCallList' });

export const callGroupParams = z.object({ chat_id: id().describe('Chat id') });

export const callsQuery = z.object({
  number: z
    .string()
    .max(40)
    .transform((written, context) => {
      const read = readNorthAmericanPhone(written);
      if (read !== null) return read;
      context.addIssue('must be a North American telephone number of ten digits');
      return z.NEVER;
    })
    .meta({ minLength: 10, pattern: PATTERNS.phone })
    .optional()
    .describe('Ten digits of the caller’s or the practice’s number'),
  startTimeAfter: dateBound().optional().describe('ISO 8601; without an offset in the organization’s time zone'),
  startTimeBefore: dateBound().optional().describe('ISO 8601; a day counts to its end; without an offset in the organization’s time zone'),
  ...paging,
});

export const toCallFilter = ({ number, startTimeAfter: min, startTimeBefore: max }: z.output<typeof callsQuery>): IncomingCallFilter => ({
  number,
  started: { min, max, fields: { min: 'startTimeAfter', max: 'startTimeBefore' } },
});

export function fromCallGroup({ id: uuid, name, members, numbers, createdAt, updatedAt }: CallGroup): z.input<typeof CallGroupShape> {
  return {
    uuid,
    name,
    members: members.map(({ ringOrder, textAlerts, user }) => ({
      user_id: user.id,
      ring_order: ringOrder,
      first_name: user.firstName,
      last_name: user.lastName,
      phone: writePhone(user.phone),
      chat_status: user.chatStatus,
      telehealth_availability: user.telehealthAvailability,
      text_alerts: textAlerts,
    })),
    numbers: numbers.map(fromNumber),
    created_at: writeInstant(createdAt),
    updated_at: writeInstant(updatedAt),
  };
}

export function fromCall(call: IncomingCall): z.input<typeof CallShape> {
  return {
    uuid: call.id,
    from: writePhone(call.from_number) ?? call.from_number,
    to: writePhone(call.to_number) ?? call.to_number,
    status: call.status,
    start_time: call.started_at,
    end_time: call.ended_at,
    duration_seconds: call.duration_seconds,
    number_id: call.phone_number_id,
    chat_id: call.chat_id,
    contact_uuid: call.contact_id,
    patient_uuid: call.patient_id,
    caller_name: fullName({ firstName: call.first_name, lastName: call.last_name }),
  };
}
