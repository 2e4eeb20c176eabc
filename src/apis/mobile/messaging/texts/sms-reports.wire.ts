import { z } from 'zod';
import type { TextFilter } from '../../../../domain/messaging/texts/text-list.ts';
import type { TextReport } from '../../../../domain/messaging/texts/text-report.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { calendarDay, dateBound } from '../../../../http/wire/wire-types.ts';
import { one } from '../../shared.wire.ts';

export const states = z.enum(['queued', 'sent', 'delivered', 'failed', 'suppressed', 'received']);
export const directions = z.enum(['outbound', 'inbound']);

const written = () => dateBound().optional().describe('Day or moment, ISO 8601; without an offset in the organization’s time zone');
export const dates = { min_date: alsoNamed(written(), 'min-date'), max_date: alsoNamed(written(), 'max-date') };

export const reportQuery = z.object(dates);

const count = z.int();

export const ReportShape = z
  .strictObject({
    time_zone: z.string(),
    from: z.string(),
    before: z.string().nullable().describe('Null: until now'),
    total: count,
    by_state: z.array(z.strictObject({ state: states, count })),
    by_template: z.array(z.strictObject({ template_id: z.int().nullable(), template: z.string().nullable(), count })),
    by_day: z.array(z.strictObject({ day: calendarDay(), count })),
    counts: z.array(
      z.strictObject({
        day: calendarDay(),
        direction: directions,
        state: states,
        template_id: z.int().nullable(),
        template: z.string().nullable(),
        count,
      }),
    ),
  })
  .meta({ id: 'SmsReport' });

export const ReportResponse = one(ReportShape).meta({ id: 'SmsReportResponse' });

export function toDates({ min_date: min, max_date: max }: z.output<typeof reportQuery>): TextFilter['dates'] {
  return { min, max, fields: { min: 'min_date', max: 'max_date' } };
}

export function fromReport({ timeZone, from, before, total, counts }: TextReport): z.input<typeof ReportShape> {
  const sum = (of: TextReport['counts']) => of.reduce((all, one) => all + one.count, 0);
  const groupBy = <K>(key: (one: TextReport['counts'][number]) => K) => [...Map.groupBy(counts, key)].map(([, group]) => group);
  const takeFirst = (group: TextReport['counts']) => group.slice(0, 1);
  return {
    time_zone: timeZone,
    from: writeInstant(from),
    before: writeInstant(before),
    total,
    by_state: groupBy(({ state }) => state).flatMap((group) => takeFirst(group).map(({ state }) => ({ state, count: sum(group) }))),
    by_template: groupBy(({ templateId }) => templateId).flatMap((group) =>
      takeFirst(group).map(({ templateId, template }) => ({ template_id: templateId, template, count: sum(group) })),
    ),
    by_day: groupBy(({ day }) => day).flatMap((group) => takeFirst(group).map(({ day }) => ({ day, count: sum(group) }))),
    counts: counts.map(({ templateId, ...rest }) => ({ ...rest, template_id: templateId })),
  };
}
