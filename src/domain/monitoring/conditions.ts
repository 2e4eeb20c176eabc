import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, recordListed, recordRead, recordReadWithPatients } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { invalid, notFound } from '../errors.ts';
import { findColleague } from '../practices/users.ts';
import { changesTo } from '../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { HAS_LISTED_PATIENT } from './care-team.ts';
import { type ItemTarget, setItems } from './condition-items.ts';
import { requireListedPatient } from './enrolments.ts';

const NAMES = { id: true, firstName: true, lastName: true } as const;
const WITH_DETAILS = {
  patient: { select: NAMES },
  provider: { select: { ...NAMES, displayName: true } },
  user: { select: NAMES },
  items: {
    where: { until: null },
    select: { minTarget: true, maxTarget: true, item: { select: { id: true, name: true, unit: true } } },
    orderBy: { itemId: 'asc' },
  },
} as const satisfies Prisma.TrackedConditionInclude;

/** What a patient is followed for, by whom, and what is measured for it. */
export type Condition = Prisma.TrackedConditionGetPayload<{ include: typeof WITH_DETAILS }>;

/** A field that is absent stays as it is; null clears it. */
export interface ConditionInput {
  providerId?: number | null | undefined;
  /** Who follows it. */
  userId?: number | null | undefined;
  /** ICD-10-CM, with its dot. */
  icdCode?: string | null | undefined;
  /** The number that the lexicon of an app has for the condition. */
  icdLexCode?: number | null | undefined;
  /** All that is measured, instead of what was. */
  items?: ItemTarget[] | undefined;
}

export type ConditionOrder = 'id' | 'icdCode' | 'icdLexCode' | 'lastName' | 'firstName' | 'createdAt' | 'updatedAt';

export interface ConditionSort {
  order: ConditionOrder;
  descending: boolean;
}

/** Conditions that are tracked now. Audited with what was shown. */
export async function listConditions(db: Db, caller: Caller, sort: ConditionSort, page: PageRequest): Promise<Page<Condition>> {
  const where = { organizationId: caller.organizationId, endedAt: null, ...HAS_LISTED_PATIENT };
  const [items, total] = await Promise.all([
    db.trackedCondition.findMany({ where, include: WITH_DETAILS, orderBy: orderBy(sort), ...window(page) }),
    db.trackedCondition.count({ where }),
  ]);
  recordListed(caller, 'tracked_condition', items);
  return { ...page, items, total };
}

/** Ties are in order of the id; what lacks the value comes last. */
function orderBy({ order, descending }: ConditionSort): Prisma.TrackedConditionOrderByWithRelationInput[] {
  const sort = descending ? 'desc' : 'asc';
  const last = { sort, nulls: 'last' } as const;
  const id = { id: sort } as const;
  if (order === 'lastName') return [{ patient: { lastNameFolded: last } }, { patient: { firstNameFolded: last } }, id];
  if (order === 'firstName') return [{ patient: { firstNameFolded: last } }, { patient: { lastNameFolded: last } }, id];
  return order === 'icdCode' || order === 'icdLexCode' ? [{ [order]: last }, id] : [{ [order]: sort }, id];
}

/** Those of patients that are tracked now, the oldest first. Whoever shows them audits the patients. */
export function findConditionsOfPatients(db: Db, { organizationId }: Caller, patientIds: number[]): Promise<Condition[]> {
  return db.trackedCondition.findMany({
    where: { organizationId, patientId: { in: patientIds }, endedAt: null },
    include: WITH_DETAILS,
    orderBy: { id: 'asc' },
  });
}

/** @throws Failure not_found, also for one that has ended, and for one of a chart that is not listed */
export async function readCondition(db: Db, caller: Caller, id: number): Promise<Condition> {
  const condition = await db.trackedCondition.findFirst({
    where: { organizationId: caller.organizationId, id, endedAt: null, ...HAS_LISTED_PATIENT },
    include: WITH_DETAILS,
  });
  if (!condition) throw notFound('tracked condition');
  recordReadWithPatients(caller, 'tracked_condition', { ids: [id], patientIds: [condition.patientId] }, 'read');
  return condition;
}

/**
 * Begins to track a condition of a patient.
 * @throws Failure not_found for a patient, provider, user or item that the organization does not have; invalid without a
 *   code, for who has left, and for targets that are no range
 */
export async function trackCondition(
  db: Db,
  caller: Caller,
  { patientId, ...input }: ConditionInput & { patientId: number },
): Promise<Condition> {
  const { organizationId } = caller;
  const { items = [], ...fields } = input;
  await requireListedPatient(db, caller, patientId, 'patientId');
  requireCode({ icdCode: fields.icdCode ?? null, icdLexCode: fields.icdLexCode ?? null });
  await requireActiveCareTeam(db, caller, fields);
  const given = changesTo({}, fields);
  const { id } = await db.trackedCondition.create({ data: { ...given, organizationId, patientId }, select: { id: true } });
  await setItems(db, caller, { id, current: [], requested: items, since: null });
  recordChange(caller, 'create', { name: 'tracked_condition.created', subject: 'tracked_condition', id });
  return readChanged(db, caller, id);
}

/**
 * Changes what is given and differs. A target that changes holds for what is measured from now on.
 * @throws Failure as trackCondition; invalid for another patient: a condition stays with its own
 */
export async function updateCondition(
  db: Db,
  caller: Caller,
  id: number,
  { patientId, items, ...input }: ConditionInput & { patientId?: number | undefined },
): Promise<Condition> {
  const { organizationId } = caller;
  await db.$queryRaw`SELECT id FROM tracked_condition WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await readCondition(db, caller, id);
  if (patientId !== undefined && patientId !== before.patientId)
    throw invalid('patientId', 'is another patient than the condition’s', 'other_patient');
  const changes = changesTo(before, input);
  requireCode({ ...before, ...changes });
  await requireActiveCareTeam(db, caller, changes);
  const now = new Date();
  const standing = before.items.map(({ item, minTarget, maxTarget }) => ({
    itemId: item.id,
    min: toNumber(minTarget),
    max: toNumber(maxTarget),
  }));
  const remeasured = items !== undefined && (await setItems(db, caller, { id, current: standing, requested: items, since: now }));
  const changed = [...Object.keys(changes), ...(remeasured ? ['items'] : [])];
  if (changed.length === 0) return before;
  await db.trackedCondition.update({
    where: { organizationId_id: { organizationId, id } },
    data: { ...changes, updatedAt: now },
    select: { id: true },
  });
  recordChange(caller, 'update', { name: 'tracked_condition.updated', subject: 'tracked_condition', id, changed });
  return readChanged(db, caller, id);
}

/** Ends the tracking of a condition; what was is kept. @throws Failure not_found, also for one that has ended */
export async function endCondition(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  const [ended] = await db.trackedCondition.updateManyAndReturn({
    where: { organizationId, id, endedAt: null, ...HAS_LISTED_PATIENT },
    data: { endedAt: new Date() },
    select: { patientId: true },
  });
  if (!ended) throw notFound('tracked condition');
  const event = { name: 'tracked_condition.ended', subject: 'tracked_condition', id, changed: ['endedAt'] };
  recordChange(caller, 'delete', event, [ended.patientId]);
}

/** As it is after a change, audited as a read of its patient. */
async function readChanged(db: Db, caller: Caller, id: number): Promise<Condition> {
  const where = { organizationId_id: { organizationId: caller.organizationId, id } };
  const condition = await db.trackedCondition.findUniqueOrThrow({ where, include: WITH_DETAILS });
  recordRead(caller, 'patient', [condition.patientId]);
  return condition;
}

const toNumber = (value: Prisma.Decimal | null): number | null => value?.toNumber() ?? null;

function requireCode({ icdCode, icdLexCode }: { icdCode: string | null; icdLexCode: number | null }): void {
  if (icdCode === null && icdLexCode === null) throw invalid('icdLexCode', 'must be given where there is no code of ICD-10-CM', 'missing');
}

/** Who is named anew is of the organization, and has not left it. */
async function requireActiveCareTeam(db: Db, caller: Caller, { providerId, userId }: ConditionInput): Promise<void> {
  const { organizationId } = caller;
  if (typeof providerId === 'number') {
    const key = { organizationId_id: { organizationId, id: providerId } };
    const provider = await db.provider.findUnique({ where: key, select: { active: true } });
    if (!provider) throw notFound('provider', 'providerId');
    if (!provider.active) throw invalid('providerId', 'is a provider who is not active', 'inactive_provider');
  }
  if (typeof userId === 'number') {
    const { active } = await findColleague(db, caller, userId, 'userId');
    if (!active) throw invalid('userId', 'is a user who is not active', 'inactive_user');
  }
}
