import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { readColour } from '../../domain/practices/look/colours.ts';
import { type Logo, readLogo } from '../../domain/practices/look/logo.ts';
import { findLook, type PracticeLook, updateLook } from '../../domain/practices/look/look.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { clearable, id, reading, text } from '../terminal/options.ts';
import { type Row, record } from '../terminal/output.ts';

/** Bytes of the file of a logo. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

const colour = () =>
  z.string().transform(reading(readColour, 'must be a colour of six hexadecimal digits, such as 1b5cb3')).meta({ placeholder: 'colour' });

export function lookCommand(organizations: Command, command: CommandDeclarer['command']): void {
  command(organizations, 'look', {
    summary: 'Show or change the colour and the logo of the pages of a practice',
    details: 'Without an option, it shows them. A colour whose text would be hard to read is refused with the nearest that is not.',
    options: z.object({
      organization: id().meta({ positional: true }).describe('id of the practice'),
      colour: clearable(colour()).exactOptional().describe('of buttons and links; an empty text takes the usual one'),
      logo: clearable(text(1_000)).exactOptional().describe('PNG, JPEG or WebP file; an empty text takes the initials of the practice'),
    }),
    run: async ({ read, write }, { organization, logo: file, ...input }) => {
      if (file === undefined && input.colour === undefined) return record(shown(await read(organization, findLook)));
      const logo = file === undefined ? {} : { logo: file === null ? null : await logoIn(file) };
      return record(shown(await write(organization, (db, caller) => updateLook(db, caller, { ...input, ...logo }))));
    },
  });
}

/** @throws Failure invalid that names what is wrong with the file */
async function logoIn(file: string): Promise<Logo> {
  const { size } = await stat(file).catch(() => {
    throw invalid('logo', 'is a file that cannot be read');
  });
  if (size > MAX_FILE_BYTES) throw invalid('logo', `must be a file of at most ${MAX_FILE_BYTES / 1024 / 1024} MiB`, 'too_big');
  return readLogo(await readFile(file));
}

const shown = ({ colour: accent, logo }: PracticeLook): Row => ({
  colour: accent,
  logo_width: logo?.width ?? null,
  logo_height: logo?.height ?? null,
});
