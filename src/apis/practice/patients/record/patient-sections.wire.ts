import { z } from 'zod';
import type { InsuredPerson } from '../../../../domain/patients/record/insured-person.ts';
import type { PortalStatus } from '../../../../domain/patients/record/portal-status.ts';
import type {
  BalanceRow,
  ClaimRow,
  CustomFieldRow,
  InsuranceRow,
  RegistrationRow,
} from '../../../../domain/patients/record/record-sections.sql.ts';
import { writeDay } from '../../../../domain/values/time/time.ts';
import { type Fields, namesIn } from '../../../../records/field.ts';
import { INSURANCE, INSURED, POLICY_HOLDER } from '../../../../records/insurance.ts';
import { shapesOf } from '../../../../records/shapes.ts';
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
      .describe('Determined by a privacy restriction, otherwise the patient’s own account, otherwise that of a family member'),
    entitytodisplay: z.enum(['PATIENT', 'FAMILY']).describe('Holder of the account described by the status'),
    noportalyn: z.boolean().describe('Whether there is no account'),
    registeredyn: z.boolean().describe('Whether the patient has an own account'),
    familyregisteredyn: z.boolean().describe('Whether a family member has an account for the patient'),
    blockedfailedloginsyn: z.boolean().describe('Whether failed sign-ins block the patient’s account'),
    familyblockedfailedloginsyn: z.boolean().describe('Whether failed sign-ins block the family member’s account'),
    termsaccepted: z.boolean().describe('Whether the entity to display accepted the terms'),
    portalregistrationdate: usDay().describe('Registration date of the entity to display, mm/dd/yyyy'),
    lastlogindate: usDay().describe('Day of the last sign-in, mm/dd/yyyy'),
    lastloginentity: z.enum(['PATIENT', 'FAMILY']).optional().describe('Who signed in last'),
  })
  .meta({ id: 'PortalStatus' });

export const patientStatusShape = z
  .strictObject({
    departmentid: z.int().describe('Department id'),
    primaryproviderid: z.string().optional().describe('Provider id'),
    status: z.enum(['active', 'inactive', 'prospective', 'deleted']).describe('Status of the registration in this department'),
  })
  .meta({ id: 'PatientDepartmentStatus' });

export const balanceShape = z
  .strictObject({
    providergroupid: z.string().describe('Id of the provider group that the balance belongs to'),
    departmentlist: z.string().describe('Ids of the departments of the group, comma-separated'),
    balance: dollars('Amount that the patient owes, negative if the practice owes'),
    cleanbalance: z
      .enum(['true', 'false'])
      .describe('Whether no part of the balance is in collections, in a payment plan or under a contract'),
    collectionsbalance: dollars('Part of the balance in collections'),
    paymentplanbalance: dollars('Part of the balance in a payment plan'),
    contracts: z
      .array(
        z.strictObject({
          contractclass: z.string().describe('Kind of the contract'),
          maxamount: dollars('Maximum amount'),
          availablebalance: dollars('Amount left to charge'),
        }),
      )
      .describe('Payment contracts of the patient'),
  })
  .meta({ id: 'Balance' });

export const claimShape = z
  .strictObject({
    claimid: z.string().describe('Claim id'),
    providergroupid: z.string().describe('Id of the provider group of the claim'),
    servicedate: usDay().describe('Day of the service, mm/dd/yyyy'),
    description: z.string().optional().describe('What was done'),
    chargeamount: dollars('Amount charged'),
    outstandingamount: dollars('Amount that the patient still has to pay'),
  })
  .meta({ id: 'Claim' });

export const customFieldShape = z
  .strictObject({
    customfieldid: z.string().describe('Custom field id'),
    customfieldvalue: z.string().optional().describe('Dates are mm/dd/yyyy'),
    optionid: z.string().optional().describe('Id of the chosen option, if the field has options'),
  })
  .meta({ id: 'CustomField' });

const KINDS = {
  name: text,
  line: text,
  number: () => z.int().optional(),
  eligibility: text,
  day: usDay,
  pastDay: usDay,
  sex: text,
  city: text,
  state: text,
  zip: text,
  country: text,
};

export const insuranceShape = z
  .strictObject({
    insuranceid: z.string().describe('Id of this insurance of the patient'),
    sequencenumber: z.int().describe('1 for the primary insurance'),
    ...shapesOf(INSURANCE, namesIn(INSURANCE, 'practice'), KINDS),
    cancelled: usDay().describe('Day of the cancellation, mm/dd/yyyy; returned with showcancelled'),
    insurancepolicyholder: text().describe('First and last name'),
    ...shapesOf(POLICY_HOLDER, namesIn(POLICY_HOLDER, 'practice'), KINDS),
    ...shapesOf(INSURED, namesIn(INSURED, 'practice'), KINDS),
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
    cancelled: writeUsDay(row.cancelledOn),
    insurancepolicyholder: [row.policyHolder?.firstName, row.policyHolder?.lastName].filter(Boolean).join(' ') || undefined,
    ...fromPerson(POLICY_HOLDER, row.policyHolder),
    ...fromPerson(INSURED, row.insured),
  };
}

/** The person's fields that have a value. */
function fromPerson(fields: Fields, person: InsuredPerson | null): Record<string, string> {
  const values = new Map(Object.entries({ ...person, birthDate: writeUsDay(person?.birthDate ?? null) }));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, { practice }]) => {
      const value = values.get(field);
      return value && practice ? [[practice, value]] : [];
    }),
  );
}

const isNothing = (amount: string) => /^-?[0.]+$/.test(amount);

/** `0`, `120`, `-25.15`. */
const writeDollars = (amount: string) => amount.replace(/\.00$/, '');
