import { html } from 'ghtml';
import type { Trend, TrendSpan } from '../../domain/monitoring/trends/trend.ts';
import { type FigureColour, paint, px } from './paint.ts';
import type { Plot, Scales } from './scales.ts';
import { writeValue } from './words.ts';

interface Room {
  plot: Plot;
  scales: Scales;
  /** Prefix of the ids in the drawing. */
  id: string;
}

/** The targets as hatched bands with dashed ends, the danger limits as thick lines, and the limits of the last span in words. */
export function drawLimits(trend: Trend, room: Room): string {
  const spans = trend.spans.map((span) => drawSpan(span, room));
  return html`<defs><pattern id="${room.id}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" stroke-opacity="0.3"!${paint({ stroke: 'target', width: 2 })}/></pattern></defs>
!${spans.join('\n')}
!${drawLabels(limitLabels(trend), room)}`;
}

function drawSpan({ from, before, target }: TrendSpan, { plot, scales: { x, y }, id }: Room): string {
  if (target === null) return '';
  const { min, max, dangerMin, dangerMax } = target;
  const [left, right] = [px(x(from)), px(x(before))];
  const band = (top: number, bottom: number) =>
    html`<rect x="${left}" y="${px(top)}" width="${px(right - left)}" height="${px(Math.max(0, bottom - top))}" fill="url(#${id}-hatch)"/>`;
  const drawAcross = (value: number | null, look: string) =>
    value === null ? '' : html`<path d="M${left} ${px(y(value))}H${right}"!${look}/>`;
  return [
    min === null && max === null ? '' : band(max === null ? plot.top : y(max), min === null ? plot.bottom : y(min)),
    ...[min, max].map((value) => drawAcross(value, paint({ stroke: 'target', width: 1.25, dash: '5 4' }))),
    ...[dangerMin, dangerMax].map((value) => drawAcross(value, paint({ stroke: 'danger', width: 2.25 }))),
  ].join('');
}

interface Label {
  text: string;
  colour: FigureColour;
  value: number;
}

/** The limits that hold at the end of a figure, in words. */
export function limitLabels({ spans }: Pick<Trend, 'spans'>): Label[] {
  const limits = spans.at(-1)?.target;
  if (!limits) return [];
  const label = (value: number | null, words: string, colour: FigureColour): Label[] =>
    value === null ? [] : [{ text: `${words} ${writeValue(value)}`, colour, value }];
  return [
    ...label(limits.dangerMax, 'danger ≥', 'danger'),
    ...label(limits.max, 'target ≤', 'target'),
    ...label(limits.min, 'target ≥', 'target'),
    ...label(limits.dangerMin, 'danger ≤', 'danger'),
  ];
}

/** Pixels between two labels. */
const DISTANCE = 13;

/** The labels at the right edge, from the top on, so far apart that none covers another. */
function drawLabels(labels: readonly Label[], { plot, scales: { y } }: Room): string {
  let lowest = -Infinity;
  const placed = labels
    .map((label) => ({ ...label, y: y(label.value) }))
    .toSorted((one, other) => one.y - other.y)
    .map((label) => {
      lowest = Math.max(label.y, lowest + DISTANCE);
      return { ...label, y: lowest };
    });
  const tooLow = Math.max(0, lowest - plot.bottom);
  return placed
    .map(
      ({ text, colour, y: at }) =>
        html`<text x="${plot.right + 6}" y="${px(at - tooLow + 4)}" font-size="11"!${paint({ fill: colour })}>${text}</text>`,
    )
    .join('\n');
}
