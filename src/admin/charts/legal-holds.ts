import type { Command } from 'commander';
import { z } from 'zod';
import { type LegalHold, liftHold, listHolds, placeHold } from '../../domain/patient-rights/legal-holds.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { id, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

export function legalHoldCommands(program: Command, { command }: CommandDeclarer): void {
  const holds = program.command('legal-holds').description('Legal holds: records that must be kept regardless of policies.');

  command(holds, 'place', {
    summary: 'Keep everything about a patient, or about the whole practice, until the hold is lifted',
    options: z.object({
      practice: practice(),
      patient: id().exactOptional().describe('id of a chart of the patient (default: the whole practice)'),
      reason: text(500).describe('why; no patient data'),
    }),
    run: async ({ write }, { practice, patient, reason }) =>
      record(toRow(await write(practice, (tx) => placeHold(tx, patient ?? null, reason)))),
  });

  command(holds, 'lift', {
    summary: 'Lift a legal hold',
    details: 'The hold stays on record with the time when it was lifted.',
    options: z.object({ hold: id().meta({ positional: true }).describe('id of the hold'), practice: practice() }),
    run: async ({ write }, { hold, practice }) => record(toRow(await write(practice, (tx) => liftHold(tx, hold)))),
  });

  command(holds, 'list', {
    summary: 'List the legal holds of a practice, including lifted ones',
    options: z.object({ practice: practice() }),
    run: async ({ read }, { practice }) => list((await read(practice, listHolds)).map(toRow), 'There are no legal holds.'),
  });
}

const toRow = ({ id: number, patientId, reason, placedAt, liftedAt }: LegalHold): Row => ({
  id: number,
  patient_id: patientId,
  reason,
  placed_at: writeInstant(placedAt),
  lifted_at: writeInstant(liftedAt),
});
