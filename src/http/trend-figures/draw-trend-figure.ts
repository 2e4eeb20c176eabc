import { html } from 'ghtml';
import type { Trend, TrendPoint } from '../../domain/monitoring/trends/trend.ts';
import { drawLegend } from './legend.ts';
import { drawLimits, limitLabels } from './limits.ts';
import { chooseShape, drawMark } from './marks.ts';
import { DARK_FIGURE, paint, px } from './paint.ts';
import { createScales, type Plot, type Scales, valueTicks } from './scales.ts';
import { describeTrend, writeRange, writeTitle, writeValue } from './words.ts';

/** Readings that are further apart than this, and than others of the figure, are not joined: between them nobody measured. */
const SHORTEST_GAP_MS = 36 * 3_600_000;
/** A gap is so many times as long as the median distance of two readings. */
const GAP_FACTOR = 2.5;

/** Lines between readings, with a gap where some are missing. */
function drawCourse(points: readonly TrendPoint[], { x, y }: Scales): string {
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
const drawReading = ({ from, highest, source }: TrendPoint, { x, y }: Scales, size: number): string =>
  drawMark({ x: x(from), y: y(highest.value), shape: chooseShape(highest), filling: source ?? 'self', size });

/** From the lowest to the highest value of a step, with a line at the average, and a mark at an end that is out of target. */
function drawBar({ from, before, lowest, highest, average }: TrendPoint, { x, y }: Scales, trend: Pick<Trend, 'from' | 'before'>): string {
  const [start, end] = [x(from < trend.from ? trend.from : from), x(before > trend.before ? trend.before : before)];
  const [middle, half] = [(start + end) / 2, Math.min(5, Math.max(1.5, (end - start) * 0.35))];
  const bar = html`<path d="M${px(middle)} ${px(y(highest.value))}V${px(y(lowest.value))}M${px(middle - half)} ${px(y(average))}h${px(2 * half)}"!${paint({ stroke: 'reading', width: Math.min(3, half) })}/>`;
  const ends = [highest, ...(lowest.value === highest.value ? [] : [lowest])].filter(({ severity }) => severity !== null);
  const marks = ends.map((value) =>
    drawMark({ x: middle, y: y(value.value), shape: chooseShape(value), filling: 'self', size: Math.min(4, half + 1) }),
  );
  return html`!${bar}!${marks.join('')}`;
}

/** The width in pixels from which there is room for large marks and many labels. */
const WIDE = 520;

export interface FigureSize {
  /** Pixels. The height follows. */
  width: number;
  /** A prefix of the ids in the drawing; differs from those of other figures on the page. */
  id: string;
  /** The drawing is a picture of its own, with a title that is seen and its own colours. */
  isPicture?: boolean;
}

/** Draws a trend as SVG, for the size at which it is to be read. */
export function drawTrendFigure(trend: Trend, { width, id, isPicture = false }: FigureSize): string {
  const isWide = width >= WIDE;
  const top = isPicture ? 58 : 28;
  const height = top + (isWide ? 250 : 230);
  const values = valueTicks(trend);
  const plot = createPlot(trend, values, { top, bottom: height - 28, width });
  const scales = createScales(trend, values, plot, isWide ? 8 : 4);
  const legend = drawLegend(trend, { top: height + 6, width });
  const all = height + 6 + legend.height;
  const points =
    trend.step === null
      ? trend.points.map((point) => drawReading(point, scales, isWide ? 4.5 : 3.5))
      : trend.points.map((point) => drawBar(point, scales, trend));
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${all}" width="${width}" height="${all}" role="img" aria-labelledby="${id}-title ${id}-desc" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="12">
<title id="${id}-title">${writeTitle(trend)}</title>
<desc id="${id}-desc">${describeTrend(trend)}</desc>
!${isPicture ? html`<style>!${DARK_FIGURE}</style><rect width="${width}" height="${all}"!${paint({ fill: 'surface' })}/>` : ''}
!${drawHeading(trend, { isPicture, width })}
!${drawAxes(plot, values, scales)}
!${drawLimits(trend, { plot, scales, id })}
!${drawCourse(trend.points, scales)}
!${points.length === 0 ? drawNothing(plot) : points.join('\n')}
!${legend.drawing}
</svg>
`;
}

const measureLongest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

/** The room between the numbers at the left and the labels of limits at the right. */
function createPlot(trend: Trend, values: readonly number[], { top, bottom, width }: { top: number; bottom: number; width: number }): Plot {
  const numbers = measureLongest(values.map(writeValue)) * 7 + 12;
  const labels = measureLongest(limitLabels(trend).map(({ text }) => text)) * 6.2 + 10;
  return { left: Math.max(24, numbers), right: Math.round(width - Math.max(24, labels)), top, bottom };
}

/** Above the values: the unit and the range, and in a picture of its own the item. */
function drawHeading(trend: Trend, { isPicture, width }: { isPicture: boolean; width: number }): string {
  const quiet = paint({ fill: 'quiet' });
  const range = writeRange(trend);
  if (!isPicture)
    return html`<text x="0" y="12"!${quiet}>${trend.item.unit ?? ''}</text><text x="${width}" y="12" text-anchor="end"!${quiet}>${range}</text>`;
  return html`<text x="12" y="22" font-size="16" font-weight="600"!${paint({ fill: 'text' })}>${writeTitle(trend)}</text><text x="12" y="42"!${quiet}>${range}</text>`;
}

function drawAxes({ left, right, bottom }: Plot, values: readonly number[], { x, y, times }: Scales): string {
  const quiet = paint({ fill: 'quiet' });
  const rows = values.map(
    (value) =>
      html`<path d="M${left} ${px(y(value))}H${right}"!${paint({ stroke: 'line' })}/><text x="${left - 8}" y="${px(y(value) + 4)}" text-anchor="end"!${quiet}>${writeValue(value)}</text>`,
  );
  const columns = times.map(
    ({ at, label }) =>
      html`<path d="M${px(x(at))} ${px(bottom)}v5"!${paint({ stroke: 'quiet' })}/><text x="${px(x(at))}" y="${px(bottom + 19)}" text-anchor="middle"!${quiet}>${label}</text>`,
  );
  return [...rows, html`<path d="M${left} ${px(bottom)}H${right}"!${paint({ stroke: 'quiet' })}/>`, ...columns].join('\n');
}

const drawNothing = ({ left, right, top, bottom }: Plot): string =>
  html`<text x="${px((left + right) / 2)}" y="${px((top + bottom) / 2)}" text-anchor="middle" font-size="14"!${paint({ fill: 'quiet' })}>No readings</text>`;
