import type { Command } from 'commander';
import { z } from 'zod';
import { type ChartFaults, findChartFaults } from '../../domain/patients/chart/chart-rules.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { after, limit } from '../terminal/options.ts';
import { page, type Row } from '../terminal/output.ts';
import { findPractice, practice } from '../terminal/practice.ts';

export function checkCommand(patients: Command, command: CommandDeclarer['command']): void {
  command(patients, 'check', {
    summary: 'List charts with values that today’s rules would refuse',
    details:
      'Older charts may have such values: malformed text, states, zips, telephone numbers, emails or birth dates. Correct them with the API.',
    options: z.object({
      practice: practice().exactOptional().describe('id or key of the practice (default: all)'),
      values: z.boolean().default(false).describe('also show the values; others may see this terminal'),
      after: after(),
      limit: limit(100),
    }),
    run: async ({ db, read }, { practice: named, values, ...part }) => {
      if (part.after > 0 && named === undefined) throw new UsageError('--after: needs --practice.');
      const chosen = named === undefined ? await listOrganizations(db) : [await findPractice(db, named)];
      const practices: (ChartFaults & { id: number })[] = [];
      for (const { id } of chosen) practices.push({ id, ...(await read(id, (tx) => findChartFaults(tx, part))) });
      const rows = practices.flatMap(({ id, faults }) => faults.map((fault) => toRow(id, fault, values)));
      const unfinished = practices.filter(({ next }) => next !== null);
      const hints = unfinished.map(({ id, next }) => `For more of practice ${id}, add: --practice ${id} --after ${next}`);
      const next = unfinished.map((practice) => ({ practice_id: practice.id, after: practice.next }));
      return page({ items: rows, next }, rows, { none: 'All charts are valid.', hint: hints.join('\n') || null });
    },
  });
}

const toRow = (organizationId: number, { patientId, field, rule, value }: ChartFaults['faults'][number], values: boolean): Row => ({
  practice_id: organizationId,
  patient_id: patientId,
  field,
  rule,
  ...(values ? { value } : {}),
});
