import { conflict, invalid, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { writeInstant } from '../../values/time/time.ts';
import type { AppointmentInput } from './appointment-input.ts';
import { type Claim, type Claimant, type Occupant, takeHold, takeSlot } from './claims.ts';

/** A slot that an appointment is booked in, or moves to: by its id, or by a hold that the caller has on it. */
export interface SlotChoice {
  slotId?: number | null | undefined;
  holdId?: number | null | undefined;
}

/**
 * Claims the slot that an input names.
 * @returns null where it names none
 * @throws Failure as holdSlot; invalid for a slot and a hold; conflict for a hold that was booked for somebody else
 */
export async function takeChosenSlot(
  tx: Tx,
  { slotId, holdId }: SlotChoice,
  occupant: Occupant,
  claimant?: Claimant,
): Promise<Claim | null> {
  if (typeof slotId === 'number' && typeof holdId === 'number')
    throw invalid('holdId', 'cannot be combined with slot, since a hold has its slot', 'contradiction');
  if (typeof slotId === 'number') return takeSlot(tx, slotId, occupant, claimant);
  if (typeof holdId !== 'number') return null;
  const claim = await takeHold(tx, holdId, claimant);
  const { appointmentId, patientId } = claim;
  if (appointmentId !== null && appointmentId !== occupant.appointmentId && patientId !== (occupant.patientId ?? null))
    throw conflict('hold_booked', 'The hold was booked for another appointment.', 'holdId');
  return claim;
}

/** An input with the time, the place and the kind of its slot. @throws Failure invalid for fields that say otherwise */
export function inSlot<I extends AppointmentInput>(input: I, { slot }: Claim): I {
  const { providerId, officeId, typeId, startsAt, endsAt } = slot;
  const wrong = new WrongFields();
  for (const field of ['date', 'durationMinutes'] as const)
    if (input[field] != null) wrong.add(invalid(field, 'cannot be combined with a slot, which sets it', 'contradiction'));
  for (const [field, own] of [
    ['providerId', providerId],
    ['officeId', officeId],
    ['typeId', typeId],
  ] as const)
    if (input[field] != null && input[field] !== own && own !== 0)
      wrong.add(invalid(field, `must be that of the slot, ${own}, or omitted`, 'contradiction'));
  wrong.throwIfAny();
  const durationMinutes = (endsAt.getTime() - startsAt.getTime()) / 60_000;
  return { ...input, date: writeInstant(startsAt), providerId, officeId, durationMinutes, ...(typeId === 0 ? {} : { typeId }) };
}
