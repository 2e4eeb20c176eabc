import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { Failure } from '../../domain/errors.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { record } from '../terminal/output.ts';

const demoFile = z.object({ baseUrl: z.string(), practices: z.array(z.object({ practiceid: z.int(), name: z.string() })) });

export function demoCommands(program: Command, { offline }: CommandDeclarer): void {
  const demo = program.command('demo').description('The demo practices that a first start creates.');

  offline(demo, 'show', {
    summary: 'Show the file with the accounts of the demo practices',
    options: z.object({}),
    run: async ({ DATA_DIR }) => {
      const file = join(DATA_DIR, 'demo.json');
      const input = await readFile(file, 'utf8').catch(() => null);
      if (input === null) throw new Failure('not_found', 'no_demo', `There is no demo data in ${DATA_DIR}: ${file} does not exist.`);
      const { baseUrl, practices } = demoFile.parse(JSON.parse(input));
      return record({ file, base_url: baseUrl, practices: practices.map(({ practiceid, name }) => `${practiceid} ${name}`) });
    },
  });
}
