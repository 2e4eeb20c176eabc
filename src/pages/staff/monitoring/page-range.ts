import { z } from 'zod';
import { USUAL_DAYS } from '../../../domain/monitoring/trends/read-trend.ts';
import type { WrittenRange } from '../../../domain/values/time/date-range.ts';
import { html } from '../../html.ts';

const MOST_DAYS = 3_660;
const day = z.iso
  .date({ error: 'must be a day such as 2026-11-03' })
  .refine((written) => Date.parse(written) > Date.now() - MOST_DAYS * 86_400_000, 'must be within the last ten years')
  .optional();

/** The range in the address of a page: so many days until today, or from one day to another. */
export const RangeQuery = z.object({
  days: z.coerce.number().int().min(1).max(MOST_DAYS).optional().catch(undefined),
  start_date: day,
  end_date: day,
});

export interface PageRange {
  dates: WrittenRange;
  /** Undefined where the address names the days of the range. */
  days: number | undefined;
}

export const toPageRange = ({ days, start_date: min, end_date: max }: z.output<typeof RangeQuery>): PageRange => ({
  dates: { min, max, fields: { min: 'start_date', max: 'end_date' } },
  days: min === undefined && max === undefined ? (days ?? USUAL_DAYS) : undefined,
});

/** Days until today that a page offers. */
const OFFERED = [
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
  { days: 365, label: 'One year' },
] as const;

export const rangeLinks = (address: string, { days: shown }: PageRange): string => html`
<nav class="range-links" aria-label="Time shown"><ul>!${OFFERED.map(
  ({ days, label }) => html`<li><a href="${address}?days=${days}"!${days === shown ? ' aria-current="true"' : ''}>${label}</a></li>`,
).join('')}</ul></nav>`;
