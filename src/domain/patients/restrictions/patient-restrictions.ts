import type { Db } from '../../../database/database.ts';
import type { PrivacyItem, PrivacyRestriction, RestrictionKind } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import { todayInPractice } from '../../practices/organizations.ts';
import type { Slice } from '../../values/paging.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';

export type { PrivacyItem, PrivacyRestriction };

/** record: the chart is restricted; blocked: the patient is; portal: the patient may have no portal account. */
export const RESTRICTION_KINDS = ['record', 'blocked', 'portal'] as const satisfies readonly RestrictionKind[];

/** @throws Failure not_found; conflict where a restriction of this kind is in force */
export async function addRestriction(
  db: Db,
  caller: Caller,
  patientId: number,
  { kind, reason }: { kind: RestrictionKind; reason?: string },
): Promise<PrivacyRestriction> {
  const { organizationId } = caller;
  await holdChart(db, caller, patientId);
  const existing = await db.privacyRestriction.findFirst({ where: { organizationId, patientId, kind, liftedAt: null } });
  if (existing) throw conflict('restricted', `Restriction ${existing.id} of this kind stands already.`);
  const restriction = await db.privacyRestriction.create({ data: { organizationId, patientId, kind, reason: reason ?? null } });
  recordChartChange(caller, patientId, 'restrictions');
  return restriction;
}

/** Lifts a restriction, which stays on record. @throws Failure not_found; conflict where it is lifted already */
export async function liftRestriction(db: Db, caller: Caller, id: number): Promise<PrivacyRestriction> {
  const { organizationId } = caller;
  const where = { organizationId_id: { organizationId, id } };
  const known = await db.privacyRestriction.findUnique({ where, select: { patientId: true } });
  if (!known) throw notFound('restriction');
  await holdChart(db, caller, known.patientId);
  const { liftedAt } = await db.privacyRestriction.findUniqueOrThrow({ where });
  if (liftedAt) throw conflict('restriction_lifted', 'The restriction was lifted already.');
  const restriction = await db.privacyRestriction.update({ where, data: { liftedAt: new Date() } });
  recordChartChange(caller, known.patientId, 'restrictions');
  return restriction;
}

/** The restrictions of the practice, lifted ones too, by id. */
export async function listRestrictions(
  db: Db,
  caller: Caller,
  { patientId, after, limit }: Slice & { patientId?: number },
): Promise<PrivacyRestriction[]> {
  if (patientId !== undefined) await findPatient(db, caller, patientId);
  const restrictions = await db.privacyRestriction.findMany({
    where: { organizationId: caller.organizationId, id: { gt: after }, ...(patientId === undefined ? {} : { patientId }) },
    orderBy: { id: 'asc' },
    take: limit,
  });
  recordRead(caller, 'patient', [...new Set(restrictions.map((one) => one.patientId))], 'search');
  return restrictions;
}

export const PRIVACY_ITEM_KINDS = ['notice', 'release', 'assignment'] as const;

export interface PrivacyItemInput {
  kind: (typeof PRIVACY_ITEM_KINDS)[number];
  verified: boolean;
  /** Midnight UTC; null stands for today where the form is verified. */
  verifiedOn: Date | null;
  /** Null for one that does not expire. */
  expiresOn: Date | null;
}

/** Sets the state of a privacy form. @throws Failure not_found */
export async function setPrivacyItem(
  db: Db,
  caller: Caller,
  patientId: number,
  { kind, verified, verifiedOn, expiresOn }: PrivacyItemInput,
): Promise<PrivacyItem> {
  await holdChart(db, caller, patientId);
  const key = { organizationId: caller.organizationId, patientId, kind };
  const state = { verified, verifiedOn: verified ? (verifiedOn ?? (await todayInPractice(db, caller))) : null, expiresOn };
  const item = await db.privacyItem.upsert({
    where: { organizationId_patientId_kind: key },
    create: { ...key, ...state },
    update: state,
  });
  recordChartChange(caller, patientId, 'privacyItems');
  return item;
}

/** The privacy forms of a patient. @throws Failure not_found */
export async function listPrivacyItems(db: Db, caller: Caller, patientId: number): Promise<PrivacyItem[]> {
  await findPatient(db, caller, patientId);
  recordRead(caller, 'patient', [patientId]);
  return db.privacyItem.findMany({ where: { organizationId: caller.organizationId, patientId }, orderBy: { kind: 'asc' } });
}
