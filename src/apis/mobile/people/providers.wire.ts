import { z } from 'zod';
import type { ProviderOrder, ProviderWithOfficeNames } from '../../../domain/practices/providers/providers.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { id, instant, paging, text } from '../../../http/wire/wire-types.ts';
import { one, sortBy, wrapList } from '../shared.wire.ts';

export const ProviderShape = z
  .strictObject({
    uuid: z.int(),
    npi: z.string().nullable().describe('National Provider Identifier'),
    firstname: z.string(),
    lastname: z.string(),
    display_name: z.string().nullable(),
    specialty: z.string().nullable(),
    provider_type: z.string().nullable(),
    entity_type: z.string(),
    gender: z.string().nullable(),
    pronouns: z.string().nullable(),
    accepting_new_patients: z.boolean(),
    active: z.boolean(),
    user_uuid: z.int().nullable().describe('User account of the clinician'),
    home_office: z.int().nullable().describe('Office id'),
    offices: z.array(z.strictObject({ uuid: z.int(), name: z.string() })),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Provider' });

export const ProviderResponse = one(ProviderShape).meta({ id: 'ProviderResponse' });
export const ProviderList = wrapList(ProviderShape).meta({ id: 'ProviderList' });

const FIELDS = {
  id: 'id',
  uuid: 'id',
  firstname: 'firstName',
  lastname: 'lastName',
  title: 'lastName',
  display_name: 'displayName',
  npi: 'npi',
  specialty: 'specialty',
  provider_type: 'providerTypeId',
  active: 'active',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
} as const satisfies Record<string, ProviderOrder['by']>;

export const providersQuery = z.object({ ...sortBy(FIELDS), ...paging });
export const providerParams = z.object({ provider: id().describe('Provider id') });
export const identifierParams = z.object({
  npi: text(20).meta({ pattern: '^\\d{10}$' }).describe('Ten digits with a valid check digit'),
});

export function toProviderOrder({ sort, order }: z.output<typeof providersQuery>): ProviderOrder {
  return { by: sort, direction: order === 'ASC' ? 'asc' : 'desc' };
}

export function fromProvider(provider: ProviderWithOfficeNames): z.input<typeof ProviderShape> {
  return {
    uuid: provider.id,
    npi: provider.npi,
    firstname: provider.firstName,
    lastname: provider.lastName,
    display_name: provider.displayName,
    specialty: provider.specialty,
    provider_type: provider.providerTypeId,
    entity_type: provider.entityType,
    gender: provider.sex,
    pronouns: provider.personalPronouns,
    accepting_new_patients: provider.acceptingNewPatients,
    active: provider.active,
    user_uuid: provider.userId,
    home_office: provider.homeOfficeId,
    offices: provider.offices.map(({ office }) => ({ uuid: office.id, name: office.name })),
    created_at: writeInstant(provider.createdAt),
    updated_at: writeInstant(provider.updatedAt),
  };
}
