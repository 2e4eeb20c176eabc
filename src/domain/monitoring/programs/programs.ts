import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import type { MonitoringService, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { PROGRAM, PROGRAM_COUNT, type ProgramOrder, type ProgramRow, programPage } from './programs.sql.ts';

/** A program with its steps. Instants are ISO 8601 texts in UTC. */
export type Program = ProgramRow;
export type { ProgramOrder };

/** The active programs of the organization. */
export async function listPrograms(
  prepared: Prepared,
  { organizationId }: Caller,
  sort: { order: ProgramOrder; descending: boolean },
  page: PageRequest,
): Promise<Page<Program>> {
  const values = [organizationId, page.limit, (page.page - 1) * page.limit];
  const [items, [counted]] = await Promise.all([
    prepared.rows(programPage(sort.order, sort.descending), values),
    prepared.rows(PROGRAM_COUNT, [organizationId]),
  ]);
  return { ...page, items, total: counted?.total ?? 0 };
}

/** A program, also an ended one, in which patients may still be enrolled. @throws Failure not_found */
export async function readProgram(prepared: Prepared, { organizationId }: Caller, id: number): Promise<Program> {
  const [program] = await prepared.rows(PROGRAM, [organizationId, id]);
  if (!program) throw notFound('program');
  return program;
}

const WITH_STEPS = {
  steps: { orderBy: { position: 'asc' } },
  members: { where: { removedAt: null }, orderBy: { userId: 'asc' }, select: { userId: true, textAlerts: true } },
} as const satisfies Prisma.ProgramInclude;
export type ProgramWithSteps = Prisma.ProgramGetPayload<{ include: typeof WITH_STEPS }>;

/** Remote physiologic monitoring, and remote therapeutic monitoring of each kind. */
export const MONITORING_SERVICES = [
  'rpm',
  'rtm_respiratory',
  'rtm_musculoskeletal',
  'rtm_cognitive_behavioral',
] as const satisfies MonitoringService[];

export interface NewProgram {
  name: string;
  description: string | null;
  /** As what it is billed. */
  service: MonitoringService;
  /** Names of the steps, in order. */
  steps: string[];
}

/**
 * Adds a program. Its steps cannot be changed afterwards, because enrolments refer to them.
 * @throws Failure conflict where an active program has the name (case and accents are ignored); invalid
 */
export async function addProgram(db: Db, caller: Caller, { name, description, service, steps }: NewProgram): Promise<ProgramWithSteps> {
  const { organizationId } = caller;
  if (steps.length === 0) throw invalid('step', 'must be given at least once', 'missing');
  if (new Set(steps.map((step) => step.toLowerCase())).size < steps.length) throw invalid('step', 'has a name twice', 'twice');
  const [existing] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM program WHERE organization_id = ${organizationId} AND active AND fold(name) = fold(${name})`;
  if (existing) throw conflict('program_exists', `Program ${existing.id} already has this name. End it first.`, 'name');
  const { id } = await db.program.create({ data: { organizationId, name, description, service }, select: { id: true } });
  await db.workflowStep.createMany({
    data: steps.map((step, index) => ({ organizationId, programId: id, position: index + 1, name: step })),
  });
  recordChange(caller, 'administer', { name: 'program.created', id });
  return findProgram(db, caller, id);
}

/** All programs of the practice with their steps, by id, including ended ones. */
export function listAllPrograms(db: Db, { organizationId }: CallerIdentity): Promise<ProgramWithSteps[]> {
  return db.program.findMany({ where: { organizationId }, include: WITH_STEPS, orderBy: { id: 'asc' } });
}

/** Ends a program: nobody can be enrolled any more. Present enrolments continue. @throws Failure not_found */
export async function endProgram(db: Db, caller: Caller, id: number): Promise<ProgramWithSteps> {
  const { organizationId } = caller;
  const { count } = await db.program.updateMany({ where: { organizationId, id, active: true }, data: { active: false } });
  if (count > 0) recordChange(caller, 'administer', { name: 'program.ended', id, changed: ['active'] });
  return findProgram(db, caller, id);
}

export async function findProgram(db: Db, { organizationId }: CallerIdentity, id: number): Promise<ProgramWithSteps> {
  const program = await db.program.findUnique({ where: { organizationId_id: { organizationId, id } }, include: WITH_STEPS });
  if (!program) throw notFound('program');
  return program;
}

/** Removes a program to which nothing refers. */
export async function removeProgram(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.program.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'program.removed', id });
}
