import type { MonitoringService, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { PROGRAM, PROGRAM_COUNT, type ProgramOrder, type ProgramRow, programPage } from './programs.sql.ts';

/** A program with its steps. Instants are ISO 8601 texts in UTC. */
export type Program = ProgramRow;
export type { ProgramOrder };

/** The active programs of the organization. */
export async function listPrograms(tx: Tx, sort: { order: ProgramOrder; descending: boolean }, page: PageRequest): Promise<Page<Program>> {
  const values = [page.limit, (page.page - 1) * page.limit];
  const [items, [counted]] = await Promise.all([tx.rows(programPage(sort.order, sort.descending), values), tx.rows(PROGRAM_COUNT)]);
  return { ...page, items, total: counted?.total ?? 0 };
}

/** A program, also an ended one, in which patients may still be enrolled. @throws Failure not_found */
export async function readProgram(tx: Tx, id: number): Promise<Program> {
  const [program] = await tx.rows(PROGRAM, [id]);
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
export async function addProgram(tx: Tx, { name, description, service, steps }: NewProgram): Promise<ProgramWithSteps> {
  const { organizationId } = tx;
  if (steps.length === 0) throw invalid('step', 'must be given at least once', 'missing');
  if (new Set(steps.map((step) => step.toLowerCase())).size < steps.length) throw invalid('step', 'has a name twice', 'twice');
  const [existing] = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT id FROM program WHERE organization_id = ${organizationId} AND active AND fold(name) = fold(${name})`;
  if (existing) throw conflict('program_exists', `Program ${existing.id} already has this name. End it first.`, 'name');
  const { id } = await tx.prisma.program.create({ data: { organizationId, name, description, service }, select: { id: true } });
  await tx.prisma.workflowStep.createMany({
    data: steps.map((step, index) => ({ organizationId, programId: id, position: index + 1, name: step })),
  });
  recordChange(tx, 'administer', { name: 'program.created', id });
  return findProgram(tx, id);
}

/** All programs of the practice with their steps, by id, including ended ones. */
export function listAllPrograms(tx: PracticeTx): Promise<ProgramWithSteps[]> {
  return tx.prisma.program.findMany({ where: tx.practice, include: WITH_STEPS, orderBy: { id: 'asc' } });
}

/** Ends a program: nobody can be enrolled any more. Present enrolments continue. @throws Failure not_found */
export async function endProgram(tx: Tx, id: number): Promise<ProgramWithSteps> {
  const { count } = await tx.prisma.program.updateMany({ where: { ...tx.practice, id, active: true }, data: { active: false } });
  if (count > 0) recordChange(tx, 'administer', { name: 'program.ended', id, changed: ['active'] });
  return findProgram(tx, id);
}

export async function findProgram(tx: PracticeTx, id: number): Promise<ProgramWithSteps> {
  const program = await tx.prisma.program.findUnique({ where: tx.key(id), include: WITH_STEPS });
  if (!program) throw notFound('program');
  return program;
}

/** Removes a program to which nothing refers. */
export async function removeProgram(tx: Tx, id: number): Promise<void> {
  await tx.prisma.program.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'program.removed', id });
}
