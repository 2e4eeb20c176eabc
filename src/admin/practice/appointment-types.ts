import type { Command } from 'commander';
import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/field-limits.ts';
import {
  type AppointmentType,
  type AppointmentTypeInput,
  createAppointmentType,
  deleteAppointmentType,
  listOwnAppointmentTypes,
  organizationsUsing,
  updateAppointmentType,
} from '../../domain/scheduling/types/appointment-types.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { clearable, count, id, organization, text, yesNo } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

const description = () => text(APPOINTMENT_LIMITS.typeDescription).describe('what it is for');
const minutes = () => count(1, APPOINTMENT_LIMITS.durationMinutes);
const appointmentType = () => id().meta({ positional: true }).describe('id of the appointment type');

export function appointmentTypeCommands(program: Command, { command }: CommandDeclarer): void {
  const types = program
    .command('appointment-types')
    .description('Appointment types, global ones among them: all practices book these, and no API makes or changes one.');

  command(types, 'create', {
    summary: 'Create an appointment type',
    options: z.object({
      organization: organization(),
      name: text(APPOINTMENT_LIMITS.typeName).describe('its name'),
      description: description().exactOptional(),
      durationMinutes: minutes().exactOptional().describe('length of its appointments (default that of the practice)'),
      global: z.boolean().default(false).describe('all practices list and book it; only this command line changes it'),
    }),
    run: async ({ write }, { organization: organizationId, global: isGlobal, ...input }) =>
      record(row(await write(organizationId, (db, caller) => createAppointmentType(db, caller, { ...input, isGlobal })))),
  });

  command(types, 'set', {
    summary: 'Change an appointment type',
    details:
      'Only what is given changes; an empty text clears. Existing appointments keep their length. A type that other practices use stays global.',
    options: z.object({
      appointmentType: appointmentType(),
      organization: organization(),
      name: text(APPOINTMENT_LIMITS.typeName).exactOptional().describe('its name'),
      description: clearable(description()).exactOptional().describe('what it is for'),
      durationMinutes: clearable(minutes()).exactOptional().meta({ placeholder: 'n' }).describe('length of its new appointments'),
      active: yesNo().exactOptional().describe('whether it can be booked'),
      global: yesNo().exactOptional().describe('whether all practices list and book it'),
    }),
    run: async (session, { appointmentType: typeId, organization: organizationId, global: isGlobal, ...given }) => {
      const input = { ...given, ...(isGlobal === undefined ? {} : { isGlobal }) };
      if (Object.keys(input).length === 0) throw new UsageError('Say what to change; --help lists it.');
      return record(row(await changeType(session, organizationId, typeId, input)));
    },
  });

  listAndRemove(types, command);
}

/** Changes a type. Its event and audit row are written also in the other practices whose appointments have the type. */
async function changeType(session: Session, organizationId: number, typeId: number, input: AppointmentTypeInput): Promise<AppointmentType> {
  const others = await session.read(organizationId, (db, caller) => organizationsUsing(db, caller, typeId));
  return session.writeEach([organizationId, ...others], async (db, [caller, ...callers]) => {
    if (!caller) throw new RangeError('the practice of the type has no caller');
    const type = await updateAppointmentType(db, caller, typeId, input);
    for (const { journal } of callers) {
      journal.events.push(...caller.journal.events);
      journal.audits.push(...caller.journal.audits);
    }
    return type;
  });
}

function listAndRemove(types: Command, command: CommandDeclarer['command']): void {
  command(types, 'list', {
    summary: 'List the appointment types that belong to a practice',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listOwnAppointmentTypes)).map(row), 'The practice has no appointment types yet.'),
  });

  command(types, 'remove', {
    summary: 'Remove an appointment type that no appointment has',
    options: z.object({ appointmentType: appointmentType(), organization: organization() }),
    run: async ({ write }, { appointmentType: typeId, organization: organizationId }) => {
      await write(organizationId, (db, caller) => deleteAppointmentType(db, caller, typeId));
      return record({ id: typeId, removed: true });
    },
  });
}

const row = (type: AppointmentType): Row => ({
  id: type.id,
  name: type.name,
  description: type.description,
  duration_minutes: type.durationMinutes,
  active: type.active,
  global: type.isGlobal,
});
