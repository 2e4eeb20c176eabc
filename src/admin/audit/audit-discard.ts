import type { Command } from 'commander';
import { z } from 'zod';
import { createPlace } from '../../backup/places/place.ts';
import { removeArchiveFile } from '../../domain/audit/archive/archive-file.ts';
import type { Checkpoint } from '../../domain/audit/archive/checkpoints.ts';
import { conflict } from '../../domain/errors.ts';
import { type Discardable, findDiscardable, noteDiscarded, toConfirmationWord } from '../../domain/patient-rights/discard-archive.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { inPractice } from '../../domain/tx.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { folderOrBucket, since, text } from '../terminal/options.ts';
import { type CommandResult, type Row, table } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

const options = z.object({
  before: since().describe('only files with no entry from this day or later'),
  from: folderOrBucket().describe('the folder or bucket that audit archive wrote to'),
  confirm: text(100).exactOptional().meta({ placeholder: 'word' }).describe('the word that a run without this option shows'),
});

export function discardCommand(audit: Command, command: CommandDeclarer['command']): void {
  command(audit, 'discard', {
    summary: 'Delete files of the archive that are past the retention of their practices',
    details:
      'Without --confirm nothing is deleted; the files are listed with the word that confirms them. It cannot be undone. Files younger than ' +
      'the audit_years of each practice and files under a legal hold are kept.',
    options,
    run: discard,
  });
}

async function discard(session: Session, { before, from, confirm }: z.output<typeof options>): Promise<CommandResult> {
  const { config, db, keyring, operatorName } = session;
  const place = await createPlace(from, config);
  const found: Discardable[] = [];
  for (const { id } of await listOrganizations(db)) found.push(await findDiscardable(inPractice(db, id), keyring, place, before));
  const word = toConfirmationWord(found);
  const chosen = found.filter(({ files }) => files.length > 0);
  if (confirm === undefined || chosen.length === 0) return toResult(found, { word, discarded: false });
  if (confirm !== word)
    throw conflict('wrong_word', 'This word confirms other files. Run the command again without --confirm to see the new word.');
  for (const one of chosen) {
    await session.write(one.organizationId, (tx) => noteDiscarded(tx, keyring, one, operatorName));
    for (const { file } of one.files) await removeArchiveFile(place, file);
  }
  return toResult(found, { word, discarded: true });
}

/** A file of the archive, as the commands list it. */
export const fileRow = ({ organizationId, file, previousPosition, position, firstAt, lastAt }: Checkpoint): Row => ({
  practice_id: organizationId,
  file,
  first: Number(previousPosition) + 1,
  last: Number(position),
  first_at: writeInstant(firstAt),
  last_at: writeInstant(lastAt),
});

function toResult(found: readonly Discardable[], { word, discarded }: { word: string; discarded: boolean }): CommandResult {
  const rows = found.flatMap(({ files }) => files.map(fileRow));
  const kept = found.flatMap(({ organizationId, kept: why }) => (why === null ? [] : [`Practice ${organizationId}: ${why}.`]));
  const json = { discarded, files: rows, kept, ...(discarded || rows.length === 0 ? {} : { confirm: word }) };
  if (rows.length === 0) return { json, text: ['There is nothing to discard.', ...kept].join('\n') };
  const end = discarded ? 'Discarded.' : `Nothing was deleted. To delete these files permanently, add: --confirm ${word}`;
  return { json, text: [table(rows), '', ...kept, end].join('\n') };
}
