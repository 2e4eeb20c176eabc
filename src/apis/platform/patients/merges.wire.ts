import { z } from 'zod';
import type { Duplicate } from '../../../domain/patient-rights/merging/duplicates.ts';
import { MERGED_FIELD_NAMES, type Merge, type MergeInput, UNDO_DAYS } from '../../../domain/patient-rights/merging/merge.ts';
import { writeDay, writeInstant } from '../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../http/input/query.ts';
import { DRY_RUN_NAMES } from '../../../http/wire/dry-run.ts';
import { one, wrapList } from '../../../http/wire/envelopes.ts';
import { calendarDay, flag, id, instant, optional, paging, text } from '../../../http/wire/wire-types.ts';

const DuplicatePatient = z
  .strictObject({
    uuid: z.int().describe('Patient id'),
    first_name: z.string().nullable().describe('First name'),
    last_name: z.string().nullable().describe('Last name'),
    birth_date: calendarDay().nullable().describe('Day of birth'),
  })
  .meta({ id: 'DuplicatePatient' });

const DuplicateShape = z
  .strictObject({
    patients: z.array(DuplicatePatient).describe('Two charts that may belong to one person, sorted by id'),
    score: z.int().describe('Score as in Possible-Matches; 26 or more means the same person'),
    reasons: z.array(z.string()).describe('What the charts have in common'),
  })
  .meta({ id: 'PossibleDuplicate' });

export const DuplicateList = wrapList(DuplicateShape).meta({ id: 'PossibleDuplicateList' });
export const duplicatesQuery = z.object(paging);

export const patientParams = z.object({ uuid: id().describe('The chart that remains') });
export const mergeQuery = z.object({
  dry_run: alsoNamed(flag().nullish(), ...DRY_RUN_NAMES.slice(1)).describe('Only show the result; merge nothing'),
});
export const undoQuery = z.object({
  from: optional(id()).describe('The chart that was merged into this one; by default that of the newest merge'),
});

export const MergeRequest = z
  .object({
    from: id().describe('The chart to merge into this one'),
    fields: optional(z.array(text(60)).max(100)).describe(
      `Fields to take from the other chart even if this one has them, such as mobile_phone. Missing fields are always taken. One or more of: ${MERGED_FIELD_NAMES.join(', ')}`,
    ),
  })
  .meta({ id: 'PatientMergeRequest' });

const MergeShape = z
  .strictObject({
    uuid: z.int().nullable().describe('Id of the merge; null for a dry run'),
    patient_uuid: z.int().describe('The chart that remains'),
    from_uuid: z.int().describe('The chart that was merged'),
    fields: z
      .strictObject({
        from: z.array(z.string()).describe('Fields taken from the other chart'),
        kept: z.array(z.string()).describe('Fields kept from this chart'),
      })
      .describe('Field names by source chart'),
    moved: z.record(z.string(), z.int()).describe('Number of rows that moved, by kind of record'),
    merged_at: instant().nullable().describe('Null for a dry run'),
    undo_until: instant().nullable().describe(`End of the ${UNDO_DAYS} days in which it can be undone; null for a dry run`),
  })
  .meta({ id: 'PatientMerge' });

export const MergeResponse = one(MergeShape).meta({ id: 'PatientMergeResponse' });

/** The name on the wire of each field of a merge that an error may name. */
export const MERGE_NAMES = { fromPatientId: 'from' } as const;

export const toMerge = (patientId: number, { from, fields }: z.output<typeof MergeRequest>): MergeInput => ({
  patientId,
  fromPatientId: from,
  fields: fields ?? [],
});

export const fromMerge = (merge: Merge, { isDryRun = false } = {}): z.input<typeof MergeShape> => ({
  uuid: isDryRun ? null : merge.id,
  patient_uuid: merge.patientId,
  from_uuid: merge.fromPatientId,
  fields: { from: merge.taken, kept: merge.kept },
  moved: merge.moved,
  merged_at: isDryRun ? null : writeInstant(merge.mergedAt),
  undo_until: isDryRun ? null : writeInstant(new Date(merge.mergedAt.getTime() + UNDO_DAYS * 86_400_000)),
});

export const fromDuplicate = ({ patients, score, reasons }: Duplicate): z.input<typeof DuplicateShape> => ({
  patients: patients.map(({ id: uuid, firstName, lastName, birthDate }) => ({
    uuid,
    first_name: firstName,
    last_name: lastName,
    birth_date: writeDay(birthDate),
  })),
  score,
  reasons,
});
