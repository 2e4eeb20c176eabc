import { nullable, type SortOf, sortBy } from '../../../database/statements/list.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordListed, recordRead, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { invalid, notFound, WrongFields } from '../../errors.ts';
import { findColleague } from '../../practices/colleagues.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { readRecords } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { hasListedPatient } from '../care-team.ts';
import { BY_FIRST_NAME, BY_PATIENT_NAME, listOfPatients } from '../listed-page.sql.ts';
import { requireListedPatient } from '../programs/enrolments.ts';
import { requireCode, requireUntracked, withBothCodes } from './condition-codes.ts';
import { type ItemTarget, resolveTargets, setItems } from './condition-items.ts';

const NAMES = { id: true, firstName: true, lastName: true } as const;
const WITH_DETAILS = {
  patient: { select: NAMES },
  provider: { select: { ...NAMES, displayName: true } },
  user: { select: NAMES },
  items: {
    where: { until: null },
    select: { minTarget: true, maxTarget: true, dangerMin: true, dangerMax: true, item: { select: { id: true, name: true, unit: true } } },
    orderBy: { itemId: 'asc' },
  },
} as const satisfies Prisma.TrackedConditionInclude;

/** A tracked condition of a patient, with its care team and measured items. */
export type Condition = Prisma.TrackedConditionGetPayload<{ include: typeof WITH_DETAILS }>;

/** A field that is absent stays as it is; null clears it. */
export interface ConditionInput {
  providerId?: number | null | undefined;
  /** The user of the care team who follows it. */
  userId?: number | null | undefined;
  /** ICD-10-CM code with its dot, such as `E11.9`. */
  icdCode?: string | null | undefined;
  /** Number of the condition in the lexicon of an app. */
  icdLexCode?: number | null | undefined;
  /** Replaces all measured items. */
  items?: ItemTarget[] | undefined;
}

/** The conditions that are tracked now. */
export const CONDITIONS = listOfPatients({
  table: 'tracked_condition',
  where: 'r.ended_at IS NULL',
  filters: {},
  orders: {
    icdCode: sortBy(nullable('r.icd_code'), 'r.id'),
    icdLexCode: sortBy(nullable('r.icd_lex_code'), 'r.id'),
    lastName: BY_PATIENT_NAME,
    firstName: BY_FIRST_NAME,
    createdAt: sortBy('r.created_at', 'r.id'),
    updatedAt: sortBy('r.updated_at', 'r.id'),
    id: sortBy('r.id'),
  },
});
export type ConditionSort = SortOf<typeof CONDITIONS>;

/** The conditions that are tracked now. Audited with the patients who are shown. */
export async function listConditions(tx: Tx, sort: ConditionSort, page: PageRequest): Promise<Page<Condition>> {
  const listed = await readRecords(tx, CONDITIONS, { sort, page }, (ids) =>
    tx.prisma.trackedCondition.findMany({ where: { ...tx.practice, id: { in: ids } }, include: WITH_DETAILS }),
  );
  recordListed(tx, 'tracked_condition', listed.items);
  return listed;
}

/** The tracked conditions of patients, oldest first. Not audited: the caller audits the patients. */
export function findConditionsOfPatients(tx: Tx, patientIds: number[]): Promise<Condition[]> {
  return tx.prisma.trackedCondition.findMany({
    where: { ...tx.practice, patientId: { in: patientIds }, endedAt: null },
    include: WITH_DETAILS,
    orderBy: { id: 'asc' },
  });
}

/** The ICD-10-CM codes that are tracked now, in order. They say nothing of whose they are. */
export async function listTrackedCodes(tx: Tx): Promise<string[]> {
  const where = { ...tx.practice, endedAt: null, icdCode: { not: null }, ...hasListedPatient(tx) };
  const groups = await tx.prisma.trackedCondition.groupBy({ by: ['icdCode'], where, orderBy: { icdCode: 'asc' } });
  return groups.flatMap(({ icdCode }) => icdCode ?? []);
}

/** Reads a tracked condition. Audited. @throws Failure not_found, also for an ended one and for a chart that is not listed */
export async function readCondition(tx: Tx, id: number): Promise<Condition> {
  const condition = await tx.prisma.trackedCondition.findFirst({
    where: { ...tx.practice, id, endedAt: null, ...hasListedPatient(tx) },
    include: WITH_DETAILS,
  });
  if (!condition) throw notFound('tracked condition');
  recordReadWithPatients(tx, 'tracked_condition', { ids: [id], patientIds: [condition.patientId] }, 'read');
  return condition;
}

/**
 * Starts to track a condition of a patient.
 * @throws Failure not_found for an unknown patient, provider, user or item; conflict where the patient has the condition; invalid
 *   without a code, for an inactive provider or user, and for limits that are not in order
 */
export async function trackCondition(tx: Tx, { patientId, ...input }: ConditionInput & { patientId: number }): Promise<Condition> {
  const { items = [], ...fields } = input;
  const wrong = new WrongFields();
  await wrong.check(() => requireListedPatient(tx, patientId, 'patientId'));
  await wrong.check(() => requireCode({ icdCode: fields.icdCode ?? null, icdLexCode: fields.icdLexCode ?? null }));
  await requireActiveCareTeam(tx, fields, wrong);
  const requested = (await wrong.check(() => resolveTargets(tx, [], items))) ?? [];
  wrong.throwIfAny();
  await requireUntracked(tx, { patientId, icdCode: fields.icdCode ?? null, icdLexCode: fields.icdLexCode ?? null });
  const given = changesTo({}, fields);
  const { id } = await tx.prisma.trackedCondition.create({ data: { ...given, ...tx.practice, patientId }, select: { id: true } });
  await setItems(tx, { id, current: [], requested, since: null });
  recordChange(tx, 'create', { name: 'tracked_condition.created', id }, [patientId]);
  return readChanged(tx, id);
}

/**
 * Updates the fields that are given and differ. A changed target applies to measurements from now on, and another code names
 * another condition: the former name in the other list of codes goes, unless it is given too.
 * @throws Failure as trackCondition; invalid for another patient, because a condition stays with its patient
 */
export async function updateCondition(
  tx: Tx,
  id: number,
  { patientId, items, ...input }: ConditionInput & { patientId?: number | undefined },
): Promise<Condition> {
  await tx.prisma.$queryRaw`SELECT id FROM tracked_condition WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await readCondition(tx, id);
  const wrong = new WrongFields();
  if (patientId !== undefined && patientId !== before.patientId)
    wrong.add(invalid('patientId', 'is not the patient of the condition', 'other_patient'));
  const changes = changesTo(before, withBothCodes(before, input));
  await wrong.check(() => requireCode({ ...before, ...changes }));
  await requireActiveCareTeam(tx, changes, wrong);
  const current = before.items.map(({ item, minTarget, maxTarget, dangerMin, dangerMax }) => ({
    itemId: item.id,
    min: toNumber(minTarget),
    max: toNumber(maxTarget),
    dangerMin: toNumber(dangerMin),
    dangerMax: toNumber(dangerMax),
  }));
  const requested = items && (await wrong.check(() => resolveTargets(tx, current, items)));
  wrong.throwIfAny();
  const { icdCode = null, icdLexCode = null } = changes;
  if (icdCode !== null || icdLexCode !== null) await requireUntracked(tx, { id, patientId: before.patientId, icdCode, icdLexCode });
  const now = new Date();
  const remeasured = requested !== undefined && (await setItems(tx, { id, current, requested, since: now }));
  const changed = [...Object.keys(changes), ...(remeasured ? ['items'] : [])];
  if (changed.length === 0) return before;
  await tx.prisma.trackedCondition.update({
    where: tx.key(id),
    data: { ...changes, updatedAt: now },
    select: { id: true },
  });
  recordChange(tx, 'update', { name: 'tracked_condition.updated', id, changed }, [before.patientId]);
  return readChanged(tx, id);
}

/** Ends the tracking of a condition. Its data are kept. @throws Failure not_found, also for an ended one */
export async function endCondition(tx: Tx, id: number): Promise<void> {
  const [ended] = await tx.prisma.trackedCondition.updateManyAndReturn({
    where: { ...tx.practice, id, endedAt: null, ...hasListedPatient(tx) },
    data: { endedAt: new Date() },
    select: { patientId: true },
  });
  if (!ended) throw notFound('tracked condition');
  recordChange(tx, 'delete', { name: 'tracked_condition.ended', id, changed: ['endedAt'] }, [ended.patientId]);
}

/** Reads a condition after a change, audited as a read of its patient. */
async function readChanged(tx: Tx, id: number): Promise<Condition> {
  const where = tx.key(id);
  const condition = await tx.prisma.trackedCondition.findUniqueOrThrow({ where, include: WITH_DETAILS });
  recordRead(tx, 'patient', [condition.patientId]);
  return condition;
}

const toNumber = (value: Prisma.Decimal | null): number | null => value?.toNumber() ?? null;

/** @param wrong gets an unknown or inactive provider or user */
async function requireActiveCareTeam(tx: Tx, { providerId, userId }: ConditionInput, wrong: WrongFields): Promise<void> {
  if (typeof providerId === 'number') await wrong.check(() => requireActiveProvider(tx, providerId));
  if (typeof userId === 'number') await wrong.check(() => requireActiveUser(tx, userId));
}

async function requireActiveProvider(tx: Tx, id: number): Promise<void> {
  const key = tx.key(id);
  const provider = await tx.prisma.provider.findUnique({ where: key, select: { active: true } });
  if (!provider) throw notFound('provider', 'providerId');
  if (!provider.active) throw invalid('providerId', 'is an inactive provider', 'inactive_provider');
}

async function requireActiveUser(tx: Tx, id: number): Promise<void> {
  const { active } = await findColleague(tx, id, 'userId');
  if (!active) throw invalid('userId', 'is an inactive user', 'inactive_user');
}
