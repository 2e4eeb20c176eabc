import type { Command } from 'commander';
import { z } from 'zod';
import { addProgram, endProgram, listAllPrograms, type ProgramWithSteps } from '../domain/monitoring/programs.ts';
import type { CommandDeclarer } from './command.ts';
import { id, organization, text } from './options.ts';
import { list, type Row, record } from './output.ts';

export function programCommands(program: Command, { command }: CommandDeclarer): void {
  const programs = program
    .command('programs')
    .description('Programs of remote patient monitoring, and the steps that patients go through.');

  command(programs, 'add', {
    summary: 'Add a program',
    details: 'Its steps stay as they are. To change them, end the program and add another, which may have the same name.',
    options: z.object({
      organization: organization(),
      name: text(200).describe('its name'),
      description: text(1_000).exactOptional().describe('what it is for'),
      step: z
        .array(text(100))
        .meta({ placeholder: 'text', several: true })
        .describe('name of a step, to be repeated in the order in which patients go through them'),
    }),
    run: async ({ write }, { organization: organizationId, name, description = null, step: steps }) =>
      record(row(await write(organizationId, (db, caller) => addProgram(db, caller, { name, description, steps })))),
  });

  command(programs, 'list', {
    summary: 'List the programs of a practice, ended ones too',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listAllPrograms)).map(row), 'The practice has no programs yet.'),
  });

  command(programs, 'end', {
    summary: 'End a program',
    details: 'It accepts no more patients; present patients continue to its end.',
    options: z.object({ program: id().meta({ positional: true }).describe('id of the program'), organization: organization() }),
    run: async ({ write }, { program: programId, organization: organizationId }) =>
      record(row(await write(organizationId, (db, caller) => endProgram(db, caller, programId)))),
  });
}

const row = (program: ProgramWithSteps): Row => ({
  id: program.id,
  organization_id: program.organizationId,
  name: program.name,
  description: program.description,
  steps: program.steps.map(({ name }) => name),
  active: program.active,
});
