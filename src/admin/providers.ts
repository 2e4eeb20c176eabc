import type { Command } from 'commander';
import { z } from 'zod';
import { createProvider, isProviderIdentifier, listProviders, type Provider } from '../domain/providers.ts';
import type { Declare } from './command.ts';
import { choice, id, ids, organization, text } from './options.ts';
import { list, type Row, record } from './output.ts';

export function providerCommands(program: Command, { command }: Declare): void {
  const providers = program.command('providers').description('Providers: the clinicians who see patients.');

  command(providers, 'create', {
    summary: 'Create a provider',
    options: z.object({
      organization: organization(),
      firstName: text(100),
      lastName: text(100),
      npi: z
        .string()
        .refine(isProviderIdentifier, 'must be ten digits with the right check digit')
        .exactOptional()
        .meta({ placeholder: 'digits' })
        .describe('National Provider Identifier; its check digit is verified'),
      specialty: text(200).exactOptional().describe('such as Cardiology'),
      sex: choice('M', 'F').exactOptional(),
      user: id().exactOptional().describe('id of the user who is this provider'),
      office: ids().exactOptional().describe('where the provider sees patients; may be repeated, the first is home'),
    }),
    run: async ({ change }, { organization: organizationId, user, office, ...person }) => {
      const input = { ...person, ...(user === undefined ? {} : { userId: user }), officeIds: office ?? [] };
      return record(row(await change(organizationId, (db, caller) => createProvider(db, caller, input))));
    },
  });

  command(providers, 'list', {
    summary: 'List the providers of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ look }, { organization: organizationId }) =>
      list((await look(organizationId, listProviders)).map(row), 'The practice has no providers yet.'),
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
