import { READING_SOURCES, type ReadingSource } from '../readings/readings.ts';
import { judgeSeverity } from '../targets.ts';
import type { PlainReadingRow, StepReadingRow } from './trend.sql.ts';
import type { TrendPoint, TrendSpan, TrendValue } from './trend.ts';

export function plainPoint(
  { at, value, source, device }: Omit<PlainReadingRow, 'source'> & { source: ReadingSource },
  spans: readonly TrendSpan[],
): TrendPoint {
  const measuredAt = new Date(at);
  const compared = compare(
    value,
    spans.find(({ from, before }) => from <= measuredAt && measuredAt < before),
  );
  const { severity } = compared;
  return {
    from: measuredAt,
    before: measuredAt,
    count: 1,
    lowest: compared,
    highest: compared,
    average: value,
    source,
    device,
    outOfTarget: severity === null ? 0 : 1,
    danger: severity === 'danger' ? 1 : 0,
  };
}

/**
 * The points of steps that have readings.
 * @param rows in the order of their steps; a step in which the target changed has several
 * @param edges the starts of the steps, and the end of the last one
 */
export function stepPoints(rows: readonly StepReadingRow[], edges: readonly Date[], spans: readonly TrendSpan[]): TrendPoint[] {
  const steps = Map.groupBy(rows, ({ step }) => step);
  return [...steps].flatMap(([step, parts]) => {
    const [from, before] = [edges[step - 1], edges[step]];
    return from === undefined || before === undefined ? [] : [{ from, before, ...sumParts(parts, spans) }];
  });
}

function sumParts(parts: readonly StepReadingRow[], spans: readonly TrendSpan[]): Omit<TrendPoint, 'from' | 'before'> {
  const total = (read: (part: StepReadingRow) => number) => parts.reduce((sum, part) => sum + read(part), 0);
  const listEnds = (end: 'lowest' | 'highest') => parts.map((part) => compare(part[end], spans[part.span - 1]));
  const count = total((part) => part.count);
  const [first] = parts;
  const isOfOne = parts.every(({ source }) => source === first?.source);
  return {
    count,
    lowest: findOutermost(listEnds('lowest'), (one, other) => one < other),
    highest: findOutermost(listEnds('highest'), (one, other) => one > other),
    average: total(({ sum }) => sum) / count,
    source: isOfOne ? (READING_SOURCES.find((source) => source === first?.source) ?? null) : null,
    device: null,
    outOfTarget: total((part) => part.out_of_target),
    danger: total((part) => part.danger),
  };
}

const findOutermost = (values: readonly TrendValue[], isFurther: (one: number, other: number) => boolean): TrendValue =>
  values.reduce((best, one) => (isFurther(one.value, best.value) ? one : best));

/** A value beside the target of its time. */
function compare(value: number, span: TrendSpan | undefined): TrendValue {
  const target = span?.target ?? null;
  if (target === null) return { value, severity: null, side: 'above' };
  const isBelow = (target.min !== null && value < target.min) || (target.dangerMin !== null && value <= target.dangerMin);
  return { value, severity: judgeSeverity(target, value), side: isBelow ? 'below' : 'above' };
}
