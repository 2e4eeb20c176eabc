import type { Db } from '../../database/database.ts';
import { operator } from '../../domain/caller.ts';
import { countAppointmentsToCome, providerOfUser } from '../../domain/scheduling/hours/reassign.ts';
import { inPractice } from '../../domain/tx.ts';
import type { FilePlan } from '../../practice-file/apply.ts';
import { UsageError } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';

interface Planned {
  organizationId: number | null;
  plan: FilePlan;
}

/** A line about the upcoming visits of each user and provider whom a plan makes inactive, and at each office that it closes. */
export async function writeAppointmentsLeft(db: Db, { organizationId, plan: { steps } }: Planned): Promise<string[]> {
  if (organizationId === null) return [];
  const caller = operator(organizationId, 'admin apply');
  const lines: string[] = [];
  for (const { kind, action, id, name, changes } of steps) {
    const ends = action === 'change' && changes.some(({ field, after }) => field === 'active' && after === false);
    if (!ends || id === null || !['users', 'providers', 'offices'].includes(kind)) continue;
    const providerId = kind === 'users' ? await providerOfUser(inPractice(db, caller.organizationId), id) : id;
    if (providerId === null) continue;
    const whose = kind === 'offices' ? { providerId: null, officeId: id } : { providerId, officeId: null };
    const count = await countAppointmentsToCome(inPractice(db, caller.organizationId), whose);
    if (count > 0) lines.push(`  ! ${name} has ${count} upcoming visits. \`npm run admin -- visits reassign\` moves them.`);
  }
  return lines;
}

/** @throws UsageError where nobody can be asked, or the answer is another than yes */
export async function confirm(io: Io): Promise<void> {
  if (!io.isTerminal) throw new UsageError('Nothing was changed. Add --yes to apply this plan, or --plan to print it only.');
  io.stderr('Apply this plan? Type yes: ');
  for await (const chunk of io.stdin) {
    if (/^y(es)?\s*$/i.test(String(chunk))) return;
    break;
  }
  throw new UsageError('Nothing was changed.');
}
