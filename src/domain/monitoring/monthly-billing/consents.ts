import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { conflict, invalid } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { dayAt, readMoment } from '../../values/time/time.ts';
import { warnOfClosedMonths } from './closing/closed-month-warnings.ts';

const WITH_USER = {
  recordedBy: { select: { id: true, firstName: true, lastName: true } },
} as const satisfies Prisma.MonitoringConsentInclude;

/** An entry of a patient's history of consent to monitoring: a consent, or the revocation of those before it. */
export type MonitoringConsent = Prisma.MonitoringConsentGetPayload<{ include: typeof WITH_USER }>;

export const CONSENT_WAYS = ['verbal', 'written', 'electronic'] as const;

export interface NewConsent {
  /** When it was given or revoked: ISO 8601, as the caller wrote it; now unless given. */
  givenAt?: string | undefined;
  how: (typeof CONSENT_WAYS)[number];
  /** The name of a representative; the patient unless given. */
  by?: string | undefined;
  note: string | null;
  revoked: boolean;
}

/** Tolerance for devices whose clocks are ahead. */
const CLOCK_TOLERANCE_MS = 60_000;
const BY_PATIENT = 'patient';

/** A patient's history of consent to monitoring, newest first. Audited. @throws Failure not_found */
export async function listMonitoringConsents(tx: Tx, patientId: number, page: PageRequest): Promise<Page<MonitoringConsent>> {
  await findPatient(tx, patientId);
  const where = { ...tx.practice, patientId };
  const [items, total] = await Promise.all([
    tx.prisma.monitoringConsent.findMany({ where, include: WITH_USER, orderBy: [{ givenAt: 'desc' }, { id: 'desc' }], ...window(page) }),
    tx.prisma.monitoringConsent.count({ where }),
  ]);
  recordReadWithPatients(tx, 'monitoring_consent', { ids: items.map(({ id }) => id), patientIds: [patientId] }, 'search');
  return { ...page, items, total };
}

/**
 * Records a patient's consent to monitoring, or its revocation. Entries are never changed.
 * @throws Failure not_found; invalid for a time to come; conflict for the revocation of a consent that is not in force then, and for a
 *   consent before the patient's birth or after the day of death
 */
export async function recordMonitoringConsent(tx: Tx, patientId: number, input: NewConsent): Promise<MonitoringConsent> {
  const { how, note, revoked } = input;
  await findPatient(tx, patientId);
  const givenAt = await readGivenAt(tx, input.givenAt);
  if (revoked) await requireConsent(tx, patientId, givenAt);
  else await requireLife(tx, patientId, givenAt);
  const consent = await tx.prisma.monitoringConsent.create({
    data: { ...tx.practice, patientId, givenAt, revoked, how, givenBy: input.by ?? BY_PATIENT, note, recordedByUserId: tx.userId },
    include: WITH_USER,
  });
  const name = revoked ? 'monitoring_consent.revoked' : 'monitoring_consent.given';
  recordChange(tx, 'create', { name, id: consent.id }, [patientId]);
  await warnOfClosedMonths(tx, [{ from: givenAt, to: null }]);
  return consent;
}

async function readGivenAt(tx: Tx, written: string | undefined): Promise<Date> {
  if (written === undefined) return new Date();
  const { instant } = readMoment(written, await organizationZone(tx), 'givenAt');
  if (instant.getTime() > Date.now() + CLOCK_TOLERANCE_MS) throw invalid('givenAt', 'must not be in the future', 'in_the_future');
  return instant;
}

/** @throws Failure for a time that no zone has */
export const checkConsentTime = (givenAt: string): void => void readMoment(givenAt, 'UTC', 'givenAt');

/** @throws Failure conflict for a time before the patient's day of birth, or after that of death */
async function requireLife(tx: Tx, patientId: number, at: Date): Promise<void> {
  const { birthDate, deceasedDate } = await tx.prisma.patient.findUniqueOrThrow({
    where: tx.key(patientId),
    select: { birthDate: true, deceasedDate: true },
  });
  const day = dayAt(at, await organizationZone(tx));
  if (deceasedDate !== null && day > deceasedDate) throw conflict('patient_deceased', 'The patient had died before that day.', 'givenAt');
  if (birthDate !== null && day < birthDate) throw conflict('before_birth', 'The patient was not born on that day.', 'givenAt');
}

/** Revocations of one patient run one after another. @throws Failure conflict */
async function requireConsent(tx: Tx, patientId: number, at: Date): Promise<void> {
  const { organizationId } = tx;
  await tx.prisma.$queryRaw`SELECT id FROM patient WHERE organization_id = ${organizationId} AND id = ${patientId} FOR NO KEY UPDATE`;
  const last = await tx.prisma.monitoringConsent.findFirst({
    where: { organizationId, patientId, givenAt: { lte: at } },
    orderBy: [{ givenAt: 'desc' }, { id: 'desc' }],
    select: { revoked: true },
  });
  if (!last || last.revoked) throw conflict('no_consent', 'The patient has no consent to monitoring in force at that time.', 'givenAt');
}
