import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { writeQuantity } from '../../database/measures/quantities.ts';
import { type Erasure, erasePatient, previewErasure } from '../../domain/patient-rights/erase-patient.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { id, text } from '../terminal/options.ts';
import { type CommandResult, table } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

export function eraseCommand(patients: Command, command: CommandDeclarer['command']): void {
  command(patients, 'erase', {
    summary: 'Erase everything about one person, if the practice and the law allow it',
    details:
      'Without --confirm nothing is erased; the rows of each table are counted and the confirming word is shown. It cannot be undone: export first.',
    options: z.object({
      patient: id().describe('id of a chart of the person'),
      practice: practice(),
      confirm: text(100)
        .exactOptional()
        .meta({ placeholder: 'word' })
        .describe('the word shown by a run without this option; valid until something changes'),
    }),
    run: async ({ write, config }, { patient, practice, confirm }) => {
      if (confirm === undefined) return toPreview(await write(practice, (tx) => previewErasure(tx, patient)));
      return toResult(config, await write(practice, (tx) => erasePatient(tx, patient, confirm)));
    },
  });
}

const writeCounts = ({ rows }: Erasure): string => table(Object.entries(rows).map(([name, count]) => ({ table: name, rows: count })));

const toPreview = (erasure: Erasure): CommandResult => ({
  json: { erased: false, charts: erasure.charts, rows: erasure.rows, confirm: erasure.word },
  text: `${writeCounts(erasure)}\n\nNothing is erased. To erase all of it permanently, add: --confirm ${erasure.word}`,
});

function toResult(config: Config, erasure: Erasure): CommandResult {
  const elsewhere = copiesElsewhere(config);
  return {
    json: { erased: true, charts: erasure.charts, rows: erasure.rows, copies_elsewhere: elsewhere },
    text: `${writeCounts(erasure)}\n\nErased. The worker deletes the contents of files within minutes.`,
    remark: ['Copies that this server cannot erase:', ...elsewhere].join('\n'),
  };
}

/** Sentences about copies outside of the database and the file store, and when they go. */
function copiesElsewhere({ BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP }: Config): string[] {
  const hours = Math.ceil((BACKUP_EVERY / 3_600) * BACKUP_KEEP);
  const own =
    BACKUP_TO === undefined
      ? []
      : [`Backups in ${BACKUP_TO}contain the person until ${BACKUP_KEEP} newer ones were made, about ${writeQuantity(hours, 'hour')}.`];
  return [
    ...own,
    'Backups made by hand contain the person until they are removed. Restoring one brings the person back: erase again.',
    'The telephone carrier and the mail server keep what they sent under their own rules. Webhook receivers have only ids.',
  ];
}
