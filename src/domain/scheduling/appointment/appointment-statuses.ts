import { statement } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import { conflict } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { APPOINTMENT_STATUSES, type AppointmentStatus, isActiveAppointment, OPEN_STATUSES } from '../../values/appointment-status.ts';
import { writeInstant } from '../../values/time/time.ts';

type After = Readonly<Record<AppointmentStatus, readonly AppointmentStatus[]>>;

/** The statuses that may follow each, at any time. An open visit may skip some, and go back where somebody pressed the wrong button. */
const FOLLOWING: After = {
  scheduled: APPOINTMENT_STATUSES,
  arrived: APPOINTMENT_STATUSES,
  roomed: APPOINTMENT_STATUSES,
  in_progress: APPOINTMENT_STATUSES,
  checked_out: ['completed'],
  completed: [],
  no_show: ['cancelled'],
  cancelled: [],
};

/** The statuses that a visit may be restored to, for RESTORABLE_HOURS. */
const RESTORED: After = {
  scheduled: [],
  arrived: [],
  roomed: [],
  in_progress: [],
  checked_out: OPEN_STATUSES,
  completed: [...OPEN_STATUSES, 'checked_out'],
  no_show: OPEN_STATUSES,
  cancelled: OPEN_STATUSES,
};

const RESTORABLE_HOURS = 24;

/** The event of each status that is reached, beside that of the change. A visit that is restored has `appointment.restored` instead. */
const EVENTS_OF_STATUS = {
  scheduled: null,
  arrived: 'appointment.arrived',
  roomed: 'appointment.roomed',
  in_progress: 'appointment.in_progress',
  checked_out: 'appointment.checked_out',
  completed: 'appointment.completed',
  no_show: 'appointment.no_show',
  cancelled: null,
} as const satisfies Record<AppointmentStatus, string | null>;

/** Values: organization, appointment, changes of the status as JSON. */
const KEEP_STATUS_CHANGES = statement<never>(
  'keep_status_changes',
  'UPDATE appointment SET status_changes = $3::jsonb WHERE organization_id = $1 AND id = $2',
);

/** A change of a visit's status, as it is stored with the visit. */
export interface StatusChange {
  from: AppointmentStatus;
  to: AppointmentStatus;
  /** An instant such as `2026-03-08T14:30:00.123Z`. */
  at: string;
  /** The kind of actor: user, client, patient, operator, job. */
  by: string;
  userId: number | null;
  reason: string | null;
}

/** Earlier changes of a visit beyond these are dropped: no visit has them but by a mistake of a program. */
const MOST_CHANGES = 100;

interface WithStatus {
  status: AppointmentStatus;
  statusChanges: StatusChange[];
  updatedAt: Date | string;
}

/** The changes of a visit's status with one more. @throws Failure conflict where the status cannot follow, naming what can */
export function changesWith(caller: Caller, visit: WithStatus, to: AppointmentStatus, reason: string | null = null): StatusChange[] {
  const { status: from, statusChanges } = visit;
  requireFollowing(visit, to);
  const by = caller.actor.split(':')[0] ?? caller.actor;
  return [...statusChanges, { from, to, at: new Date().toISOString(), by, userId: caller.userId, reason }].slice(-MOST_CHANGES);
}

/** When a visit got its status; one that came in with it, when it changed last. */
export const statusSince = ({ statusChanges, updatedAt }: WithStatus): Date => new Date(statusChanges.at(-1)?.at ?? updatedAt);

/** The statuses that a visit may get now, also those to which it may still be restored. */
export function findNextStatuses(visit: WithStatus): AppointmentStatus[] {
  const { status } = visit;
  const isFresh = Date.now() - statusSince(visit).getTime() < RESTORABLE_HOURS * 3_600_000;
  return [...FOLLOWING[status], ...(isFresh ? RESTORED[status] : [])];
}

function requireFollowing(visit: WithStatus, to: AppointmentStatus): void {
  const { status } = visit;
  if (findNextStatuses(visit).includes(to)) return;
  const since = statusSince(visit);
  const restorable = RESTORED[status].includes(to);
  const hint = restorable
    ? `it could be restored for ${RESTORABLE_HOURS} hours after ${writeInstant(since)}`
    : `from there it can become ${[...FOLLOWING[status], ...RESTORED[status]].join(', ')}`;
  throw conflict(restorable ? 'restore_too_late' : 'status_not_following', `The appointment is ${status}: ${hint}.`, 'status');
}

/** When a visit came to one of these statuses from another; null for one that did not. */
export const findReachedAt = (changes: readonly StatusChange[], statuses: readonly AppointmentStatus[]): string | null =>
  changes.findLast(({ from, to }) => statuses.includes(to) && !statuses.includes(from))?.at ?? null;

/** Whether a visit takes its time again that it had left. */
export const takesTimeAgain = (before: Pick<WithStatus, 'status'>, status: AppointmentStatus | undefined): boolean =>
  status !== undefined && isActiveAppointment(status) && !isActiveAppointment(before.status);

/** Keeps the changes of a visit's status, and tells of the last: it has an event of its own beside the one of the change. */
export function recordStatus(tx: Tx, id: number, changes: readonly StatusChange[]): void {
  tx.later(KEEP_STATUS_CHANGES, [id, JSON.stringify(changes)]);
  const last = changes.at(-1);
  const name = last === undefined ? null : RESTORED[last.from].includes(last.to) ? 'appointment.restored' : EVENTS_OF_STATUS[last.to];
  if (name !== null) tx.journal.events.push({ name, id, changed: ['status'] });
}
