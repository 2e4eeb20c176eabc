import { z } from 'zod';
import type { Reassigned, Reassignment } from '../../../domain/scheduling/hours/reassign.ts';
import { alsoNamed } from '../../../http/input/query.ts';
import { changeNotice } from '../../../http/wire/change-notices.ts';
import { DRY_RUN_NAMES } from '../../../http/wire/dry-run.ts';
import { one } from '../../../http/wire/envelopes.ts';
import { flag, id, optional } from '../../../http/wire/wire-types.ts';

/** The name on the wire of each field that an error may name. */
export const REASSIGNMENT_NAMES = {
  fromProviderId: 'from_provider_id',
  fromOfficeId: 'from_office_id',
  toProviderId: 'to_provider_id',
  toOfficeId: 'to_office_id',
} as const;

export const reassignQuery = z.object({
  dry_run: alsoNamed(flag().nullish(), ...DRY_RUN_NAMES.slice(1)).describe('Only show the result; move nothing'),
});

export const ReassignRequest = z
  .object({
    from_provider_id: optional(id()).describe('Provider to move visits from'),
    from_office_id: optional(id()).describe('Office to move visits from; with a provider, only the provider’s visits there'),
    to_provider_id: optional(id()).describe('Provider to move visits to; required with from_provider_id'),
    to_office_id: optional(id()).describe('Office to move visits to; required with from_office_id'),
    from: optional(z.iso.datetime({ offset: true, error: 'must be an instant such as 2026-03-08T14:30:00Z' })).describe(
      'Only visits from this instant on, ISO 8601 with an offset; now by default',
    ),
    notify: optional(changeNotice).describe('How to notify the patients; defaults to the setting of the practice'),
  })
  .meta({ id: 'ReassignRequest' });

const ReassignShape = z
  .strictObject({
    dry_run: z.boolean().describe('Whether it was a dry run, in which nothing was moved'),
    moved: z.array(z.int()).describe('Ids of the visits that moved'),
    conflicts: z
      .array(
        z.strictObject({
          uuid: z.int().describe('Id of a visit that was not moved'),
          code: z.string().describe('Reason, such as time_taken'),
          detail: z.string().describe('Reason as text'),
        }),
      )
      .describe('Visits that were not moved'),
    left: z.int().describe('Number of visits left for another call'),
  })
  .meta({ id: 'Reassignment' });

export const ReassignResponse = one(ReassignShape).meta({ id: 'ReassignResponse' });

/** An instant that has passed is now: what was has its provider. */
export function toReassignment(body: z.output<typeof ReassignRequest>): Reassignment {
  const since = new Date(Math.max(Date.now(), body.from == null ? 0 : Date.parse(body.from)));
  return {
    from: { providerId: body.from_provider_id ?? null, officeId: body.from_office_id ?? null },
    to: { providerId: body.to_provider_id ?? null, officeId: body.to_office_id ?? null },
    since,
    notify: body.notify ?? null,
  };
}

export const fromReassigned = ({ conflicts, ...reassigned }: Reassigned, isDryRun: boolean): z.input<typeof ReassignShape> => ({
  dry_run: isDryRun,
  ...reassigned,
  conflicts: conflicts.map(({ id: uuid, ...why }) => ({ uuid, ...why })),
});
