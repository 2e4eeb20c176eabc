import type { Command } from 'commander';
import { z } from 'zod';
import { type ChartFaults, findChartFaults } from '../../domain/patients/chart/chart-rules.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { after, limit, organization } from '../terminal/options.ts';
import { page, type Row } from '../terminal/output.ts';

export function checkCommand(patients: Command, command: CommandDeclarer['command']): void {
  command(patients, 'check', {
    summary: 'List charts with values that today’s rules would refuse',
    details:
      'Older charts may have such values: malformed text, states, zips, telephone numbers, emails or birth dates. Correct them with the API.',
    options: z.object({
      organization: organization().exactOptional().describe('id of the practice (default: all)'),
      values: z.boolean().default(false).describe('also show the values; others may see this terminal'),
      after: after(),
      limit: limit(100),
    }),
    run: async ({ db, read }, { organization: chosen, values, ...part }) => {
      if (part.after > 0 && chosen === undefined) throw new UsageError('--after: needs --organization.');
      const ids = chosen === undefined ? (await listOrganizations(db)).map(({ id }) => id) : [chosen];
      const practices: (ChartFaults & { id: number })[] = [];
      for (const id of ids) practices.push({ id, ...(await read(id, (own, caller) => findChartFaults(own, caller, part))) });
      const rows = practices.flatMap(({ id, faults }) => faults.map((fault) => toRow(id, fault, values)));
      const unfinished = practices.filter(({ next }) => next !== null);
      const hints = unfinished.map(({ id, next }) => `For more of practice ${id}, add: --organization ${id} --after ${next}`);
      const next = unfinished.map((practice) => ({ organization_id: practice.id, after: practice.next }));
      return page({ items: rows, next }, rows, { none: 'All charts are valid.', hint: hints.join('\n') || null });
    },
  });
}

const toRow = (organizationId: number, { patientId, field, rule, value }: ChartFaults['faults'][number], values: boolean): Row => ({
  organization_id: organizationId,
  patient_id: patientId,
  field,
  rule,
  ...(values ? { value } : {}),
});
