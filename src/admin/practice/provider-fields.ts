import { z } from 'zod';
import type { ProviderChanges } from '../../domain/practices/providers/provider-changes.ts';
import { isProviderIdentifier } from '../../domain/practices/providers/providers.ts';
import { choice, clearable, email, id, ids, text, yesNo } from '../terminal/options.ts';

export const identifier = () =>
  z.string().refine(isProviderIdentifier, 'must be ten digits with the right check digit').meta({ placeholder: 'digits' });

const line = () => clearable(text(200)).exactOptional();

/** Flags with the names of the domain's fields. */
const directFields = {
  firstName: text(100).exactOptional(),
  lastName: text(100).exactOptional(),
  npi: clearable(identifier()).exactOptional().describe('National Provider Identifier'),
  displayName: line().describe('as patients read it'),
  schedulingName: line().describe('as schedules show it'),
  username: line().describe('the name they work under'),
  specialty: line(),
  specialtyId: clearable(id()).exactOptional(),
  ansiSpecialtyCode: line().describe('such as 207Q00000X'),
  ansiNameCode: line(),
  federalIdNumber: line().describe('tax number; the practice API shows it on request'),
  sex: clearable(choice('M', 'F')).exactOptional(),
  personalPronouns: line(),
  directAddress: clearable(email()).exactOptional().describe('address for Direct messages'),
  scheduleResourceType: line(),
  billable: yesNo().exactOptional(),
  acceptingNewPatients: yesNo().exactOptional(),
  createEncounterOnCheckIn: yesNo().exactOptional(),
  hiddenInPortal: yesNo().exactOptional(),
  active: yesNo().exactOptional(),
};

/** Flags whose domain field has another name: toProviderChanges maps them. */
const renamedFields = {
  entityType: choice('Person', 'Non-Person').exactOptional(),
  type: line().describe('such as MD, NP or RN'),
  typeName: line().describe('such as Doctor of Medicine'),
  supervisor: clearable(id()).exactOptional().describe('id of the provider who supervises'),
  office: ids().exactOptional().describe('id of an office where the provider sees patients; may be repeated; replaces the whole list'),
  homeOffice: clearable(id()).exactOptional().describe('id of the office that is home'),
  otherProvider: ids()
    .exactOptional()
    .describe('another id of the same provider (ancillary provider); may be repeated; replaces the whole list'),
  encounterProvider: ids()
    .exactOptional()
    .describe('id of a provider for whom a check-in creates an encounter; may be repeated; replaces the whole list'),
};

export const providerFields = { ...directFields, ...renamedFields };

/** The values of the command-line options as changes of the domain's fields. */
export function toProviderChanges(given: z.output<z.ZodObject<typeof providerFields>>): ProviderChanges {
  const { type, typeName, supervisor, office, homeOffice, otherProvider, encounterProvider, ...fields } = given;
  return {
    ...fields,
    ...(type === undefined ? {} : { providerTypeId: type }),
    ...(typeName === undefined ? {} : { providerTypeName: typeName }),
    ...(supervisor === undefined ? {} : { supervisingProviderId: supervisor }),
    ...(office === undefined ? {} : { officeIds: office }),
    ...(homeOffice === undefined ? {} : { homeOfficeId: homeOffice }),
    ...(otherProvider === undefined ? {} : { otherProviderIds: otherProvider }),
    ...(encounterProvider === undefined ? {} : { createEncounterProviderIds: encounterProvider }),
  };
}
