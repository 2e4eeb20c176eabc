import { z } from 'zod';
import type { ProviderRecord } from '../../domain/practices/providers/provider-record.ts';
import { bit, id, optional, text } from '../../http/wire/wire-types.ts';
import { paging } from './paging.ts';
import { option, share } from './parameters.ts';

export const ProviderShape = z
  .strictObject({
    providerid: z.int().describe('Provider id'),
    firstname: z.string().describe('First name'),
    lastname: z.string().describe('Last name'),
    displayname: z.string().optional().describe('Name that patients see'),
    schedulingname: z.string().optional().describe('Short name in the schedule'),
    providerusername: z.string().optional().describe('User name of the provider'),
    npi: z.int().optional().describe('National Provider Identifier'),
    entitytype: z.string().describe('Person or Non-Person'),
    type: z.string().optional().describe('Same as providertypeid; returned with showproviderdetails'),
    providertypeid: z.string().optional().describe('Short code such as MD or NP'),
    providertype: z.string().optional().describe('Full name of the provider type'),
    specialty: z.string().optional().describe('Name of the specialty'),
    specialtyid: z.int().optional().describe('Specialty id; returned with showproviderdetails'),
    ansispecialtycode: z.string().optional().describe('Health Care Provider Taxonomy code of the specialty'),
    ansinamecode: z.string().optional().describe('Name of the specialty in ansispecialtycode'),
    sex: z.string().optional().describe('M or F; returned with showproviderdetails'),
    personalpronouns: z.string().optional().describe('Pronouns of the provider; returned with showproviderdetails'),
    directaddress: z.string().optional().describe('Address for Direct secure messages; returned with showproviderdetails'),
    scheduleresourcetype: z.string().optional().describe('Kind of resource in the schedule; returned with showproviderdetails'),
    billable: z.boolean().describe('Whether claims may name the provider'),
    acceptingnewpatientsyn: z.boolean().optional().describe('Whether new patients are accepted; returned with showproviderdetails'),
    createencounteroncheckinyn: z.boolean().describe('Whether a check-in creates an encounter'),
    hideinportalyn: z.boolean().describe('Whether the provider is hidden in the patient portal'),
    activeyn: z
      .boolean()
      .optional()
      .describe('Whether the provider is active; not in the source document, returned with showdeletedproviders'),
    supervisingproviderid: z.int().optional().describe('Id of the supervising provider'),
    supervisingproviderusername: z.string().optional().describe('User name of the supervising provider'),
    homedepartment: z.string().optional().describe('Name of the home department'),
    providergrouplist: z.string().optional().describe('Ids of provider groups, comma-separated'),
    otherprovideridlist: z.string().optional().describe('Ancillary ids, comma-separated; returned with showallproviderids'),
    createencounterprovideridlist: z
      .string()
      .optional()
      .describe('Ids for which an encounter is created at check-in, comma-separated; returned with showallproviderids'),
    federalidnumber: z.string().optional().describe('Returned with showfederalidnumber'),
    usualdepartmentid: z
      .string()
      .optional()
      .describe('Returned with showusualdepartmentguessthreshold, if a department reaches the threshold'),
  })
  .meta({ id: 'Provider' });

export const providerParams = z.object({ providerId: id().describe('Provider id') });

/** Clients send the flag for providers whom a practice has no longer; here those are kept, and inactive. */
const showdeletedproviders = (shown: string) => option().describe(`${shown}; not in the source document`);

/** Members that the source document does not have. */
const showproviderdetails = option().describe(
  'Include acceptingnewpatientsyn, directaddress, personalpronouns, scheduleresourcetype, sex, specialtyid and type; not in the source document',
);

export const showsMore = {
  showdeletedproviders: showdeletedproviders('Include activeyn: false for a deactivated provider'),
  showproviderdetails,
};

export const providerQuery = z.object({
  showallproviderids: option().describe('Include the ancillary ids'),
  ...showsMore,
  showfederalidnumber: bit().optional().describe('1: include the federal id number'),
  showusualdepartmentguessthreshold: share().describe(
    'Minimum share of the appointments of the last 90 days for a department to be the usual one, from 0 to 1; at least 0.5 is recommended',
  ),
});

export const providersQuery = z.object({
  name: optional(text(200)).describe('Part of a first, last or display name'),
  providertype: optional(text(100)).describe('Provider type id, such as MD'),
  showallproviderids: option().describe('Include the lists of ids'),
  showproviderdetails,
  showdeletedproviders: showdeletedproviders('Include deactivated providers, and activeyn of each provider'),
  ...paging,
});

/** Optional fields of a provider, shown on request. */
interface Shown {
  ids: boolean;
  active: boolean;
  details: boolean;
  federalId: boolean;
  usualDepartmentId: number | null;
}

type ShownInLists = Readonly<Record<'showallproviderids' | 'showdeletedproviders' | 'showproviderdetails', boolean>>;

/** Fields without a value are left out. */
export function fromProvider(
  provider: ProviderRecord,
  { ids, active, details, federalId, usualDepartmentId }: Shown,
): z.input<typeof ProviderShape> {
  return {
    providerid: provider.id,
    ...toPerson(provider),
    ...toTrade(provider),
    billable: provider.billable,
    ...(details ? toDetails(provider) : {}),
    createencounteroncheckinyn: provider.createEncounterOnCheckIn,
    hideinportalyn: provider.hiddenInPortal,
    activeyn: active ? provider.active : undefined,
    supervisingproviderid: provider.supervisingProviderId ?? undefined,
    supervisingproviderusername: provider.supervisor?.username ?? undefined,
    homedepartment: provider.homeOffice?.name,
    providergrouplist: list(provider.providerGroupIds),
    otherprovideridlist: ids ? list(provider.otherProviderIds) : undefined,
    createencounterprovideridlist: ids ? list(provider.createEncounterProviderIds) : undefined,
    federalidnumber: federalId ? (provider.federalIdNumber ?? undefined) : undefined,
    usualdepartmentid: usualDepartmentId?.toString(),
  };
}

/** A provider of a list: without the lists of ids, which public clients read in two ways, unless they are asked for. */
export function fromListedProvider(
  provider: ProviderRecord,
  { showallproviderids: ids, showdeletedproviders: active, showproviderdetails: details }: ShownInLists,
): z.input<typeof ProviderShape> {
  const shown = fromProvider(provider, { ids, active, details, federalId: false, usualDepartmentId: null });
  return ids ? shown : { ...shown, providergrouplist: undefined };
}

const toPerson = (provider: ProviderRecord) => ({
  firstname: provider.firstName,
  lastname: provider.lastName,
  displayname: provider.displayName ?? undefined,
  schedulingname: provider.schedulingName ?? undefined,
  providerusername: provider.username ?? undefined,
});

const toDetails = (provider: ProviderRecord) => ({
  type: provider.providerTypeId ?? undefined,
  specialtyid: provider.specialtyId ?? undefined,
  sex: provider.sex ?? undefined,
  personalpronouns: provider.personalPronouns ?? undefined,
  directaddress: provider.directAddress ?? undefined,
  scheduleresourcetype: provider.scheduleResourceType ?? undefined,
  acceptingnewpatientsyn: provider.acceptingNewPatients,
});

const toTrade = (provider: ProviderRecord) => ({
  npi: provider.npi === null ? undefined : Number(provider.npi),
  entitytype: provider.entityType,
  providertypeid: provider.providerTypeId ?? undefined,
  providertype: provider.providerTypeName ?? undefined,
  specialty: provider.specialty ?? undefined,
  ansispecialtycode: provider.ansiSpecialtyCode ?? undefined,
  ansinamecode: provider.ansiNameCode ?? undefined,
});

const list = (ids: number[]) => (ids.length > 0 ? ids.join(',') : undefined);
