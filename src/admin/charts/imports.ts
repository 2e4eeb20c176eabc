import type { Command } from 'commander';
import { z } from 'zod';
import { undoImport } from '../../domain/imports/undo-import.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { id } from '../terminal/options.ts';
import { record, table } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

/** Charts between two lines of progress. */
const PROGRESS_EVERY = 1_000;

export function importsCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const imports = program.command('imports').description('Imports that have begun or ended.');

  command(imports, 'undo', {
    summary: 'Remove the charts that an import of patients has created',
    details:
      'Keeps and lists charts that have changed since, or to which something refers, such as an appointment. Charts that the import has updated stay as ' +
      'they are. An import that has not ended ends first. If interrupted, run the same command to continue.',
    options: z.object({
      import: id(Number.MAX_SAFE_INTEGER).meta({ positional: true }).describe('id of the import, which the import has printed'),
      practice: practice(),
    }),
    run: async ({ write }, { import: importId, practice }) => {
      const { removed, kept } = await undoImport(
        (work) => write(practice, work),
        importId,
        (done, of) => done % PROGRESS_EVERY === 0 && io.stderr(`${done} of ${of} charts\n`),
      );
      const rows = kept.map(({ patientId, uses }) => ({ patient_id: patientId, kept_for: uses }));
      const shown = record({ id: importId, removed, kept: kept.length });
      return {
        json: { id: importId, removed, kept: rows },
        text: rows.length === 0 ? shown.text : `${shown.text}\n\n${table(rows)}`,
      };
    },
  });
}
