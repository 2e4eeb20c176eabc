import { html } from 'ghtml';
import type { Trend, TrendPoint } from '../../domain/monitoring/trends/trend.ts';
import { drawMark, shapeOf } from './marks.ts';
import { paint, px } from './paint.ts';
import type { Scales } from './scales.ts';

/** Readings that are further apart than this, and than others of the figure, are not joined: between them nobody measured. */
const SHORTEST_GAP_MS = 36 * 3_600_000;
/** A gap is so many times as long as the median distance of two readings. */
const GAP_FACTOR = 2.5;

/** Lines between readings, with a gap where some are missing. */
export function drawCourse(points: readonly TrendPoint[], { x, y }: Scales): string {
  const distances = points.slice(1).map(({ from }, index) => from.getTime() - (points[index]?.from.getTime() ?? 0));
  const median = distances.toSorted((one, other) => one - other)[Math.floor((distances.length - 1) / 2)] ?? 0;
  const gap = Math.max(SHORTEST_GAP_MS, GAP_FACTOR * median);
  const path = points.map(({ from, before, average }, index) => {
    const isJoined = index > 0 && (distances[index - 1] ?? 0) <= gap;
    return `${isJoined ? 'L' : 'M'}${px((x(from) + x(before)) / 2)} ${px(y(average))}`;
  });
  return path.length === 0 ? '' : html`<path d="${path.join('')}" stroke-opacity="0.6"!${paint({ stroke: 'reading', width: 1.25 })}/>`;
}

/** @param size half of the width of a mark */
export const drawReading = ({ from, highest, source }: TrendPoint, { x, y }: Scales, size: number): string =>
  drawMark({ x: x(from), y: y(highest.value), shape: shapeOf(highest), filling: source ?? 'self', size });

/** From the lowest to the highest value of a step, with a line at the average, and a mark at an end that is out of target. */
export function drawBar(
  { from, before, lowest, highest, average }: TrendPoint,
  { x, y }: Scales,
  trend: Pick<Trend, 'from' | 'before'>,
): string {
  const [start, end] = [x(from < trend.from ? trend.from : from), x(before > trend.before ? trend.before : before)];
  const [middle, half] = [(start + end) / 2, Math.min(5, Math.max(1.5, (end - start) * 0.35))];
  const bar = html`<path d="M${px(middle)} ${px(y(highest.value))}V${px(y(lowest.value))}M${px(middle - half)} ${px(y(average))}h${px(2 * half)}"!${paint({ stroke: 'reading', width: Math.min(3, half) })}/>`;
  const ends = [highest, ...(lowest.value === highest.value ? [] : [lowest])].filter(({ severity }) => severity !== null);
  const marks = ends.map((value) =>
    drawMark({ x: middle, y: y(value.value), shape: shapeOf(value), filling: 'self', size: Math.min(4, half + 1) }),
  );
  return html`!${bar}!${marks.join('')}`;
}
