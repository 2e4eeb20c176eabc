import { z } from 'zod';
import type { InsuredField, InsuredPerson } from '../../domain/patients/insurances.ts';
import type { PortalStatus } from '../../domain/patients/portal-status.ts';
import type { BalanceRow, ClaimRow, CustomFieldRow, InsuranceRow, RegistrationRow } from '../../domain/patients/record-sections.sql.ts';
import { writeDay } from '../../domain/values/time.ts';
import { idText, text, usDay, writeUsDay } from './patient-formats.wire.ts';

/** Optional sections of a patient record: shapes of their items, and mappers. */

const dollars = (what: string) =>
  z
    .string()
    .regex(/^-?\d+(\.\d{2})?$/)
    .describe(`${what}: dollars; cents only if not zero`);

export const portalStatusShape = z
  .strictObject({
    status: z
      .enum(['REGISTERED', 'NOTREGISTERED', 'FAMILYLOGIN', 'NOPORTAL', 'BLOCKEDFAILEDLOGINS', 'FAMILYBLOCKEDFAILEDLOGINS'])
      .describe('A privacy restriction takes precedence, then the patient’s own account, then that of a family member'),
    entitytodisplay: z.enum(['PATIENT', 'FAMILY']).describe('Holder of the account that the status describes'),
    noportalyn: z.boolean(),
    registeredyn: z.boolean(),
    familyregisteredyn: z.boolean(),
    blockedfailedloginsyn: z.boolean(),
    familyblockedfailedloginsyn: z.boolean(),
    termsaccepted: z.boolean().describe('Whether the entity to display accepted the terms'),
    portalregistrationdate: usDay().describe('Registration date of the entity to display, mm/dd/yyyy'),
    lastlogindate: usDay(),
    lastloginentity: z.enum(['PATIENT', 'FAMILY']).optional(),
  })
  .meta({ id: 'PortalStatus' });

export const patientStatusShape = z
  .strictObject({
    departmentid: z.int(),
    primaryproviderid: z.string().optional(),
    status: z.enum(['active', 'inactive', 'prospective', 'deleted']),
  })
  .meta({ id: 'PatientDepartmentStatus' });

export const balanceShape = z
  .strictObject({
    providergroupid: z.string(),
    departmentlist: z.string().describe('Ids of the departments of the group, comma-separated'),
    balance: dollars('Amount that the patient owes, negative if the practice owes'),
    cleanbalance: z
      .enum(['true', 'false'])
      .describe('Whether no part of the balance is in collections, in a payment plan or under a contract'),
    collectionsbalance: dollars('Part of the balance in collections'),
    paymentplanbalance: dollars('Part of the balance in a payment plan'),
    contracts: z.array(
      z.strictObject({
        contractclass: z.string(),
        maxamount: dollars('Maximum amount'),
        availablebalance: dollars('Amount left to charge'),
      }),
    ),
  })
  .meta({ id: 'Balance' });

export const claimShape = z
  .strictObject({
    claimid: z.string(),
    providergroupid: z.string(),
    servicedate: usDay(),
    description: z.string().optional(),
    chargeamount: dollars('Amount charged'),
    outstandingamount: dollars('Part of the charge that the patient still has to pay'),
  })
  .meta({ id: 'Claim' });

export const customFieldShape = z
  .strictObject({
    customfieldid: z.string(),
    customfieldvalue: z.string().optional().describe('Dates are mm/dd/yyyy'),
    optionid: z.string().optional(),
  })
  .meta({ id: 'CustomField' });

/** Names of the policy holder's and the insured's fields, after the prefix. */
const PERSON_NAMES: Readonly<Record<InsuredField, string>> = {
  firstName: 'firstname',
  middleName: 'middlename',
  lastName: 'lastname',
  suffix: 'suffix',
  birthDate: 'dob',
  sex: 'sex',
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  state: 'state',
  zip: 'zip',
  countryCode: 'countrycode',
  countryCode3166: 'countryiso3166',
};

export const insuranceShape = z
  .strictObject({
    insuranceid: z.string(),
    insurancepackageid: z.int().optional(),
    sequencenumber: z.int().describe('1 for the primary insurance'),
    insuranceidnumber: text(),
    insuranceplanname: text(),
    insurancetype: text(),
    ircname: text(),
    policynumber: text().describe('Group number'),
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
    insurancepolicyholderdob: usDay(),
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
    insureddob: usDay(),
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
    insurancepolicyholder: [row.policyHolder?.firstName, row.policyHolder?.lastName].filter(Boolean).join(' ') || undefined,
    ...prefixed('insurancepolicyholder', row.policyHolder),
    ...prefixed('insured', row.insured),
  };
}

/** The person's fields that have a value, under their names with the prefix. */
function prefixed(prefix: 'insurancepolicyholder' | 'insured', person: InsuredPerson | null): Record<string, string> {
  const values = new Map(Object.entries({ ...person, birthDate: writeUsDay(person?.birthDate ?? null) }));
  return Object.fromEntries(
    Object.entries(PERSON_NAMES).flatMap(([field, name]) => {
      const value = values.get(field);
      return value ? [[`${prefix}${name}`, value]] : [];
    }),
  );
}

const isNothing = (amount: string) => /^-?[0.]+$/.test(amount);

/** `0`, `120`, `-25.15`. */
const writeDollars = (amount: string) => amount.replace(/\.00$/, '');
