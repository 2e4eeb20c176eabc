import type { RowOfValue } from '../../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { DESPITE_RESTRICTION } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { todayAt } from '../../practices/organization-zone.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { type PortalStatus, portalStatus } from './portal-status.ts';
import type { PatientRecord } from './record.sql.ts';
import {
  type BalanceRow,
  CHART_IN_DEPARTMENT,
  type ClaimRow,
  type CustomFieldRow,
  type InsuranceRow,
  LOCAL_PATIENT_IDS,
  PATIENT_BALANCES,
  PATIENT_CLAIMS,
  PATIENT_CUSTOM_FIELDS,
  PATIENT_INSURANCES,
  PATIENT_PORTAL,
  PATIENT_REGISTRATIONS,
  PATIENT_SSN,
  PATIENT_WITH_RESTRICTION,
  type PortalRow,
  type RegistrationRow,
} from './record-sections.sql.ts';
import { revealGuarantorSsn, revealSsn } from './ssn.ts';

/** A request for a patient's record. A section that is not requested is not read. */
export interface PatientRecordRequest {
  /** An office, for the chart in its financial group. */
  officeId: number | null;
  /** Return restricted and blocked patients too. */
  ignoreRestrictions: boolean;
  fullSsn: boolean;
  balances: boolean;
  /** Not only claims with an outstanding balance; only together with balances. */
  allClaims: boolean;
  registrations: boolean;
  customFields: boolean;
  insurances: boolean;
  localIds: boolean;
  portal: boolean;
}

/** A patient's record with the requested sections; the others are null. */
export interface PatientWithSections {
  record: PatientRecord;
  /** Nine digits each, null where the chart has none. */
  fullSsn: { ssn: string | null; guarantorSsn: string | null } | null;
  balances: BalanceRow[] | null;
  claims: ClaimRow[] | null;
  registrations: RegistrationRow[] | null;
  customFields: CustomFieldRow[] | null;
  insurances: InsuranceRow[] | null;
  /** For an enterprise chart the ids of its copies, else the requested id. */
  localIds: number[] | null;
  portal: PortalStatus | null;
}

/** Scope that a client needs to see whole social security numbers. */
const SSN_SCOPE = 'ssn.read';

/**
 * One patient's record, audited.
 * @throws Failure not_found for an unknown or deleted patient, and for a restricted or blocked one unless restrictions are
 *   ignored; naming `officeId` where there is no such office, or its group has no chart of the patient
 */
export async function readPatientRecord(tx: Tx, keyring: Keyring, id: number, request: PatientRecordRequest): Promise<PatientWithSections> {
  const fullSsn = request.fullSsn && tx.scopes.has(SSN_SCOPE);
  const mayRestricted = request.ignoreRestrictions || maySeeRestricted(tx);
  const chartId = await chartFor(tx, { id, officeId: request.officeId, mayRestricted });
  const today = await todayAt(tx);
  const [[found], encrypted, sections] = await Promise.all([
    tx.rows(PATIENT_WITH_RESTRICTION, [chartId, today]),
    fullSsn ? tx.rows(PATIENT_SSN, [chartId]) : null,
    readSections(tx, { id, chartId, mayRestricted }, request),
  ]);
  const record = found?.patient;
  if (!record || record.status === 'deleted' || (record.restricted && !mayRestricted)) throw notFound('patient');
  // The audit marks by itself what a caller with the right sees; a parameter is no right.
  const despite = record.restricted && !maySeeRestricted(tx) ? DESPITE_RESTRICTION : undefined;
  recordRecordRead(tx, chartId, despite);
  if (fullSsn) recordRecordRead(tx, chartId, ['full social security number', ...(despite === undefined ? [] : [despite])].join('; '));
  return { record, fullSsn: encrypted && decryptSsn(keyring, { ...tx.practice, row: chartId }, encrypted[0]), ...sections };
}

/** Id of the chart that the request means: the requested one, or another of the same person. */
async function chartFor(
  tx: PracticeTx,
  { id, officeId, mayRestricted }: { id: number; officeId: number | null; mayRestricted: boolean },
): Promise<number> {
  if (officeId === null) return id;
  const [chart] = await tx.rows(CHART_IN_DEPARTMENT, [id, officeId, mayRestricted]);
  if (!chart) throw notFound('office', 'officeId');
  if (!chart.visible) throw notFound('patient');
  if (chart.chartId === null) throw notFound('patient', 'officeId');
  return chart.chartId;
}

/** Reads the sections at the same time, outside of a transaction each over a connection of its own. */
async function readSections(
  tx: PracticeTx,
  { id, chartId, mayRestricted }: { id: number; chartId: number; mayRestricted: boolean },
  request: PatientRecordRequest,
): Promise<Omit<PatientWithSections, 'record' | 'fullSsn'>> {
  const chart = [chartId];
  const [balances, claims, registrations, customFields, insurances, copies, portal] = await Promise.all([
    request.balances ? tx.rows(PATIENT_BALANCES, chart) : null,
    request.balances ? tx.rows(PATIENT_CLAIMS, [...chart, request.allClaims]) : null,
    request.registrations ? tx.rows(PATIENT_REGISTRATIONS, chart) : null,
    request.customFields ? tx.rows(PATIENT_CUSTOM_FIELDS, chart) : null,
    request.insurances ? tx.rows(PATIENT_INSURANCES, [...chart, false]) : null,
    request.localIds ? tx.rows(LOCAL_PATIENT_IDS, [id, mayRestricted]) : null,
    request.portal ? tx.rows(PATIENT_PORTAL, chart) : null,
  ]);
  const localIds = copies && (copies.length > 0 ? copies.map((copy) => copy.id) : [id]);
  return { balances, claims, registrations, customFields, insurances, localIds, portal: portal?.[0] ? toPortalStatus(portal[0]) : null };
}

function toPortalStatus(row: PortalRow): PortalStatus {
  const own = {
    registeredAt: row.ownRegisteredAt,
    blockedAt: row.ownBlockedAt,
    termsAcceptedAt: row.ownTermsAcceptedAt,
    lastLoginAt: row.ownLastLoginAt,
  };
  const family = {
    registeredAt: row.familyRegisteredAt,
    blockedAt: row.familyBlockedAt,
    termsAcceptedAt: row.familyTermsAcceptedAt,
    lastLoginAt: row.familyLastLoginAt,
  };
  return portalStatus({ own: row.own ? own : null, family: row.family ? family : null, noPortal: row.noPortal, timeZone: row.timeZone });
}

function decryptSsn(keyring: Keyring, chart: RowOfValue, encrypted: { ssn: string | null; guarantorSsn: string | null } | undefined) {
  const { ssn, guarantorSsn } = encrypted ?? { ssn: null, guarantorSsn: null };
  return {
    ssn: ssn && revealSsn(keyring, chart, ssn),
    guarantorSsn: guarantorSsn && revealGuarantorSsn(keyring, chart, guarantorSsn),
  };
}

/** @param detail says in the audit what was more than an ordinary read */
function recordRecordRead({ journal }: Caller, id: number, detail: string | undefined): void {
  journal.audits.push({ action: 'read', resource: 'patient', ids: [id], ...(detail === undefined ? {} : { detail }) });
}
