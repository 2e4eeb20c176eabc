import { statement } from '../../../database/statements/statement.ts';
import type { Insurance } from '../../../generated/prisma/client.ts';
import { columnOf, type Field } from '../../../records/field.ts';
import { INSURANCE } from '../../../records/insurance.ts';
import { whereVisibleChart } from '../restrictions/restricted-charts.sql.ts';
import type { InsuredPerson } from './insured-person.ts';
import { PATIENT_RECORD_BY_ID, type PatientRecord } from './record.sql.ts';

/**
 * Optional sections of a patient record: one statement for each, by (organization, patient). Amounts are decimal texts in
 * dollars, days `YYYY-MM-DD`.
 */

export interface RegistrationRow {
  officeId: number;
  primaryProviderId: number | null;
  status: 'active' | 'inactive' | 'prospective' | 'deleted';
}

/** An office knows the patient by the status of the chart, or of the copy that it has. Values: organization, patient. */
export const PATIENT_REGISTRATIONS = statement<RegistrationRow>(
  'patient_registrations',
  `SELECT r.office_id AS "officeId", r.primary_provider_id AS "primaryProviderId", coalesce(copy.status, p.status) AS status
     FROM patient_registration r
     JOIN patient p ON p.organization_id = $1 AND p.id = r.patient_id
     LEFT JOIN patient copy ON copy.organization_id = $1 AND copy.id = r.local_patient_id AND copy.enterprise_id = r.patient_id
    WHERE r.organization_id = $1 AND r.patient_id = $2
    ORDER BY r.office_id`,
);

export interface BalanceRow {
  providerGroupId: number;
  amount: string;
  collectionsAmount: string;
  paymentPlanAmount: string;
  /** Ids of the group's offices, comma-separated. */
  officeIds: string;
  contracts: { contractClass: string; maxAmount: string; availableAmount: string }[];
}

/** Values: organization, patient. */
export const PATIENT_BALANCES = statement<BalanceRow>(
  'patient_balances',
  `SELECT b.provider_group_id AS "providerGroupId", b.amount, b.collections_amount AS "collectionsAmount",
          b.payment_plan_amount AS "paymentPlanAmount",
          coalesce((SELECT string_agg(o.id::text, ',' ORDER BY o.id) FROM office o
                     WHERE o.organization_id = $1 AND o.provider_group_id = b.provider_group_id AND o.active), '') AS "officeIds",
          coalesce((SELECT json_agg(json_build_object('contractClass', c.contract_class, 'maxAmount', c.max_amount::text,
                                                      'availableAmount', c.available_amount::text) ORDER BY c.id)
                      FROM balance_contract c
                     WHERE c.organization_id = $1 AND c.patient_id = b.patient_id
                       AND c.provider_group_id = b.provider_group_id), '[]') AS contracts
     FROM balance b
    WHERE b.organization_id = $1 AND b.patient_id = $2
    ORDER BY b.provider_group_id`,
);

export interface ClaimRow {
  id: number;
  providerGroupId: number;
  serviceDate: string;
  description: string | null;
  chargeAmount: string;
  outstandingPatient: string;
}

/** Claims, newest first. Values: organization, patient, whether to include those that the patient owes nothing of. */
export const PATIENT_CLAIMS = statement<ClaimRow>(
  'patient_claims',
  `SELECT id, provider_group_id AS "providerGroupId", to_char(service_date, 'YYYY-MM-DD') AS "serviceDate", description,
          charge_amount AS "chargeAmount", outstanding_patient AS "outstandingPatient"
     FROM claim
    WHERE organization_id = $1 AND patient_id = $2 AND ($3::boolean OR outstanding_patient > 0)
    ORDER BY claim.service_date DESC, id DESC`,
);

export interface CustomFieldRow {
  customFieldId: number;
  /** text, number, date or select. */
  type: string;
  value: string | null;
  optionId: number | null;
}

/** Custom fields that are in use, with their values. Values: organization, patient. */
export const PATIENT_CUSTOM_FIELDS = statement<CustomFieldRow>(
  'patient_custom_fields',
  `SELECT v.custom_field_id AS "customFieldId", f.type, v.value, v.option_id AS "optionId"
     FROM patient_custom_field v
     JOIN custom_field f ON f.organization_id = v.organization_id AND f.id = v.custom_field_id
    WHERE v.organization_id = $1 AND v.patient_id = $2 AND f.active
    ORDER BY v.custom_field_id`,
);

/** The fields of an insurance, with days as `YYYY-MM-DD`. */
type InsuranceFields = { [F in keyof typeof INSURANCE]: Insurance[F] extends Date | null ? string | null : Insurance[F] | null };

export interface InsuranceRow extends InsuranceFields {
  id: number;
  sequenceNumber: number;
  cancelledOn: string | null;
  policyHolder: InsuredPerson | null;
  insured: InsuredPerson | null;
}

const INSURANCE_FIELDS = Object.entries<Field>(INSURANCE)
  .map(([name, field]) => `${columnOf(name, field)}${field.kind === 'day' ? '::text' : ''} AS "${name}"`)
  .join(', ');

/** Insurances, the primary one first. Values: organization, patient, whether to include those that were cancelled. */
export const PATIENT_INSURANCES = statement<InsuranceRow>(
  'patient_insurances',
  `SELECT id, sequence_number AS "sequenceNumber", ${INSURANCE_FIELDS}, cancelled_on::text AS "cancelledOn",
          policy_holder AS "policyHolder", insured
     FROM insurance
    WHERE organization_id = $1 AND patient_id = $2 AND ($3::boolean OR cancelled_on IS NULL)
    ORDER BY sequence_number, id`,
);

/** A plan of a payer, by the number that programs send. */
export interface NamedPackage {
  id: number;
  planName: string;
  type: string | null;
  ircName: string | null;
}

/**
 * Packages whose plan contains a text, by its name: those of the practice, and others as the newest insurance names them of a chart that everybody
 * sees. Values: organization, the text.
 */
export const INSURANCE_PACKAGES = statement<NamedPackage>(
  'insurance_packages',
  `SELECT * FROM (
     SELECT k.number AS id, k.plan_name AS "planName", k.type, k.irc_name AS "ircName" FROM insurance_package k WHERE k.organization_id = $1
      UNION ALL
     (SELECT DISTINCT ON (i.insurance_package_id) i.insurance_package_id, i.plan_name, i.type, i.irc_name
       FROM insurance i
       JOIN patient p ON p.organization_id = $1 AND p.id = i.patient_id AND p.status <> 'deleted' AND NOT p.restricted
      WHERE i.organization_id = $1 AND i.insurance_package_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM insurance_package k WHERE k.organization_id = $1 AND k.number = i.insurance_package_id)
      ORDER BY i.insurance_package_id, i.id DESC)) package
    WHERE strpos(fold("planName"), fold($2::text)) > 0
    ORDER BY fold("planName"), id`,
);

export interface PortalRow {
  timeZone: string;
  noPortal: boolean;
  own: boolean;
  ownRegisteredAt: Date | null;
  ownBlockedAt: Date | null;
  ownTermsAcceptedAt: Date | null;
  ownLastLoginAt: Date | null;
  family: boolean;
  familyRegisteredAt: Date | null;
  familyBlockedAt: Date | null;
  familyTermsAcceptedAt: Date | null;
  familyLastLoginAt: Date | null;
}

const PORTAL_ACCOUNT = (holder: 'PATIENT' | 'FAMILY') =>
  `LATERAL (SELECT a.* FROM portal_account a
             WHERE a.organization_id = $1 AND a.patient_id IN ($2, person.id) AND a.holder = '${holder}'
             ORDER BY a.patient_id = $2 DESC LIMIT 1)`;

/**
 * Always one row. A portal account belongs to the person: the enterprise chart's counts for its copies too, unless a copy
 * has one of its own. Values: organization, patient.
 */
export const PATIENT_PORTAL = statement<PortalRow>(
  'patient_portal',
  `SELECT g.time_zone AS "timeZone",
          EXISTS (SELECT 1 FROM privacy_restriction r
                   WHERE r.organization_id = $1 AND r.patient_id IN ($2, person.id) AND r.kind = 'portal' AND r.lifted_at IS NULL) AS "noPortal",
          own.id IS NOT NULL AS own, own.registered_at AS "ownRegisteredAt", own.blocked_at AS "ownBlockedAt",
          own.terms_accepted_at AS "ownTermsAcceptedAt", own.last_login_at AS "ownLastLoginAt",
          family.id IS NOT NULL AS family, family.registered_at AS "familyRegisteredAt", family.blocked_at AS "familyBlockedAt",
          family.terms_accepted_at AS "familyTermsAcceptedAt", family.last_login_at AS "familyLastLoginAt"
     FROM organization g
    CROSS JOIN (SELECT (SELECT p.enterprise_id FROM patient p WHERE p.organization_id = $1 AND p.id = $2) AS id) person
     LEFT JOIN ${PORTAL_ACCOUNT('PATIENT')} own ON true
     LEFT JOIN ${PORTAL_ACCOUNT('FAMILY')} family ON true
    WHERE g.id = $1`,
);

/** Departmental copies of an enterprise chart. Values: organization, enterprise chart, whether the caller may see restricted charts. */
export const LOCAL_PATIENT_IDS = statement<{ id: number }>(
  'local_patient_ids',
  `SELECT p.id FROM patient p WHERE p.organization_id = $1 AND p.enterprise_id = $2 AND ${whereVisibleChart('p', '$3')} ORDER BY p.id`,
);

export interface SealedSsnRow {
  ssn: string | null;
  guarantorSsn: string | null;
}

/** Encrypted social security numbers. Values: organization, patient. */
export const PATIENT_SSN = statement<SealedSsnRow>(
  'patient_ssn',
  'SELECT ssn_encrypted AS ssn, guarantor_ssn_encrypted AS "guarantorSsn" FROM patient WHERE organization_id = $1 AND id = $2',
);

export interface DepartmentChartRow {
  /** The requested patient exists and may be shown. */
  visible: boolean;
  /** The patient's chart in the department's financial group; null where there is none. */
  chartId: number | null;
}

/**
 * The chart that a department uses for a patient; no row for an unknown department. Where an enterprise practice has copies
 * of the patient, it is the chart registered in the department's financial group: a copy before the enterprise chart, then
 * one of the department itself. In all other cases it is the requested chart.
 * Values: organization, patient, department, whether the caller may see restricted charts.
 */
export const CHART_IN_DEPARTMENT = statement<DepartmentChartRow>(
  'chart_in_department',
  `WITH requested AS (
     SELECT p.id, coalesce(p.enterprise_id, p.id) AS person
       FROM patient p
      WHERE p.organization_id = $1 AND p.id = $2 AND ${whereVisibleChart('p', '$4')}
   ), here AS (
     SELECT o.id, o.provider_group_id, g.is_enterprise AND o.provider_group_id IS NOT NULL AS separate
       FROM office o JOIN organization g ON g.id = o.organization_id
      WHERE o.organization_id = $1 AND o.id = $3
   ), chart AS (
     SELECT c.id, c.primary_office_id, c.id <> requested.person AS copy
       FROM requested JOIN patient c ON c.organization_id = $1 AND (c.id = requested.person OR c.enterprise_id = requested.person)
      WHERE c.status <> 'deleted'
   ), known AS (
     SELECT coalesce(r.local_patient_id, r.patient_id) AS id, r.office_id
       FROM chart JOIN patient_registration r ON r.organization_id = $1 AND r.patient_id = chart.id
      UNION ALL
     SELECT chart.id, chart.primary_office_id FROM chart WHERE chart.primary_office_id IS NOT NULL
   )
   SELECT requested.id IS NOT NULL AS visible,
          CASE WHEN here.separate AND EXISTS (SELECT 1 FROM chart WHERE copy)
               THEN (SELECT chart.id
                       FROM known
                       JOIN chart ON chart.id = known.id
                       JOIN office o ON o.organization_id = $1 AND o.id = known.office_id AND o.provider_group_id = here.provider_group_id
                      ORDER BY chart.copy DESC, (o.id = here.id) DESC, chart.id
                      LIMIT 1)
               ELSE requested.id
          END AS "chartId"
     FROM here LEFT JOIN requested ON true`,
);

/**
 * The record, and whether it is restricted or blocked, itself or as a copy of a chart that is. One statement, since most
 * requests need nothing else; one JSON value, since ninety columns cost the driver more than parsing it.
 * Values: organization, patient, today in the practice.
 */
export const PATIENT_WITH_RESTRICTION = statement<{ patient: PatientRecord & { restricted: boolean } }>(
  'patient_with_restriction',
  `SELECT row_to_json(patient) AS patient
     FROM (SELECT record.*, (SELECT p.restricted FROM patient p WHERE p.organization_id = $1 AND p.id = $2) AS restricted
             FROM (${PATIENT_RECORD_BY_ID.text}) AS record) AS patient`,
);
