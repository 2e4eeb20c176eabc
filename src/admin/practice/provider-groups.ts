import type { Command } from 'commander';
import { z } from 'zod';
import {
  assignToProviderGroup,
  createProviderGroup,
  listProviderGroups,
  type ProviderGroupWithMembers,
} from '../../domain/practices/providers/provider-groups.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { id, ids, organization, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

export function providerGroupCommands(program: Command, { command }: CommandDeclarer): void {
  const groups = program.command('provider-groups').description('Provider groups, also called financial groups: the side that bills.');

  command(groups, 'create', {
    summary: 'Create a provider group',
    options: z.object({ organization: organization(), name: text(200).describe('its name') }),
    run: async ({ write }, { organization: organizationId, ...input }) =>
      record(row(await write(organizationId, (db, caller) => createProviderGroup(db, caller, input)))),
  });

  command(groups, 'list', {
    summary: 'List the provider groups of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listProviderGroups)).map(row), 'The practice has no provider groups yet.'),
  });

  command(groups, 'assign', {
    summary: 'Put offices and providers into a provider group',
    details: 'An office leaves the group that it was in; a provider may belong to several.',
    options: z.object({
      group: id().meta({ positional: true }).describe('id of the provider group'),
      organization: organization(),
      office: ids().exactOptional().describe('id of an office, may be repeated'),
      provider: ids().exactOptional().describe('id of a provider, may be repeated'),
    }),
    run: async ({ write }, { group, organization: organizationId, office: officeIds = [], provider: providerIds = [] }) => {
      if (officeIds.length + providerIds.length === 0) throw new UsageError('Say which offices or providers; --help lists the options.');
      const groups = await write(organizationId, async (db, caller) => {
        await assignToProviderGroup(db, caller, group, { officeIds, providerIds });
        return listProviderGroups(db, caller);
      });
      return list(groups.map(row), '');
    },
  });
}

const row = ({ id: groupId, organizationId, name, officeIds, providerIds }: ProviderGroupWithMembers): Row => ({
  id: groupId,
  organization_id: organizationId,
  name,
  office_ids: officeIds,
  provider_ids: providerIds,
});
