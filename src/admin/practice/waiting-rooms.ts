import type { Command } from 'commander';
import { z } from 'zod';
import { addWaitingRoom, closeWaitingRoom, listWaitingRooms, type WaitingRoom } from '../../domain/telehealth/waiting/waiting-rooms.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { id, organization, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

export function waitingRoomCommands(program: Command, { command }: CommandDeclarer): void {
  const waitingRooms = program.command('waiting-rooms').description('Waiting rooms of video visits.');

  command(waitingRooms, 'add', {
    summary: 'Open a waiting room',
    details: 'Its office lists it. Without a user, anybody of the practice admits from it.',
    options: z.object({
      organization: organization(),
      office: id().describe('the id of the office that lists it'),
      name: text(100).describe('what people call it'),
      user: id().exactOptional().describe('the id of the user who alone admits from this room'),
    }),
    run: async ({ write }, { organization: organizationId, office: officeId, user: userId, name }) =>
      record(row(await write(organizationId, (db, caller) => addWaitingRoom(db, caller, { officeId, userId, name })))),
  });

  command(waitingRooms, 'list', {
    summary: 'List the waiting rooms of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, (db, caller) => listWaitingRooms(db, caller))).map(row), 'There is none.'),
  });

  command(waitingRooms, 'close', {
    summary: 'Close a waiting room for further invites',
    details: 'Who was invited before comes in until the link expires.',
    options: z.object({ waitingRoom: id().meta({ positional: true }).describe('its id'), organization: organization() }),
    run: async ({ write }, { organization: organizationId, waitingRoom }) =>
      record(row(await write(organizationId, (db, caller) => closeWaitingRoom(db, caller, waitingRoom)))),
  });
}

const row = (room: WaitingRoom): Row => ({
  id: room.id,
  organization_id: room.organizationId,
  office_id: room.officeId,
  user_id: room.userId,
  name: room.name,
  active: room.active,
});
