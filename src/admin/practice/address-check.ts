import type { Command } from 'commander';
import { z } from 'zod';
import { findAddressFaults } from '../../domain/practices/address-rules.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { organization } from '../terminal/options.ts';
import { list, type Row } from '../terminal/output.ts';

export function addressCheckCommand(organizations: Command, command: CommandDeclarer['command']): void {
  command(organizations, 'check', {
    summary: 'List states and zips of practices, offices, locations and employers that break a rule',
    details: 'Older data may. Change those of practices and offices with organizations set and offices set.',
    options: z.object({ organization: organization().exactOptional().describe('id of the practice (default all)') }),
    run: async ({ db, read }, { organization: chosen }) => {
      const ids = chosen === undefined ? (await listOrganizations(db)).map(({ id }) => id) : [chosen];
      const rows: Row[] = [];
      for (const id of ids) {
        const faults = await read(id, findAddressFaults);
        rows.push(
          ...faults.map(({ kind, id: placeId, field, rule, value }) => ({ organization_id: id, kind, id: placeId, field, rule, value })),
        );
      }
      return list(rows, 'All addresses keep the rules.');
    },
  });
}
