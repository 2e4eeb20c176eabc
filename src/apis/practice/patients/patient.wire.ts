import { z } from 'zod';
import { type Edition, genderIdentityIn, sexualOrientationIn } from '../../../domain/patients/record/gender-terms.ts';
import type { PatientRecordRequest, PatientWithSections } from '../../../domain/patients/record/record.ts';
import { id, optional } from '../../../http/wire/wire-types.ts';
import { option } from '../parameters.ts';
import { fromPatientRecord, type PatientShape } from './record/patient-record.wire.ts';
import {
  fromBalance,
  fromClaim,
  fromCustomField,
  fromInsurance,
  fromPortalStatus,
  fromRegistration,
} from './record/patient-sections.wire.ts';

export const patientParams = z.object({ patientId: id().describe('Patient id') });

export const patientQuery = z.object({
  departmentid: optional(id()).describe(
    'Department id. In an enterprise practice, selects the copy of the patient in the financial group of the department',
  ),
  ignorerestrictions: option().describe('Include restricted and blocked patients. Do not show the result to patients'),
  show2015edcehrtvalues: option().describe(
    'Return genderidentity and sexualorientation in the strings of 2015 Edition certified technology',
  ),
  showallclaims: option().describe('Include claims without an outstanding balance; only with showbalancedetails'),
  showallpatientdepartmentstatus: option().describe('Include allpatientstatuses'),
  showbalancedetails: option().describe('Include balances, and claims with an outstanding balance'),
  showcustomfields: option().describe('Include customfields'),
  showfullssn: option().describe('Return complete social security numbers to clients with the scope ssn.read; masked for others'),
  showinsurance: option().describe('Include insurances'),
  showlocalpatientid: option().describe('Include localpatientid'),
  showportalstatus: option().describe('Include portalstatus'),
});

/** The sections with which a record was read that is compared before it is changed. */
export const patientUpdateQuery = patientQuery.omit({ departmentid: true, ignorerestrictions: true });

export const toEdition = (query: { show2015edcehrtvalues: boolean }): Edition => (query.show2015edcehrtvalues ? 'certified' : 'plain');

export const toPatientRecordRequest = (query: z.output<typeof patientQuery>): PatientRecordRequest => ({
  officeId: query.departmentid ?? null,
  ignoreRestrictions: query.ignorerestrictions,
  fullSsn: query.showfullssn,
  balances: query.showbalancedetails,
  allClaims: query.showallclaims,
  registrations: query.showallpatientdepartmentstatus,
  customFields: query.showcustomfields,
  insurances: query.showinsurance,
  localIds: query.showlocalpatientid,
  portal: query.showportalstatus,
});

export const NO_SECTIONS: PatientRecordRequest = toPatientRecordRequest(patientQuery.parse({}));

/** The record with the requested sections; the others are left out. */
export function fromPatientWithSections(shown: PatientWithSections, edition: Edition): z.input<typeof PatientShape> {
  const { record, fullSsn, portal } = shown;
  const base = fromPatientRecord(record);
  return {
    ...base,
    genderidentity: genderIdentityIn(record.genderIdentity, edition) ?? undefined,
    sexualorientation: sexualOrientationIn(record.sexualOrientation, edition) ?? undefined,
    ssn: fullSsn?.ssn ?? base.ssn,
    guarantorssn: fullSsn?.guarantorSsn ?? base.guarantorssn,
    localpatientid: shown.localIds?.join(','),
    balances: shown.balances?.map(fromBalance),
    claims: shown.claims?.map(fromClaim),
    allpatientstatuses: shown.registrations?.map(fromRegistration),
    customfields: shown.customFields?.map(fromCustomField),
    insurances: shown.insurances?.map(fromInsurance),
    portalstatus: portal ? [fromPortalStatus(portal)] : undefined,
  };
}
