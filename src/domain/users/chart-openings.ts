import { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, recordListed } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { Failure, forbidden, invalid, notFound } from '../errors.ts';
import { isPrivacyOfficer } from '../identity/rights/privacy-officers.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { countCharacters } from '../values/text-form.ts';
import { tellPrivacyOfficers } from './chart-opening-notices.ts';

/** Minutes for which a chart is open. */
export const OPEN_MINUTES = 60;
/** Attempts of one user in an hour, those that found nobody among them. */
const ATTEMPTS_AN_HOUR = 10;
const HOUR_MS = 3_600_000;
/** Characters of a reason: the fewest that can be seen, and the most of all. */
export const [SHORTEST_REASON, LONGEST_REASON] = [10, 500];
/** Characters that are drawn as nothing, and marks that stand on them. */
const UNSEEN = /[\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * By what a user names the chart to open: its id, its record number, or the patient's names and day of birth (midnight UTC). All that
 * is given has to fit.
 */
export interface NamedChart {
  patientId?: number | undefined;
  recordNumber?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  birthDate?: Date | undefined;
}

/** Whether one of the three ways to name a chart is complete. */
export const namesChart = ({ patientId, recordNumber, firstName, lastName, birthDate }: NamedChart): boolean =>
  patientId !== undefined || Boolean(recordNumber) || Boolean(firstName && lastName && birthDate);

export interface OpeningRequest {
  chart: NamedChart;
  reason: string;
}

const SHOWN = {
  id: true,
  userId: true,
  patientId: true,
  reason: true,
  openedAt: true,
  endsAt: true,
  closedAt: true,
  user: { select: { firstName: true, lastName: true } },
} as const satisfies Prisma.ChartOpeningSelect;

/** One emergency access to a chart. An attempt that found nobody has no patient, and ended as it began. */
export type ChartOpening = Prisma.ChartOpeningGetPayload<{ select: typeof SHOWN }>;

/**
 * Finds the chart that a user wants to open, restricted or not. An attempt that finds nobody is kept and audited, and counts as one: the
 * transaction is to be committed either way.
 * @returns null where not exactly one chart is meant
 * @throws Failure invalid for a reason that says nothing; forbidden for who is no admin and no provider; too_many_requests
 */
export async function findChartToOpen(tx: Tx, { chart, reason }: OpeningRequest): Promise<number | null> {
  const userId = requireOpener(tx);
  const written = readReason(reason);
  await requireFewAttempts(tx, userId);
  const patientId = await findNamedChart(tx, chart);
  if (patientId === null) await keepMiss(tx, userId, written);
  return patientId;
}

async function keepMiss(tx: Tx, userId: number, reason: string): Promise<void> {
  const now = new Date();
  const data = { ...tx.practice, userId, reason, openedAt: now, endsAt: now, closedAt: now };
  const { id } = await tx.prisma.chartOpening.create({ data, select: { id: true } });
  tx.journal.audits.push({ action: 'break_glass', resource: 'chart_opening', ids: [id], detail: 'nobody found' });
}

/**
 * Opens a chart for its caller for OPEN_MINUTES, restricted or not: the answer does not tell which. Audited as `break_glass`, and told
 * to the privacy officers.
 * @param patientId as findChartToOpen returned it
 * @throws Failure as findChartToOpen, and not_found for null
 */
export async function openChart(tx: Tx, patientId: number | null, reason: string): Promise<ChartOpening> {
  const userId = requireOpener(tx);
  if (patientId === null) throw notFound('patient');
  await requireFewAttempts(tx, userId);
  const opening = await storeOpening(tx, { userId, patientId, reason: readReason(reason) });
  recordChange(tx, 'break_glass', { name: 'chart.opened', id: opening.id }, [patientId]);
  await tellPrivacyOfficers(tx, opening);
  return opening;
}

/** The openings of the caller, for admins and privacy officers those of everybody, newest first. Audited with their charts. */
export async function listOpenings(tx: Tx, page: PageRequest): Promise<Page<ChartOpening>> {
  const where = await whereVisible(tx);
  const [items, total] = await Promise.all([
    tx.prisma.chartOpening.findMany({ where, select: SHOWN, orderBy: [{ openedAt: 'desc' }, { id: 'desc' }], ...window(page) }),
    tx.prisma.chartOpening.count({ where }),
  ]);
  if (items.length > 0) {
    const patientIds = [...new Set(items.flatMap(({ patientId }) => patientId ?? []))];
    tx.journal.audits.push({ action: 'search', resource: 'chart_opening', ids: items.map(({ id }) => id), patientIds });
  }
  return { ...page, items, total };
}

/** An opening of the caller's own that has not ended, with the name of its patient. */
export interface OpenChart {
  id: number;
  patientId: number;
  firstName: string | null;
  lastName: string | null;
  endsAt: Date;
}

/** The charts that the caller has opened and that are open still, the one that ends first before the others. Audited with their charts. */
export async function listOwnOpenCharts(tx: Tx): Promise<OpenChart[]> {
  const rows = await tx.prisma.chartOpening.findMany({
    where: { ...tx.practice, userId: tx.userId ?? 0, closedAt: null, endsAt: { gt: new Date() }, patient: { status: { not: 'deleted' } } },
    select: { id: true, endsAt: true, patient: { select: { id: true, firstName: true, lastName: true } } },
    orderBy: [{ endsAt: 'asc' }, { id: 'asc' }],
  });
  const open = rows.flatMap(({ id, endsAt, patient }) => {
    if (!patient) return [];
    return [{ id, endsAt, patientId: patient.id, firstName: patient.firstName, lastName: patient.lastName }];
  });
  recordListed(tx, 'chart_opening', open);
  return open;
}

/** Ends an opening before its time; nothing for one that has ended. @throws Failure not_found, also for one that the caller may not see */
export async function closeChart(tx: Tx, id: number): Promise<ChartOpening> {
  const opening = await tx.prisma.chartOpening.findFirst({ where: { ...(await whereVisible(tx)), id }, select: SHOWN });
  if (!opening) throw notFound('chart opening');
  if (opening.closedAt !== null || opening.endsAt <= new Date()) return opening;
  const where = tx.key(id);
  const closed = await tx.prisma.chartOpening.update({ where, data: { closedAt: new Date() }, select: SHOWN });
  const patients = opening.patientId === null ? [] : [opening.patientId];
  recordChange(tx, 'break_glass', { name: 'chart.closed', id, changed: ['closedAt'] }, patients);
  return closed;
}

function requireOpener({ userId, role }: Caller): number {
  if (userId === null || !mayOpenCharts({ role }))
    throw forbidden('insufficient_role', 'Only an admin or a provider can open a restricted chart.');
  return userId;
}

function readReason(reason: string): string {
  const written = reason.trim();
  if (written.replaceAll(UNSEEN, '').length < SHORTEST_REASON || countCharacters(written) > LONGEST_REASON)
    throw invalid('reason', `must have ${SHORTEST_REASON} to ${LONGEST_REASON} characters`, 'out_of_range');
  // Marks that turn the direction of a text make it read otherwise than it is stored.
  return written.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '');
}

/** Under the user's lock, so that attempts at the same time are counted one after the other. */
async function requireFewAttempts(tx: Tx, userId: number): Promise<void> {
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`SELECT id FROM "user" WHERE organization_id = ${organizationId} AND id = ${userId} FOR NO KEY UPDATE`;
  const attempts = await tx.prisma.chartOpening.findMany({
    where: { organizationId, userId, openedAt: { gt: new Date(Date.now() - HOUR_MS) } },
    select: { openedAt: true },
    orderBy: { openedAt: 'desc' },
    take: ATTEMPTS_AN_HOUR,
  });
  const oldest = attempts[ATTEMPTS_AN_HOUR - 1];
  if (!oldest) return;
  const retryAfter = Math.max(1, Math.ceil((oldest.openedAt.getTime() + HOUR_MS - Date.now()) / 1000));
  const minutes = Math.ceil(retryAfter / 60);
  throw new Failure(
    'too_many_requests',
    'too_many_openings',
    `At most ${ATTEMPTS_AN_HOUR} charts can be requested in an hour. You can try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}; an administrator or another provider can open the chart now.`,
    { retryAfter },
  );
}

/** Null where not exactly one chart is meant. */
async function findNamedChart(tx: Tx, chart: NamedChart): Promise<number | null> {
  const [found, another] = await chartsNamed(tx, chart);
  return found && !another ? found.id : null;
}

function chartsNamed(tx: PracticeTx, chart: NamedChart): Promise<{ id: number }[]> {
  const { patientId, recordNumber, firstName, lastName, birthDate } = chart;
  const conditions = [
    Prisma.sql`p.organization_id = ${tx.organizationId} AND p.status <> 'deleted'`,
    // By name, the copies of a chart in other departments are one person.
    ...(patientId === undefined && !recordNumber ? [Prisma.sql`p.enterprise_id IS NULL`] : []),
    ...(patientId === undefined ? [] : [Prisma.sql`p.id = ${patientId}`]),
    ...(recordNumber ? [Prisma.sql`p.medical_record_no = ${recordNumber}`] : []),
    ...(birthDate ? [Prisma.sql`p.birth_date = ${birthDate.toISOString().slice(0, 10)}::date`] : []),
    ...(lastName ? [Prisma.sql`without_separators(p.last_name_folded) = without_separators(fold(${lastName}))`] : []),
    ...(firstName ? [Prisma.sql`without_separators(p.first_name_folded) = without_separators(fold(${firstName}))`] : []),
  ];
  return tx.prisma.$queryRaw<{ id: number }[]>`SELECT p.id FROM patient p WHERE ${Prisma.join(conditions, ' AND ')} LIMIT 2`;
}

async function storeOpening(
  tx: Tx,
  { userId, patientId, reason }: { userId: number; patientId: number; reason: string },
): Promise<ChartOpening> {
  const openedAt = new Date();
  const endsAt = new Date(openedAt.getTime() + OPEN_MINUTES * 60_000);
  const data = { ...tx.practice, userId, patientId, reason, openedAt, endsAt };
  const opening = await tx.prisma.chartOpening.create({ data, select: SHOWN });
  await tx.prisma.user.update({
    where: tx.key(userId),
    data: { chartsOpenUntil: endsAt },
    select: { id: true },
  });
  return opening;
}

async function whereVisible(tx: Tx): Promise<Prisma.ChartOpeningWhereInput> {
  return (await seesAllOpenings(tx)) ? tx.practice : { ...tx.practice, userId: tx.userId ?? 0 };
}

/** Whether the caller sees the openings of everybody in the practice: admins and privacy officers do. */
export const seesAllOpenings = async (tx: Tx): Promise<boolean> => tx.role === 'admin' || (await isPrivacyOfficer(tx));

export const mayOpenCharts = ({ role }: Pick<Caller, 'role'>): boolean => role === 'admin' || role === 'provider';
