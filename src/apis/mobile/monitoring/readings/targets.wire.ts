import { z } from 'zod';
import type { AppliedTarget } from '../../../../domain/monitoring/targets.ts';

/** Shape of the target that a value was compared with. */
export const TargetShape = z
  .strictObject({
    min: z.number().nullable().describe('Lowest value of the target range, inclusive; null if there is no limit'),
    max: z.number().nullable().describe('Highest value of the target range, inclusive; null if there is no limit'),
    danger_min: z.number().nullable().describe('A value at or below it is a danger value; null if there is no limit'),
    danger_max: z.number().nullable().describe('A value at or above it is a danger value; null if there is no limit'),
    source: z
      .enum(['condition', 'item'])
      .describe('condition: limits of tracked conditions of the patient; item: the default target of the item'),
    tracked_condition_uuids: z
      .array(z.int())
      .describe(
        'Tracked conditions with limits for the item at the time of the measurement; if there are several, the strictest limits apply',
      ),
  })
  .meta({ id: 'AppliedTarget' });

export const fromTarget = ({ min, max, dangerMin, dangerMax, source, conditionIds }: AppliedTarget): z.input<typeof TargetShape> => ({
  min,
  max,
  danger_min: dangerMin,
  danger_max: dangerMax,
  source,
  tracked_condition_uuids: conditionIds,
});
