import type { Command } from 'commander';
import { z } from 'zod';
import { listOrganizations, type Organization } from '../../domain/practices/organizations.ts';
import { exportPractice } from '../../practice-file/export.ts';
import { KINDS } from '../../practice-file/kinds/index.ts';
import { renameMembers, snake, writeYaml } from '../../practice-file/yaml-source.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { list, type Row } from '../terminal/output.ts';
import { findPractice, practice } from '../terminal/practice.ts';
import { fileServices } from './file-services.ts';

export function exportPracticeCommand(program: Command, { command }: CommandDeclarer): void {
  command(program, 'export-practice', {
    summary: 'Write the file of a practice in the format of apply',
    details: 'Contains neither secrets nor the logo. Applying it unchanged changes nothing. Without a practice, lists all practices.',
    options: z.object({ practice: practice().exactOptional() }),
    run: async (session, { practice: named }) => {
      if (named === undefined) return list((await listOrganizations(session.db)).map(toRow), 'There are no practices yet.');
      const found = await findPractice(session.db, named);
      const services = fileServices(session);
      const file = await session.read(found.id, (tx) => exportPractice({ tx, services, folder: '' }, KINDS));
      const comment = ` yaml-language-server: $schema=practice.schema.json\n ${found.name}`;
      return { json: renameMembers(file, snake), text: writeYaml(file, comment).trimEnd() };
    },
  });
}

const toRow = ({ id, key, name, timeZone, active }: Organization): Row => ({ id, key, name, time_zone: timeZone, active });
