import type { Command } from 'commander';
import { z } from 'zod';
import { reassignAppointments } from '../../domain/scheduling/hours/reassign.ts';
import { runAndRollBack } from '../../domain/unit-of-work/dry-run.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { choice, day, id } from '../terminal/options.ts';
import { list, type Row } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

export function visitCommands(program: Command, { command }: CommandDeclarer): void {
  const visits = program.command('visits').description('Upcoming visits of leaving providers and closing offices.');

  command(visits, 'reassign', {
    summary: 'Move upcoming visits to another provider or office',
    details:
      'Without --yes, only shows what would happen. Each visit keeps its time; if the other provider is no longer free then, it is not moved. Repeat while visits remain.',
    options: z.object({
      practice: practice(),
      fromProvider: id().exactOptional().describe('id of the provider to move visits from'),
      fromOffice: id().exactOptional().describe('id of the office to move visits from'),
      toProvider: id().exactOptional().describe('id of the provider to move visits to'),
      toOffice: id().exactOptional().describe('id of the office to move visits to'),
      from: day().exactOptional().describe('first day (UTC) of the visits to move (default: now)'),
      notify: choice('text', 'email', 'none').exactOptional().describe('how to notify the patients (default: the setting of the practice)'),
      yes: z.boolean().default(false).describe('move them'),
    }),
    run: async ({ write }, { practice, yes, ...given }) => {
      const reassignment = {
        from: { providerId: given.fromProvider ?? null, officeId: given.fromOffice ?? null },
        to: { providerId: given.toProvider ?? null, officeId: given.toOffice ?? null },
        since: new Date(Math.max(Date.now(), given.from?.getTime() ?? 0)),
        notify: given.notify ?? null,
      };
      const { moved, conflicts, left } = await write(practice, (tx) => {
        const work = () => reassignAppointments(tx, reassignment);
        return yes ? work() : runAndRollBack(tx, work);
      });
      const rows: Row[] = [
        ...moved.map((appointment) => ({ appointment, outcome: yes ? 'moved' : 'would move', why: null })),
        ...conflicts.map(({ id: appointment, detail }) => ({ appointment, outcome: 'stays', why: detail })),
      ];
      const count = `${moved.length} ${yes ? 'moved' : 'would move'}, ${conflicts.length} stay, ${left} are left.`;
      return { ...list(rows, 'There are no upcoming visits.'), remark: yes ? count : `${count} Add --yes to move them.` };
    },
  });
}
