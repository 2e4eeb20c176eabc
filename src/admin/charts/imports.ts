import type { Command } from 'commander';
import { z } from 'zod';
import { listImports } from '../../domain/imports/import-runs.ts';
import { undoImport } from '../../domain/imports/undo-import.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { id, limit } from '../terminal/options.ts';
import { list, record, table } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

/** Charts between two lines of progress. */
const PROGRESS_EVERY = 1_000;

export function importsCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const imports = program.command('imports').description('Imports that have begun or ended.');

  command(imports, 'list', {
    summary: 'List the imports of a practice, the latest first',
    options: z.object({ practice: practice(), limit: limit(20) }),
    run: async ({ read }, { practice, limit }) => {
      const { items } = await read(practice, (tx) => listImports(tx, { page: 1, limit }));
      return list(
        items.map(({ id, kind, state, createdAt, rows, created, updated, skipped, refused }) => {
          const counts = { rows, created, updated, skipped, refused };
          return { id, kind, state, begun_at: writeInstant(createdAt), ...counts };
        }),
        'There are no imports.',
      );
    },
  });

  command(imports, 'undo', {
    summary: 'Remove the charts that an import of patients has created',
    details:
      'Keeps and lists charts that have changed since, or to which something refers, such as an appointment. Charts that the import has updated stay as ' +
      'they are. An import that has not ended ends first. If interrupted, run the same command to continue.',
    options: z.object({
      import: id(Number.MAX_SAFE_INTEGER).meta({ positional: true }).describe('id of the import (imports list)'),
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
