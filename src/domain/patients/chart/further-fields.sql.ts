import type { Patient } from '../../../generated/prisma/client.ts';
import type { ChartInput } from './chart-input.ts';

/** Fields of a chart that an import may set beside those of SETTABLE, with the column and the SQL type of each. */
export const FURTHER = {
  status: ['status', 'patient_status'],
  middleName: ['middle_name', 'text'],
  suffix: ['suffix', 'text'],
  preferredName: ['preferred_name', 'text'],
  altFirstName: ['alt_first_name', 'text'],
  preferredPronouns: ['preferred_pronouns', 'text'],
  deceasedDate: ['deceased_date', 'date'],
  maritalStatus: ['marital_status', 'text'],
  ethnicityCode: ['ethnicity_code', 'text'],
  languageCode: ['language_code', 'text'],
  workPhone: ['work_phone', 'text'],
  doNotCall: ['do_not_call', 'boolean'],
  contactName: ['contact_name', 'text'],
  contactRelationship: ['contact_relationship', 'text'],
  contactHomePhone: ['contact_home_phone', 'text'],
  contactMobilePhone: ['contact_mobile_phone', 'text'],
  nextOfKinName: ['next_of_kin_name', 'text'],
  nextOfKinRelationship: ['next_of_kin_relationship', 'text'],
  nextOfKinPhone: ['next_of_kin_phone', 'text'],
  guardianFirstName: ['guardian_first_name', 'text'],
  guardianMiddleName: ['guardian_middle_name', 'text'],
  guardianLastName: ['guardian_last_name', 'text'],
} as const satisfies Partial<Record<keyof ChartInput & keyof Patient, readonly [string, string]>>;

export type FurtherFields = { [K in keyof typeof FURTHER]?: Patient[K] | undefined };

/** The columns that are never null, as a new chart has them. */
export const NO_FURTHER = { status: 'active', doNotCall: false } as const satisfies FurtherFields;
