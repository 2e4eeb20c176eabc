import type { RowOfValue } from '../../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import { DESPITE_RESTRICTION } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { todayAt } from '../../practices/organization-zone.ts';
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
export async function readPatientRecord(
  prepared: Prepared,
  caller: Caller,
  keyring: Keyring,
  id: number,
  request: PatientRecordRequest,
): Promise<PatientWithSections> {
  const { organizationId } = caller;
  const fullSsn = request.fullSsn && caller.scopes.has(SSN_SCOPE);
  const mayRestricted = request.ignoreRestrictions || maySeeRestricted(caller);
  const chartId = await chartFor(prepared, organizationId, { id, officeId: request.officeId, mayRestricted });
  const today = await todayAt(prepared, caller);
  const [[found], encrypted, sections] = await Promise.all([
    prepared.rows(PATIENT_WITH_RESTRICTION, [organizationId, chartId, today]),
    fullSsn ? prepared.rows(PATIENT_SSN, [organizationId, chartId]) : null,
    readSections(prepared, organizationId, { id, chartId, mayRestricted }, request),
  ]);
  const record = found?.patient;
  if (!record || record.status === 'deleted' || (record.restricted && !mayRestricted)) throw notFound('patient');
  // The audit marks by itself what a caller with the right sees; a parameter is no right.
  const despite = record.restricted && !maySeeRestricted(caller) ? DESPITE_RESTRICTION : undefined;
  recordRecordRead(caller, chartId, despite);
  if (fullSsn) recordRecordRead(caller, chartId, ['full social security number', ...(despite === undefined ? [] : [despite])].join('; '));
  return { record, fullSsn: encrypted && decryptSsn(keyring, { organizationId, row: chartId }, encrypted[0]), ...sections };
}

/** Id of the chart that the request means: the requested one, or another of the same person. */
async function chartFor(
  prepared: Prepared,
  organizationId: number,
  { id, officeId, mayRestricted }: { id: number; officeId: number | null; mayRestricted: boolean },
): Promise<number> {
  if (officeId === null) return id;
  const [chart] = await prepared.rows(CHART_IN_DEPARTMENT, [organizationId, id, officeId, mayRestricted]);
  if (!chart) throw notFound('office', 'officeId');
  if (!chart.visible) throw notFound('patient');
  if (chart.chartId === null) throw notFound('patient', 'officeId');
  return chart.chartId;
}

/** Reads the sections at the same time, outside of a transaction each over a connection of its own. */
async function readSections(
  prepared: Prepared,
  organizationId: number,
  { id, chartId, mayRestricted }: { id: number; chartId: number; mayRestricted: boolean },
  request: PatientRecordRequest,
): Promise<Omit<PatientWithSections, 'record' | 'fullSsn'>> {
  const chart = [organizationId, chartId];
  const [balances, claims, registrations, customFields, insurances, copies, portal] = await Promise.all([
    request.balances ? prepared.rows(PATIENT_BALANCES, chart) : null,
    request.balances ? prepared.rows(PATIENT_CLAIMS, [...chart, request.allClaims]) : null,
    request.registrations ? prepared.rows(PATIENT_REGISTRATIONS, chart) : null,
    request.customFields ? prepared.rows(PATIENT_CUSTOM_FIELDS, chart) : null,
    request.insurances ? prepared.rows(PATIENT_INSURANCES, [...chart, false]) : null,
    request.localIds ? prepared.rows(LOCAL_PATIENT_IDS, [organizationId, id, mayRestricted]) : null,
    request.portal ? prepared.rows(PATIENT_PORTAL, chart) : null,
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
