import type { Command } from 'commander';
import { z } from 'zod';
import { reassignVisits } from '../../domain/scheduling/visits/reassign.ts';
import { runAndRollBack } from '../../domain/unit-of-work/dry-run.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { choice, day, id, organization } from '../terminal/options.ts';
import { list, type Row } from '../terminal/output.ts';

export function visitCommands(program: Command, { command }: CommandDeclarer): void {
  const visits = program.command('visits').description('Visits to come of providers who leave, and of offices that close.');

  command(visits, 'reassign', {
    summary: 'Move visits to come to another provider or office',
    details:
      'Shows what would happen; with --yes it moves them. Each keeps its time, and stays where it is where the other provider has that time no longer. Repeat it while visits are left.',
    options: z.object({
      organization: organization(),
      fromProvider: id().exactOptional().describe('id of the provider whose visits go'),
      fromOffice: id().exactOptional().describe('id of the office whose visits go'),
      toProvider: id().exactOptional().describe('id of the provider who takes them'),
      toOffice: id().exactOptional().describe('id of the office that they go to'),
      from: day().exactOptional().describe('first day (UTC) of the visits that go (default now)'),
      notify: choice('text', 'email', 'none').exactOptional().describe('how to tell the patients (default as the practice has set)'),
      yes: z.boolean().default(false).describe('move them'),
    }),
    run: async ({ write }, { organization: organizationId, yes, ...given }) => {
      const reassignment = {
        from: { providerId: given.fromProvider ?? null, officeId: given.fromOffice ?? null },
        to: { providerId: given.toProvider ?? null, officeId: given.toOffice ?? null },
        since: new Date(Math.max(Date.now(), given.from?.getTime() ?? 0)),
        notify: given.notify ?? null,
      };
      const { moved, conflicts, left } = await write(organizationId, (db, caller) => {
        const work = () => reassignVisits(db, caller, reassignment);
        return yes ? work() : runAndRollBack(db, caller, work);
      });
      const rows: Row[] = [
        ...moved.map((appointment) => ({ appointment, outcome: yes ? 'moved' : 'would move', why: null })),
        ...conflicts.map(({ id: appointment, detail }) => ({ appointment, outcome: 'stays', why: detail })),
      ];
      const count = `${moved.length} ${yes ? 'moved' : 'would move'}, ${conflicts.length} stay, ${left} are left.`;
      return { ...list(rows, 'There are no visits to come.'), remark: yes ? count : `${count} Add --yes to move them.` };
    },
  });
}
