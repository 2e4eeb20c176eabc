import { z } from 'zod';
import type { PortalStatus } from '../../domain/patients/portal-status.ts';
import type { BalanceRow, ClaimRow, CustomFieldRow, InsuranceRow, RegistrationRow } from '../../domain/patients/record-sections.sql.ts';
import { writeDay } from '../../domain/values/time.ts';
import { idText, text, usDay, writeUsDay } from './patient-values.wire.ts';

/** The optional arrays of a patient record: shapes of their items, and mappers. */

const dollars = (what: string) => z.string().describe(`${what}: dollars, cents only where there are any`);

export const portalStatusShape = z
  .strictObject({
    status: z
      .enum(['REGISTERED', 'NOTREGISTERED', 'FAMILYLOGIN', 'NOPORTAL', 'BLOCKEDFAILEDLOGINS', 'FAMILYBLOCKEDFAILEDLOGINS'])
      .describe('A privacy restriction comes first, then the own account of the patient, then that of a family member'),
    entitytodisplay: z.enum(['PATIENT', 'FAMILY']).describe('Whose account the status speaks of'),
    noportalyn: z.boolean(),
    registeredyn: z.boolean(),
    familyregisteredyn: z.boolean(),
    blockedfailedloginsyn: z.boolean(),
    familyblockedfailedloginsyn: z.boolean(),
    termsaccepted: z.boolean().describe('By the entity to display'),
    portalregistrationdate: usDay().describe('Of the entity to display, mm/dd/yyyy'),
    lastlogindate: usDay(),
    lastloginentity: z.enum(['PATIENT', 'FAMILY']).optional(),
  })
  .meta({ id: 'PortalStatus' });

export const patientStatusShape = z
  .strictObject({
    departmentid: z.int(),
    primaryproviderid: z.string().optional(),
    status: z.string().describe('active, inactive, prospective or deleted'),
  })
  .meta({ id: 'PatientDepartmentStatus' });

export const balanceShape = z
  .strictObject({
    providergroupid: z.string(),
    departmentlist: z.string().describe('Ids of the departments of the group, comma-separated'),
    balance: dollars('What the patient owes, negative where the practice owes'),
    cleanbalance: z.enum(['true', 'false']).describe('Nothing of it is in collections, in a payment plan or under a contract'),
    collectionsbalance: dollars('Of it in collections'),
    paymentplanbalance: dollars('Of it in a payment plan'),
    contracts: z.array(
      z.strictObject({ contractclass: z.string(), maxamount: dollars('At most'), availablebalance: dollars('Left to charge') }),
    ),
  })
  .meta({ id: 'Balance' });

export const claimShape = z
  .strictObject({
    claimid: z.string(),
    providergroupid: z.string(),
    servicedate: usDay(),
    description: z.string().optional(),
    chargeamount: dollars('Charged'),
    outstandingamount: dollars('Of it what the patient has still to pay'),
  })
  .meta({ id: 'Claim' });

export const customFieldShape = z
  .strictObject({
    customfieldid: z.string(),
    customfieldvalue: z.string().optional().describe('A day is mm/dd/yyyy'),
    optionid: z.string().optional(),
  })
  .meta({ id: 'CustomField' });

/** Of the policy holder and of the insured, the fields that follow their prefix; the columns keep them under these names. */
const PERSON_FIELDS = [
  'firstname',
  'middlename',
  'lastname',
  'suffix',
  'dob',
  'sex',
  'address1',
  'address2',
  'city',
  'state',
  'zip',
  'countrycode',
  'countryiso3166',
] as const;

export const insuranceShape = z
  .strictObject({
    insuranceid: z.string(),
    insurancepackageid: z.int().optional(),
    sequencenumber: z.int().describe('1 is the primary insurance'),
    insuranceidnumber: text(),
    insuranceplanname: text(),
    insurancetype: text(),
    ircname: text(),
    policynumber: text().describe('The group number'),
    relationshiptoinsured: text(),
    relationshiptoinsuredid: z.int().optional(),
    eligibilitystatus: text(),
    eligibilityreason: text(),
    eligibilitylastchecked: usDay(),
    issuedate: usDay(),
    expirationdate: usDay(),
    insurancepolicyholder: text().describe('First and last name'),
    insurancepolicyholderfirstname: text(),
    insurancepolicyholdermiddlename: text(),
    insurancepolicyholderlastname: text(),
    insurancepolicyholdersuffix: text(),
    insurancepolicyholderdob: text(),
    insurancepolicyholdersex: text(),
    insurancepolicyholderaddress1: text(),
    insurancepolicyholderaddress2: text(),
    insurancepolicyholdercity: text(),
    insurancepolicyholderstate: text(),
    insurancepolicyholderzip: text(),
    insurancepolicyholdercountrycode: text(),
    insurancepolicyholdercountryiso3166: text(),
    insuredfirstname: text(),
    insuredmiddlename: text(),
    insuredlastname: text(),
    insuredsuffix: text(),
    insureddob: text(),
    insuredsex: text(),
    insuredaddress1: text(),
    insuredaddress2: text(),
    insuredcity: text(),
    insuredstate: text(),
    insuredzip: text(),
    insuredcountrycode: text(),
    insuredcountryiso3166: text(),
  })
  .meta({ id: 'Insurance' });

export function fromPortalStatus(portal: PortalStatus): z.input<typeof portalStatusShape> {
  return {
    status: portal.status,
    entitytodisplay: portal.entity,
    noportalyn: portal.noPortal,
    registeredyn: portal.registered,
    familyregisteredyn: portal.familyRegistered,
    blockedfailedloginsyn: portal.blocked,
    familyblockedfailedloginsyn: portal.familyBlocked,
    termsaccepted: portal.termsAccepted,
    portalregistrationdate: writeUsDay(writeDay(portal.registeredOn)),
    lastlogindate: writeUsDay(writeDay(portal.lastLoginOn)),
    lastloginentity: portal.lastLoginEntity ?? undefined,
  };
}

export function fromRegistration({ officeId, primaryProviderId, status }: RegistrationRow): z.input<typeof patientStatusShape> {
  return { departmentid: officeId, primaryproviderid: idText(primaryProviderId), status };
}

export function fromBalance(row: BalanceRow): z.input<typeof balanceShape> {
  const clean = isNothing(row.collectionsAmount) && isNothing(row.paymentPlanAmount) && row.contracts.length === 0;
  return {
    providergroupid: String(row.providerGroupId),
    departmentlist: row.officeIds,
    balance: writeDollars(row.amount),
    cleanbalance: clean ? 'true' : 'false',
    collectionsbalance: writeDollars(row.collectionsAmount),
    paymentplanbalance: writeDollars(row.paymentPlanAmount),
    contracts: row.contracts.map(({ contractClass, maxAmount, availableAmount }) => ({
      contractclass: contractClass,
      maxamount: writeDollars(maxAmount),
      availablebalance: writeDollars(availableAmount),
    })),
  };
}

export function fromClaim(row: ClaimRow): z.input<typeof claimShape> {
  return {
    claimid: String(row.id),
    providergroupid: String(row.providerGroupId),
    servicedate: writeUsDay(row.serviceDate),
    description: row.description ?? undefined,
    chargeamount: writeDollars(row.chargeAmount),
    outstandingamount: writeDollars(row.outstandingPatient),
  };
}

export function fromCustomField({ customFieldId, type, value, optionId }: CustomFieldRow): z.input<typeof customFieldShape> {
  const written = type === 'date' ? writeUsDay(value) : (value ?? undefined);
  return { customfieldid: String(customFieldId), customfieldvalue: written, optionid: idText(optionId) };
}

export function fromInsurance(row: InsuranceRow): z.input<typeof insuranceShape> {
  const [holder, insured] = [fieldsOf(row.policyHolder), fieldsOf(row.insured)];
  return {
    insuranceid: String(row.id),
    insurancepackageid: row.insurancePackageId ?? undefined,
    sequencenumber: row.sequenceNumber,
    insuranceidnumber: row.idNumber ?? undefined,
    insuranceplanname: row.planName ?? undefined,
    insurancetype: row.type ?? undefined,
    ircname: row.ircName ?? undefined,
    policynumber: row.groupNumber ?? undefined,
    relationshiptoinsured: row.relationshipToInsured ?? undefined,
    relationshiptoinsuredid: row.relationshipToInsuredId ?? undefined,
    eligibilitystatus: row.eligibilityStatus ?? undefined,
    eligibilityreason: row.eligibilityReason ?? undefined,
    eligibilitylastchecked: writeUsDay(row.eligibilityCheckedOn),
    issuedate: writeUsDay(row.issuedOn),
    expirationdate: writeUsDay(row.expiresOn),
    insurancepolicyholder: [holder.get('firstname'), holder.get('lastname')].filter(Boolean).join(' ') || undefined,
    ...prefixed('insurancepolicyholder', holder),
    ...prefixed('insured', insured),
  };
}

/** The texts of a document that hold something. */
function fieldsOf(document: unknown): Map<string, string> {
  const entries = typeof document === 'object' && document !== null ? Object.entries(document) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''));
}

function prefixed(prefix: 'insurancepolicyholder' | 'insured', fields: Map<string, string>): Record<string, string> {
  const known = PERSON_FIELDS.filter((field) => fields.has(field));
  return Object.fromEntries(known.map((field) => [`${prefix}${field}`, fields.get(field) ?? '']));
}

const isNothing = (amount: string) => /^-?[0.]+$/.test(amount);

/** `0`, `120`, `-25.15`. */
const writeDollars = (amount: string) => amount.replace(/\.00$/, '');
