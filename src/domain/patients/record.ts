import type { Keyring } from '../../database/keyring.ts';
import type { Prepared } from '../../database/statement.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
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
  PATIENT_SHOWN,
  PATIENT_SSN,
  type PortalRow,
  type RegistrationRow,
} from './record-sections.sql.ts';
import { revealSsn } from './ssn.ts';

/** What a caller wants to see of a patient. What is not asked for is not read. */
export interface PatientQuestion {
  /** An office: the chart that its financial group has of the patient. */
  officeId: number | null;
  /** Also a restricted or blocked patient. */
  despiteRestrictions: boolean;
  fullSsn: boolean;
  balances: boolean;
  /** Beside those with a balance; only with balances. */
  allClaims: boolean;
  registrations: boolean;
  customFields: boolean;
  insurances: boolean;
  localIds: boolean;
  portal: boolean;
}

/** A patient with the blocks that were asked for; the others are null. */
export interface ShownPatient {
  record: PatientRecord;
  /** Nine digits each, null where the chart has none. */
  fullSsn: { ssn: string | null; guarantorSsn: string | null } | null;
  balances: BalanceRow[] | null;
  claims: ClaimRow[] | null;
  registrations: RegistrationRow[] | null;
  customFields: CustomFieldRow[] | null;
  insurances: InsuranceRow[] | null;
  /** Of an enterprise chart those of its copies, else the one that was asked for. */
  localIds: number[] | null;
  portal: PortalStatus | null;
}

/** The scope without which social security numbers stay masked. */
const SSN_SCOPE = 'ssn.read';

/**
 * One patient, with what is asked for.
 * @throws Failure not_found: there is none, or a deleted one, or a restricted one of whom the caller does not ask to know;
 *   naming `officeId` where there is no such office, or its group has no chart of the patient
 */
export async function showPatient(
  prepared: Prepared,
  caller: Caller,
  keyring: Keyring,
  id: number,
  question: PatientQuestion,
): Promise<ShownPatient> {
  const { organizationId } = caller;
  const fullSsn = question.fullSsn && caller.scopes.has(SSN_SCOPE);
  const chartId = await chartFor(prepared, caller, id, question);
  const [[found], sealed, blocks] = await Promise.all([
    prepared.rows(PATIENT_SHOWN, [organizationId, chartId]),
    fullSsn ? prepared.rows(PATIENT_SSN, [organizationId, chartId]) : null,
    readBlocks(prepared, organizationId, { id, chartId }, question),
  ]);
  const record = found?.shown;
  if (!record || record.status === 'deleted' || (record.restricted && !question.despiteRestrictions)) throw notFound('patient');
  recordShown(caller, chartId, record.restricted ? 'despite a restriction' : undefined);
  if (fullSsn) recordShown(caller, chartId, 'full social security number');
  return { record, fullSsn: sealed && openSsn(keyring, sealed[0]), ...blocks };
}

/** The chart that is meant. */
async function chartFor(
  prepared: Prepared,
  { organizationId }: Caller,
  id: number,
  { officeId, despiteRestrictions }: PatientQuestion,
): Promise<number> {
  if (officeId === null) return id;
  const [chart] = await prepared.rows(CHART_IN_DEPARTMENT, [organizationId, id, officeId, despiteRestrictions]);
  if (!chart) throw notFound('office', 'officeId');
  if (!chart.visible) throw notFound('patient');
  if (chart.chartId === null) throw notFound('patient', 'officeId');
  return chart.chartId;
}

/** All at once, each over a connection of its own. */
async function readBlocks(
  prepared: Prepared,
  organizationId: number,
  { id, chartId }: { id: number; chartId: number },
  asked: PatientQuestion,
): Promise<Omit<ShownPatient, 'record' | 'fullSsn'>> {
  const chart = [organizationId, chartId];
  const [balances, claims, registrations, customFields, insurances, copies, portal] = await Promise.all([
    asked.balances ? prepared.rows(PATIENT_BALANCES, chart) : null,
    asked.balances ? prepared.rows(PATIENT_CLAIMS, [...chart, asked.allClaims]) : null,
    asked.registrations ? prepared.rows(PATIENT_REGISTRATIONS, chart) : null,
    asked.customFields ? prepared.rows(PATIENT_CUSTOM_FIELDS, chart) : null,
    asked.insurances ? prepared.rows(PATIENT_INSURANCES, chart) : null,
    asked.localIds ? prepared.rows(LOCAL_PATIENT_IDS, [organizationId, id]) : null,
    asked.portal ? prepared.rows(PATIENT_PORTAL, chart) : null,
  ]);
  const localIds = copies && (copies.length > 0 ? copies.map((copy) => copy.id) : [id]);
  return { balances, claims, registrations, customFields, insurances, localIds, portal: portal?.[0] ? portalOf(portal[0]) : null };
}

function portalOf(row: PortalRow): PortalStatus {
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

function openSsn(keyring: Keyring, sealed: { ssn: string | null; guarantorSsn: string | null } | undefined) {
  const open = (value: string | null | undefined) => (value ? revealSsn(keyring, value) : null);
  return { ssn: open(sealed?.ssn), guarantorSsn: open(sealed?.guarantorSsn) };
}

/** What was more than an ordinary look is said in the audit. */
function recordShown({ journal }: Caller, id: number, detail: string | undefined): void {
  journal.audits.push({ action: 'read', resource: 'patient', ids: [id], ...(detail === undefined ? {} : { detail }) });
}
