import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { findProgram, type ProgramWithSteps } from './programs.ts';

/** A setting that is left out stays as it is. */
export interface ProgramSettings {
  /** Minutes until the next people are notified of an alert that nobody has acknowledged. */
  alertEscalationMinutes?: number | undefined;
  /** Hours after which a check-in without an answer alerts; null never. */
  missedCheckInHours?: number | null | undefined;
}

/** @throws Failure not_found */
export async function changeProgram(db: Db, caller: Caller, id: number, settings: ProgramSettings): Promise<ProgramWithSteps> {
  const { organizationId } = caller;
  const before = await findProgram(db, caller, id);
  const data = changesTo(before, settings);
  const changed = Object.keys(data);
  if (changed.length === 0) return before;
  await db.program.update({ where: { organizationId_id: { organizationId, id } }, data, select: { id: true } });
  recordChange(caller, 'administer', { name: 'program.changed', id, changed });
  return findProgram(db, caller, id);
}

export interface NewMember {
  userId: number;
  /** Whether they are texted too when they are notified of an alert. */
  textAlerts: boolean;
}

/**
 * Puts a user on the care team of a program; one who is on it already gets the setting of texts.
 * @throws Failure not_found; conflict where texts are to go to a user without a telephone number
 */
export async function addProgramMember(
  db: Db,
  caller: Caller,
  programId: number,
  { userId, textAlerts }: NewMember,
): Promise<ProgramWithSteps> {
  const { organizationId } = caller;
  const before = await findProgram(db, caller, programId);
  const where = { organizationId, id: userId, active: true, type: { not: 'interface' } } as const;
  const user = await db.user.findFirst({ where, select: { phone: true } });
  if (!user) throw notFound('user', 'userId');
  if (textAlerts && user.phone === null) throw conflict('no_telephone_number', 'The user has no telephone number that can receive texts.');
  if (before.members.some((member) => member.userId === userId && member.textAlerts === textAlerts)) return before;
  await db.$executeRaw`
    INSERT INTO program_member (organization_id, program_id, user_id, text_alerts)
    VALUES (${organizationId}, ${programId}, ${userId}, ${textAlerts})
        ON CONFLICT (organization_id, program_id, user_id) WHERE removed_at IS NULL DO UPDATE SET text_alerts = excluded.text_alerts`;
  recordChange(caller, 'administer', { name: 'program.changed', id: programId, changed: ['members'] });
  return findProgram(db, caller, programId);
}

/**
 * Takes a user off the care team of a program. Visits of the time before go on counting.
 * @throws Failure not_found for the program, and for a user who is not on its care team
 */
export async function removeProgramMember(db: Db, caller: Caller, programId: number, userId: number): Promise<ProgramWithSteps> {
  await findProgram(db, caller, programId);
  const where = { organizationId: caller.organizationId, programId, userId, removedAt: null };
  const { count } = await db.programMember.updateMany({ where, data: { removedAt: new Date() } });
  if (count === 0) throw notFound('member', 'userId');
  recordChange(caller, 'administer', { name: 'program.changed', id: programId, changed: ['members'] });
  return findProgram(db, caller, programId);
}
