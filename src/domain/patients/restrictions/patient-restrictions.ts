import type { Db } from '../../../database/database.ts';
import type { PrivacyItem, PrivacyRestriction, RestrictionKind } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import { isPrivacyOfficer } from '../../identity/rights/privacy-officers.ts';
import { todayInPractice } from '../../practices/organizations.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';
import { unrestrictedCharts, withdrawCharts } from '../chart/withdrawn-charts.ts';

export type { PrivacyItem, PrivacyRestriction };

/** record: the chart is restricted; blocked: the patient is; portal: the patient may have no portal account. */
export const RESTRICTION_KINDS = ['record', 'blocked', 'portal'] as const satisfies readonly RestrictionKind[];

/** @throws Failure forbidden as requireOfficer; not_found; conflict where a restriction of this kind is in force */
export async function addRestriction(
  db: Db,
  caller: Caller,
  patientId: number,
  { kind, reason }: { kind: RestrictionKind; reason?: string | null | undefined },
): Promise<PrivacyRestriction> {
  const { organizationId } = caller;
  await holdChart(db, await requireOfficer(db, caller, patientId), patientId);
  const existing = await db.privacyRestriction.findFirst({ where: { organizationId, patientId, kind, liftedAt: null } });
  if (existing) throw conflict('restricted', `Restriction ${existing.id} of this kind is already in force.`);
  const withdrawn = kind === 'portal' ? [] : await unrestrictedCharts(db, caller, patientId);
  const restriction = await db.privacyRestriction.create({ data: { organizationId, patientId, kind, reason: reason ?? null } });
  recordChartChange(caller, patientId, 'restrictions');
  withdrawCharts(caller, withdrawn);
  return restriction;
}

/** Ends a restriction, which stays on record. @throws Failure forbidden as requireOfficer; not_found; conflict where it has ended */
export async function endRestriction(db: Db, caller: Caller, patientId: number, id: number): Promise<void> {
  const { organizationId } = caller;
  await holdChart(db, await requireOfficer(db, caller, patientId), patientId);
  const known = await db.privacyRestriction.findFirst({ where: { organizationId, id, patientId } });
  if (!known) throw notFound('restriction');
  if (known.liftedAt) throw conflict('restriction_ended', 'The restriction has already ended.');
  await db.privacyRestriction.update({ where: { organizationId_id: { organizationId, id } }, data: { liftedAt: new Date() } });
  recordChartChange(caller, patientId, 'restrictions');
}

/** The restrictions of a patient, ended ones too, by id. @throws Failure forbidden as requireOfficer; not_found */
export async function listRestrictions(db: Db, caller: Caller, patientId: number, page: PageRequest): Promise<Page<PrivacyRestriction>> {
  const where = { organizationId: caller.organizationId, patientId };
  await findPatient(db, await requireOfficer(db, caller, patientId), patientId);
  const [items, total] = await Promise.all([
    db.privacyRestriction.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    db.privacyRestriction.count({ where }),
  ]);
  caller.journal.audits.push({ action: 'read', resource: 'patient', ids: [patientId], detail: 'restrictions' });
  return { ...page, items, total };
}

/**
 * The caller as one for whom this chart exists though it is restricted: privacy officers keep restrictions, and read no chart by that.
 * @throws Failure forbidden for other users
 */
async function requireOfficer(db: Db, caller: Caller, patientId: number): Promise<Caller> {
  if (caller.userId !== null && !(await isPrivacyOfficer(db, caller)))
    throw forbidden('privacy_officers_only', 'Only privacy officers of the practice can manage restrictions.');
  return { ...caller, openedCharts: new Set([patientId]) };
}

export const PRIVACY_ITEM_KINDS = ['notice', 'release', 'assignment'] as const;

export type PrivacyItemKind = (typeof PRIVACY_ITEM_KINDS)[number];

export interface PrivacyState {
  verified: boolean;
  /** Midnight UTC; absent or null: today, where the form is verified. */
  verifiedOn?: Date | null;
  /** Absent or null: it does not expire. */
  expiresOn?: Date | null;
}

/** Sets the state of privacy forms: all of them, unless some are named. @throws Failure not_found */
export async function setPrivacyForms(
  db: Db,
  caller: Caller,
  patientId: number,
  { verified, verifiedOn = null, expiresOn = null }: PrivacyState,
  kinds: readonly PrivacyItemKind[] = PRIVACY_ITEM_KINDS,
): Promise<PrivacyItem[]> {
  await holdChart(db, caller, patientId);
  const state = { verified, verifiedOn: verified ? (verifiedOn ?? (await todayInPractice(db, caller))) : null, expiresOn };
  const items: PrivacyItem[] = [];
  for (const kind of kinds) {
    const key = { organizationId: caller.organizationId, patientId, kind };
    const where = { organizationId_patientId_kind: key };
    items.push(await db.privacyItem.upsert({ where, create: { ...key, ...state }, update: state }));
  }
  recordChartChange(caller, patientId, 'privacyItems');
  return items;
}
