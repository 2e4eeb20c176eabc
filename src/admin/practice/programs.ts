import type { Command } from 'commander';
import { z } from 'zod';
import { addProgramMember, changeProgram, removeProgramMember } from '../../domain/monitoring/programs/program-settings.ts';
import {
  addProgram,
  endProgram,
  listAllPrograms,
  MONITORING_SERVICES,
  type ProgramWithSteps,
} from '../../domain/monitoring/programs/programs.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { choice, count, id, organization, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

export function programCommands(program: Command, declare: CommandDeclarer): void {
  const { command } = declare;
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
      service: choice(...MONITORING_SERVICES)
        .default('rpm')
        .describe('as what it is billed: physiologic monitoring, or therapeutic monitoring of one kind'),
      step: z
        .array(text(100))
        .meta({ placeholder: 'text', several: true })
        .describe('name of a step, to be repeated in the order in which patients go through them'),
    }),
    run: async ({ write }, { organization: organizationId, name, description = null, service, step: steps }) =>
      record(row(await write(organizationId, (db, caller) => addProgram(db, caller, { name, description, service, steps })))),
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
    options: z.object({ program: programId(), organization: organization() }),
    run: async ({ write }, { program: programId, organization: organizationId }) =>
      record(row(await write(organizationId, (db, caller) => endProgram(db, caller, programId)))),
  });
  alertCommands(programs, declare);
}

/** When the alerts of a program go further, and to whom they go. */
function alertCommands(programs: Command, { command }: CommandDeclarer): void {
  command(programs, 'set', {
    summary: 'Change when the alerts of a program go further',
    details: 'Of several programs of a patient, the shortest time counts.',
    options: z.object({
      program: programId(),
      organization: organization(),
      alertEscalationMinutes: count(1, 1_440)
        .exactOptional()
        .describe('until the next people are notified of an alert that nobody has acknowledged; 15 in new programs'),
      missedCheckInHours: count(1, 720)
        .or(z.literal('never').transform(() => null))
        .exactOptional()
        .meta({ placeholder: 'n|never' })
        .describe('after which a check-in without an answer alerts the care team, or never; 24 in new programs'),
    }),
    run: async ({ write }, { program: programId, organization: organizationId, ...settings }) =>
      record(row(await write(organizationId, (db, caller) => changeProgram(db, caller, programId, settings)))),
  });

  command(programs, 'add-member', {
    summary: 'Put a user on the care team of a program',
    details: 'The care team is notified of the alerts of its patients. A second time changes whether they are texted.',
    options: z.object({
      program: programId(),
      organization: organization(),
      user: id().describe('id of the user'),
      text: z.boolean().default(false).describe('text them too: at any hour about a danger value, else outside of quiet hours'),
    }),
    run: async ({ write }, { program: programId, organization: organizationId, user: userId, text: textAlerts }) =>
      record(row(await write(organizationId, (db, caller) => addProgramMember(db, caller, programId, { userId, textAlerts })))),
  });

  command(programs, 'remove-member', {
    summary: 'Take a user off the care team of a program',
    options: z.object({ program: programId(), organization: organization(), user: id().describe('id of the user') }),
    run: async ({ write }, { program: programId, organization: organizationId, user: userId }) =>
      record(row(await write(organizationId, (db, caller) => removeProgramMember(db, caller, programId, userId)))),
  });
}

const programId = () => id().meta({ positional: true }).describe('id of the program');

const row = (program: ProgramWithSteps): Row => ({
  id: program.id,
  organization_id: program.organizationId,
  name: program.name,
  description: program.description,
  service: program.service,
  steps: program.steps.map(({ name }) => name),
  alert_escalation_minutes: program.alertEscalationMinutes,
  missed_check_in_hours: program.missedCheckInHours,
  members: program.members.map(({ userId }) => userId),
  texted_members: program.members.filter(({ textAlerts }) => textAlerts).map(({ userId }) => userId),
  active: program.active,
});
