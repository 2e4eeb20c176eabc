import { NONE } from '../../../database/statements/no-id.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import type { AppointmentStatus } from '../../values/appointment-status.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { type Moment, momentAt, readMoment, writeInstant } from '../../values/time/time.ts';
import { isSameZone } from '../../values/time/time-zones.ts';
import { lockAppointment } from '../appointment/appointment-lock.ts';
import { showBooked } from '../appointment/appointment-reader.ts';
import { changesWith, recordStatus, statusSince, takesTimeAgain } from '../appointment/appointment-statuses.ts';
import type { Appointment } from '../appointment/appointment-view.ts';
import {
  ADD_PARTICIPANTS,
  bookedValues,
  FORGET_REMINDERS,
  KEEP_PARTICIPANTS,
  type StoredAppointment,
  UPDATE_APPOINTMENT,
} from '../appointment/booking.sql.ts';
import type { ChangeContext } from '../appointment/booking-context.sql.ts';
import { recordConfirmation } from '../appointment/confirmation.ts';
import {
  type AppointmentInput,
  checkReferences,
  chooseZone,
  defaultOffice,
  holdType,
  inactiveProvider,
  inactiveType,
  otherOffice,
  placesElsewhere,
  readChangeContext,
  requireAlive,
  showsPatient,
  timesFrom,
} from './appointment-input.ts';
import { warnOfAppointment, warnOfNotice } from './appointment-warnings.ts';
import { holdCalendars, listCharts, requireFree } from './booking.ts';
import { requireNotCancelled } from './cancellation.ts';
import { bookClaim, type Claim, type Claimant } from './claims.ts';
import { bookingAfter, cancelledAfter, confirmationAfter, textsAfter, undatedAfter } from './following-columns.ts';
import { choosesProvider, participantsAfter, providerAfter } from './participants.ts';
import { inSlot, takeChosenSlot } from './slot-choice.ts';

/**
 * Changes the fields that differ; without any, nothing is written. An appointment that moves, or gets another patient, has
 * to be confirmed again.
 * @param by who has the hold, or takes the slot; the caller unless given
 * @throws Failure as scheduleAppointment, and not_found for another organization's or a cancelled appointment
 */
export async function changeAppointment(tx: Tx, id: number, input: AppointmentInput, by?: Claimant): Promise<Appointment> {
  // The new time is taken before the old one is left.
  const claim = await takeChosenSlot(tx, input, { appointmentId: id }, by);
  if (claim && claim.appointmentId !== null && claim.appointmentId !== id) throw conflict('slot_taken', 'The slot is taken.', 'slotId');
  const given = claim ? inSlot(input, claim) : input;
  const [before, context] = await Promise.all([lockAppointment(tx, id), readChangeContext(tx, id, given)]);
  requireNotCancelled(before);
  if (claim) bookClaim(tx, claim, id);
  return changeLocked(tx, { before, context, claim }, given);
}

/**
 * The same for an appointment that was locked before its context was read, and is not cancelled.
 * @param insteadOf the patient's appointment that is cancelled once this one is theirs
 */
export async function changeLocked(
  tx: Tx,
  { before, context, claim = null, insteadOf }: Locked & { claim?: Claim | null; insteadOf?: number },
  input: AppointmentInput,
): Promise<Appointment> {
  const { id } = before;
  const given = keepWithheldPatient(tx, input, { before, context });
  const { columns, users, office } = await columnsAfter(tx, given, { before, context });
  const fields = changesTo(before, columns);
  const moved = fields.startsAt !== undefined;
  const { status } = fields;
  const statusChanges = status === undefined ? before.statusChanges : changesWith(tx, before, status, input.reason);
  const confirmation = confirmationAfter(input, before, moved || fields.patientId !== undefined);
  const changes = {
    ...fields,
    ...changesTo(before, { ...confirmation, ...textsAfter(fields), ...undatedAfter(fields), ...cancelledAfter(fields) }),
  };
  const added = users.filter((one) => !context.participants.includes(one));
  const haveLeft = context.participants.some((one) => !users.includes(one));
  const changed = [...Object.keys(changes), ...(haveLeft || added.length > 0 ? ['users'] : [])];
  const shown = { createdAt: writeInstant(before.createdAt), updatedAt: writeInstant(before.updatedAt) };
  if (changed.length === 0) {
    recordRead(tx, 'appointment', [id]);
    return showBooked(tx, { ...before, ...shown }, users, { ...context, office });
  }
  const booked = { ...before, ...changes, ...bookingAfter(tx, fields), ...(moved && { rescheduledAt: new Date() }), statusChanges };
  const rebooked = moved || fields.endsAt !== undefined || status !== undefined;
  if (takesTimeAgain(before, status)) await requireFree(tx, { ...before, users }, 'status', statusSince(before));
  const [busy, field] = rebooked ? [users, 'date'] : [added, input.userIds ? 'userIds' : 'providerId'];
  if (context.refusesDoubleBooking) await holdCalendars(tx, booked, { users: busy, field, claim });
  storeChange(tx, booked, { users, added, haveLeft, isOthers: fields.patientId !== undefined });
  recordChanges(tx, { before, context }, { changed, moved, patientId: fields.patientId, asked: input.notify ?? null });
  recordConfirmation(tx, id, confirmation.confirmation);
  if (status !== undefined) recordStatus(tx, id, statusChanges);
  const isElsewhere = fields.patientId !== undefined || fields.providerId !== undefined || fields.officeId !== undefined;
  await Promise.all([
    rebooked || isElsewhere ? warnOfAppointment(tx, [id, insteadOf ?? NONE], booked, office) : undefined,
    moved ? warnOfNotice(tx, input.notify, booked.patientId) : undefined,
  ]);
  return showBooked(tx, { ...booked, ...shown, updatedAt: context.now }, users, { ...context, office });
}

interface People {
  users: number[];
  added: number[];
  haveLeft: boolean;
  /** It has another patient. */
  isOthers: boolean;
}

function storeChange(tx: Tx, booked: StoredAppointment, { users, added, haveLeft, isOthers }: People): void {
  const { id } = booked;
  // Those who leave first, since they may be in the way of others.
  if (haveLeft) tx.later(KEEP_PARTICIPANTS, [id, users]);
  tx.later(UPDATE_APPOINTMENT, [id, ...bookedValues(booked)]);
  if (added.length > 0) tx.later(ADD_PARTICIPANTS, [id, added]);
  // The new patient is reminded, though the former one was.
  if (isOthers) tx.later(FORGET_REMINDERS, [id]);
}

interface Changed {
  changed: string[];
  moved: boolean;
  patientId: number | null | undefined;
  asked: VisitChangeNotice | null;
}

function recordChanges(caller: Caller, { before, context }: Locked, { changed, moved, patientId, asked }: Changed): void {
  const { textsWait, mayBeAwaited, changeNotice: usual, ruled } = context;
  const isOther = (field: 'providerId' | 'officeId') => changed.includes(field) && before[field] !== null;
  const reassigned = isOther('providerId') || isOther('officeId');
  const notice = { asked, usual, ruled, reassigned, patientId: before.patientId, startedAt: before.startsAt };
  const name = moved ? 'appointment.moved' : 'appointment.changed';
  const event = { name, id: before.id, changed, textsWait, mayBeAwaited, notice } as const;
  recordChange(caller, 'update', event, listCharts(before.patientId, patientId));
}

/** The appointment before a change, and the records that it is to refer to. */
interface Locked {
  before: StoredAppointment;
  context: ChangeContext;
}

/**
 * The input for an appointment whose patient a response withholds, which shows null instead: a deleted chart, or a restricted one from
 * a caller who may not see it. That null may be sent back and clears nothing. Any other input is returned as it is.
 */
function keepWithheldPatient(caller: Caller, input: AppointmentInput, { before, context }: Locked): AppointmentInput {
  if (input.patientId !== null || before.patientId === null || showsPatient(caller, before.patientId, context)) return input;
  return { ...input, patientId: undefined };
}

/** Columns and participants after a change. @throws Failure as newAppointment */
async function columnsAfter(tx: Tx, input: AppointmentInput, { before, context }: Locked) {
  const wrong = new WrongFields();
  checkReferences(tx, input, context, wrong);
  checkChoices(input, before, context, wrong);
  const { patientId, typeId, locationId, waitingRoomId, showOnTasks, status } = input;
  const keepsType = typeId === undefined || (typeId === before.typeId && context.type?.owner === before.typeOrganizationId);
  const keepsZone = input.timeZone === undefined && !isChanged('officeId', input, before);
  const timeZone = keepsZone ? before.timeZone : chooseZone(input, context, wrong);
  const keptMinutes = keepsType && input.durationMinutes === undefined ? before.durationMinutes : null;
  const durationMinutes = input.durationMinutes ?? keptMinutes ?? context.type?.durationMinutes ?? context.defaultMinutes;
  const start = wrong.checkNow(() => startAfter(input, before, timeZone));
  const users = wrong.checkNow(() => participantsAfter(input, before, context));
  wrong.throwIfAny();
  if (start === undefined || users === undefined) throw new RangeError('a wrong field was not reported');
  if (context.type?.active === false && typeId && !keepsType) throw inactiveType();
  const patient = patientId === undefined ? before.patientId : patientId;
  requireAliveAt(start, { patientId: patient, status }, tx, { before, context });
  await holdType(tx, input, context);
  const providerId = providerAfter(input, before, users, context);
  const isDefault = input.officeId === null;
  const office = isDefault ? await defaultOffice(tx, context, { providerId, patientId: patient }) : context.office;
  const typeOrganizationId = typeId === undefined ? undefined : (context.type?.owner ?? null);
  const columns = {
    patientId,
    typeId,
    typeOrganizationId,
    officeId: isDefault ? (office?.id ?? null) : input.officeId,
    locationId,
    waitingRoomId,
    providerId,
    showOnTasks,
    status,
    ...timesFrom(start, durationMinutes),
    timeZone,
    durationMinutes,
  };
  return { columns, users, office };
}

/** The patient of an appointment after a change, and a status that the change sets. */
interface AfterChange {
  patientId: number | null;
  status: AppointmentStatus | undefined;
}

/** @throws Failure conflict where a patient who has died gets the appointment, it moves, or it is restored; and for a deleted chart */
function requireAliveAt(start: Moment | null, { patientId, status }: AfterChange, caller: Caller, { before, context }: Locked): void {
  const isMove = start !== null && start.instant.getTime() !== before.startsAt?.getTime();
  const isBack = takesTimeAgain(before, status);
  if (patientId === null || (patientId === before.patientId && !isMove && !isBack)) return;
  if (isBack && context.patient.patientStatus === null)
    throw conflict('patient_deleted', 'The visit cannot be restored: the patient’s chart was deleted.', 'status');
  if (showsPatient(caller, patientId, context)) requireAlive(start, context);
}

type Place = 'officeId' | 'locationId' | 'waitingRoomId';
const isChanged = (field: Place, input: AppointmentInput, before: StoredAppointment): boolean =>
  input[field] !== undefined && input[field] !== before[field];

/** Adds the references that exist but cannot be chosen. What the appointment has already may stay. */
function checkChoices(input: AppointmentInput, before: StoredAppointment, context: ChangeContext, wrong: WrongFields): void {
  if (context.provider?.active === false && choosesProvider(input, before)) wrong.add(inactiveProvider());
  for (const field of placesElsewhere(context))
    if (isChanged('officeId', input, before) || isChanged(field, input, before)) wrong.add(otherOffice(field));
}

/** The date of the input, else the stored instant: a new zone changes its wall clock alone. */
function startAfter({ date }: AppointmentInput, before: StoredAppointment, timeZone: string): Moment | null {
  if (date === null) return null;
  const { startsAt: instant, localStart: local } = before;
  const stored = instant === null || local === null ? null : { instant, local, timeZone: before.timeZone };
  if (date !== undefined) return readMoment(date, timeZone, 'date', stored);
  return stored === null || isSameZone(stored.timeZone, timeZone) ? stored : momentAt(stored.instant, timeZone);
}
