import type { PrivacyItem, PrivacyRestriction, RestrictionKind } from '../../../generated/prisma/client.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import { isPrivacyOfficer } from '../../identity/rights/privacy-officers.ts';
import { todayInPractice } from '../../practices/organizations.ts';
import { type Tx, txOf } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';
import { unrestrictedCharts, withdrawCharts } from '../chart/withdrawn-charts.ts';

export type { PrivacyItem, PrivacyRestriction };

/** record: the chart is restricted; blocked: the patient is; portal: the patient may have no portal account. */
export const RESTRICTION_KINDS = ['record', 'blocked', 'portal'] as const satisfies readonly RestrictionKind[];

/** @throws Failure forbidden as requireOfficer; not_found; conflict where a restriction of this kind is in force */
export async function addRestriction(
  tx: Tx,
  patientId: number,
  { kind, reason }: { kind: RestrictionKind; reason?: string | null | undefined },
): Promise<PrivacyRestriction> {
  await holdChart(await requireOfficer(tx, patientId), patientId);
  const existing = await tx.prisma.privacyRestriction.findFirst({ where: { ...tx.practice, patientId, kind, liftedAt: null } });
  if (existing) throw conflict('restricted', `Restriction ${existing.id} of this kind is already in force.`);
  const withdrawn = kind === 'portal' ? [] : await unrestrictedCharts(tx, patientId);
  const restriction = await tx.prisma.privacyRestriction.create({ data: { ...tx.practice, patientId, kind, reason: reason ?? null } });
  recordChartChange(tx, patientId, 'restrictions');
  withdrawCharts(tx, withdrawn);
  return restriction;
}

/** Ends a restriction, which stays on record. @throws Failure forbidden as requireOfficer; not_found; conflict where it has ended */
export async function endRestriction(tx: Tx, patientId: number, id: number): Promise<void> {
  await holdChart(await requireOfficer(tx, patientId), patientId);
  const known = await tx.prisma.privacyRestriction.findFirst({ where: { ...tx.practice, id, patientId } });
  if (!known) throw notFound('restriction');
  if (known.liftedAt) throw conflict('restriction_ended', 'The restriction has already ended.');
  await tx.prisma.privacyRestriction.update({ where: tx.key(id), data: { liftedAt: new Date() } });
  recordChartChange(tx, patientId, 'restrictions');
}

/** The restrictions of a patient, ended ones too, by id. @throws Failure forbidden as requireOfficer; not_found */
export async function listRestrictions(tx: Tx, patientId: number, page: PageRequest): Promise<Page<PrivacyRestriction>> {
  const where = { ...tx.practice, patientId };
  await findPatient(await requireOfficer(tx, patientId), patientId);
  const [items, total] = await Promise.all([
    tx.prisma.privacyRestriction.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.privacyRestriction.count({ where }),
  ]);
  tx.journal.audits.push({ action: 'read', resource: 'patient', ids: [patientId], detail: 'restrictions' });
  return { ...page, items, total };
}

/**
 * The caller as one for whom this chart exists though it is restricted: privacy officers keep restrictions, and read no chart by that.
 * @throws Failure forbidden for other users
 */
async function requireOfficer(tx: Tx, patientId: number): Promise<Tx> {
  if (tx.userId !== null && !(await isPrivacyOfficer(tx)))
    throw forbidden('privacy_officers_only', 'Only privacy officers of the practice can manage restrictions.');
  return txOf(tx.prisma, { ...tx, openedCharts: new Set([patientId]) });
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
  tx: Tx,
  patientId: number,
  { verified, verifiedOn = null, expiresOn = null }: PrivacyState,
  kinds: readonly PrivacyItemKind[] = PRIVACY_ITEM_KINDS,
): Promise<PrivacyItem[]> {
  await holdChart(tx, patientId);
  const state = { verified, verifiedOn: verified ? (verifiedOn ?? (await todayInPractice(tx))) : null, expiresOn };
  const items: PrivacyItem[] = [];
  for (const kind of kinds) {
    const key = { ...tx.practice, patientId, kind };
    const where = { organizationId_patientId_kind: key };
    items.push(await tx.prisma.privacyItem.upsert({ where, create: { ...key, ...state }, update: state }));
  }
  recordChartChange(tx, patientId, 'privacyItems');
  return items;
}
