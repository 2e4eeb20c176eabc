import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, invalid } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { organizationZoneIn } from '../../practices/organization-zone.ts';
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
export async function listMonitoringConsents(
  db: Db,
  caller: Caller,
  patientId: number,
  page: PageRequest,
): Promise<Page<MonitoringConsent>> {
  await findPatient(db, caller, patientId);
  const where = { organizationId: caller.organizationId, patientId };
  const [items, total] = await Promise.all([
    db.monitoringConsent.findMany({ where, include: WITH_USER, orderBy: [{ givenAt: 'desc' }, { id: 'desc' }], ...window(page) }),
    db.monitoringConsent.count({ where }),
  ]);
  recordReadWithPatients(caller, 'monitoring_consent', { ids: items.map(({ id }) => id), patientIds: [patientId] }, 'search');
  return { ...page, items, total };
}

/**
 * Records a patient's consent to monitoring, or its revocation. Entries are never changed.
 * @throws Failure not_found; invalid for a time to come; conflict for the revocation of a consent that is not in force then, and for a
 *   consent before the patient's birth or after the day of death
 */
export async function recordMonitoringConsent(db: Db, caller: Caller, patientId: number, input: NewConsent): Promise<MonitoringConsent> {
  const { organizationId, userId } = caller;
  const { how, note, revoked } = input;
  await findPatient(db, caller, patientId);
  const givenAt = await readGivenAt(db, caller, input.givenAt);
  if (revoked) await requireConsent(db, caller, patientId, givenAt);
  else await requireLife(db, caller, patientId, givenAt);
  const consent = await db.monitoringConsent.create({
    data: { organizationId, patientId, givenAt, revoked, how, givenBy: input.by ?? BY_PATIENT, note, recordedByUserId: userId },
    include: WITH_USER,
  });
  const name = revoked ? 'monitoring_consent.revoked' : 'monitoring_consent.given';
  recordChange(caller, 'create', { name, id: consent.id }, [patientId]);
  await warnOfClosedMonths(db, caller, [{ from: givenAt, to: null }]);
  return consent;
}

async function readGivenAt(db: Db, caller: Caller, written: string | undefined): Promise<Date> {
  if (written === undefined) return new Date();
  const { instant } = readMoment(written, await organizationZoneIn(db, caller), 'givenAt');
  if (instant.getTime() > Date.now() + CLOCK_TOLERANCE_MS) throw invalid('givenAt', 'must not be in the future', 'in_the_future');
  return instant;
}

/** @throws Failure for a time that no zone has */
export const checkConsentTime = (givenAt: string): void => void readMoment(givenAt, 'UTC', 'givenAt');

/** @throws Failure conflict for a time before the patient's day of birth, or after that of death */
async function requireLife(db: Db, caller: Caller, patientId: number, at: Date): Promise<void> {
  const { birthDate, deceasedDate } = await db.patient.findUniqueOrThrow({
    where: { organizationId_id: { organizationId: caller.organizationId, id: patientId } },
    select: { birthDate: true, deceasedDate: true },
  });
  const day = dayAt(at, await organizationZoneIn(db, caller));
  if (deceasedDate !== null && day > deceasedDate) throw conflict('patient_deceased', 'The patient had died before that day.', 'givenAt');
  if (birthDate !== null && day < birthDate) throw conflict('before_birth', 'The patient was not born on that day.', 'givenAt');
}

/** Revocations of one patient run one after another. @throws Failure conflict */
async function requireConsent(db: Db, { organizationId }: Caller, patientId: number, at: Date): Promise<void> {
  await db.$queryRaw`SELECT id FROM patient WHERE organization_id = ${organizationId} AND id = ${patientId} FOR NO KEY UPDATE`;
  const last = await db.monitoringConsent.findFirst({
    where: { organizationId, patientId, givenAt: { lte: at } },
    orderBy: [{ givenAt: 'desc' }, { id: 'desc' }],
    select: { revoked: true },
  });
  if (!last || last.revoked) throw conflict('no_consent', 'The patient has no consent to monitoring in force at that time.', 'givenAt');
}
