import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
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
export async function changeProgram(tx: Tx, id: number, settings: ProgramSettings): Promise<ProgramWithSteps> {
  const before = await findProgram(tx, id);
  const data = changesTo(before, settings);
  const changed = Object.keys(data);
  if (changed.length === 0) return before;
  await tx.prisma.program.update({ where: tx.key(id), data, select: { id: true } });
  recordChange(tx, 'administer', { name: 'program.changed', id, changed });
  return findProgram(tx, id);
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
export async function addProgramMember(tx: Tx, programId: number, { userId, textAlerts }: NewMember): Promise<ProgramWithSteps> {
  const { organizationId } = tx;
  const before = await findProgram(tx, programId);
  const where = { organizationId, id: userId, active: true, type: { not: 'interface' } } as const;
  const user = await tx.prisma.user.findFirst({ where, select: { phone: true } });
  if (!user) throw notFound('user', 'userId');
  if (textAlerts && user.phone === null) throw conflict('no_telephone_number', 'The user has no telephone number that can receive texts.');
  if (before.members.some((member) => member.userId === userId && member.textAlerts === textAlerts)) return before;
  await tx.prisma.$executeRaw`
    INSERT INTO program_member (organization_id, program_id, user_id, text_alerts)
    VALUES (${organizationId}, ${programId}, ${userId}, ${textAlerts})
        ON CONFLICT (organization_id, program_id, user_id) WHERE removed_at IS NULL DO UPDATE SET text_alerts = excluded.text_alerts`;
  recordChange(tx, 'administer', { name: 'program.changed', id: programId, changed: ['members'] });
  return findProgram(tx, programId);
}

/**
 * Takes a user off the care team of a program. Visits of the time before go on counting.
 * @throws Failure not_found for the program, and for a user who is not on its care team
 */
export async function removeProgramMember(tx: Tx, programId: number, userId: number): Promise<ProgramWithSteps> {
  await findProgram(tx, programId);
  const where = { ...tx.practice, programId, userId, removedAt: null };
  const { count } = await tx.prisma.programMember.updateMany({ where, data: { removedAt: new Date() } });
  if (count === 0) throw notFound('member', 'userId');
  recordChange(tx, 'administer', { name: 'program.changed', id: programId, changed: ['members'] });
  return findProgram(tx, programId);
}
