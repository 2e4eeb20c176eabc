import type { Command } from 'commander';
import { z } from 'zod';
import { updateProvider } from '../../domain/practices/providers/provider-changes.ts';
import { createProvider, listProviders, type Provider } from '../../domain/practices/providers/providers.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { choice, id, ids, organization, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { identifier, providerFields, toProviderChanges } from './provider-fields.ts';

export function providerCommands(program: Command, { command }: CommandDeclarer): void {
  const providers = program.command('providers').description('Providers: the clinicians who see patients.');

  command(providers, 'create', {
    summary: 'Create a provider',
    options: z.object({
      organization: organization(),
      firstName: text(100),
      lastName: text(100),
      npi: identifier().exactOptional().describe('National Provider Identifier; its check digit is verified'),
      specialty: text(200).exactOptional().describe('such as Cardiology'),
      sex: choice('M', 'F').exactOptional(),
      user: id().exactOptional().describe('id of the user who is this provider'),
      office: ids().exactOptional().describe('where the provider sees patients; may be repeated, the first is home'),
    }),
    run: async ({ write }, { organization: organizationId, user, office, ...person }) => {
      const input = { ...person, ...(user === undefined ? {} : { userId: user }), officeIds: office ?? [] };
      return record(row(await write(organizationId, (db, caller) => createProvider(db, caller, input))));
    },
  });

  command(providers, 'set', {
    summary: 'Change fields of a provider',
    details: 'Only what is given changes; an empty text clears. provider-groups assign puts a provider into a provider group.',
    options: z.object({
      provider: id().meta({ positional: true }).describe('id of the provider'),
      organization: organization(),
      ...providerFields,
    }),
    run: async ({ write }, { provider, organization: organizationId, ...given }) => {
      const input = toProviderChanges(given);
      if (Object.keys(input).length === 0) throw new UsageError('Say what to change; --help lists it.');
      return record(fullRow(await write(organizationId, (db, caller) => updateProvider(db, caller, provider, input))));
    },
  });

  command(providers, 'list', {
    summary: 'List the providers of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listProviders)).map(row), 'The practice has no providers yet.'),
  });
}

const row = (provider: Provider): Row => ({
  id: provider.id,
  organization_id: provider.organizationId,
  first_name: provider.firstName,
  last_name: provider.lastName,
  npi: provider.npi,
  specialty: provider.specialty,
  user_id: provider.userId,
  office_ids: provider.offices.map(({ officeId }) => officeId),
  active: provider.active,
});

const fullRow = (provider: Provider): Row => ({
  ...row(provider),
  home_office_id: provider.homeOfficeId,
  supervisor_id: provider.supervisingProviderId,
  provider_group_ids: provider.providerGroupIds,
  display_name: provider.displayName,
  scheduling_name: provider.schedulingName,
  username: provider.username,
  entity_type: provider.entityType,
  type: provider.providerTypeId,
  type_name: provider.providerTypeName,
  specialty_id: provider.specialtyId,
  ansi_specialty_code: provider.ansiSpecialtyCode,
  ansi_name_code: provider.ansiNameCode,
  sex: provider.sex,
  pronouns: provider.personalPronouns,
  direct_address: provider.directAddress,
  schedule_resource_type: provider.scheduleResourceType,
  billable: provider.billable,
  accepting_new_patients: provider.acceptingNewPatients,
  create_encounter_on_check_in: provider.createEncounterOnCheckIn,
  hidden_in_portal: provider.hiddenInPortal,
  other_provider_ids: provider.otherProviderIds,
  create_encounter_provider_ids: provider.createEncounterProviderIds,
});
