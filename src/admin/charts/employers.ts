import type { Command } from 'commander';
import { z } from 'zod';
import { createEmployer, type Employer, listEmployers } from '../../domain/patients/record/employers.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { after, limit, organization, phone, state, text, zip } from '../terminal/options.ts';
import { record, slice } from '../terminal/output.ts';

export function employerCommands(program: Command, { command }: CommandDeclarer): void {
  const employers = program.command('employers').description('Employers of patients and guarantors.');

  command(employers, 'create', {
    summary: 'Create an employer',
    details: 'patients set --employer names it on a chart.',
    options: z.object({
      organization: organization(),
      name: text(200).describe('its name'),
      phone: phone().exactOptional().describe('telephone number; charts show it unless they have their own'),
      address: text(200).exactOptional().describe('street'),
      city: text(100).exactOptional(),
      state: state().exactOptional().describe('two letters, or its name'),
      zip: zip().exactOptional().describe('five or nine digits'),
    }),
    run: async ({ write }, { organization: organizationId, ...input }) =>
      record(row(await write(organizationId, (db, caller) => createEmployer(db, caller, input)))),
  });

  command(employers, 'list', {
    summary: 'List the employers of a practice',
    options: z.object({ organization: organization(), after: after(), limit: limit(100) }),
    run: async ({ read }, { organization: organizationId, ...part }) => {
      const rows = await read(organizationId, (db, caller) => listEmployers(db, caller, part));
      return slice(rows.map(row), { limit: part.limit, none: 'There are no employers.' });
    },
  });
}

const row = (employer: Employer) => ({
  id: employer.id,
  organization_id: employer.organizationId,
  name: employer.name,
  phone: employer.phone,
  address: employer.address,
  city: employer.city,
  state: employer.state,
  zip: employer.zip,
});
