import { html } from 'ghtml';
import type { Trend } from '../../domain/monitoring/trends/trend.ts';
import { chooseShape, drawMark, type MarkFilling, type MarkShape } from './marks.ts';
import { paint, px } from './paint.ts';

interface Entry {
  /** Draws the sign in a box of SIGN pixels whose middle is at x and y. */
  draw: (x: number, y: number) => string;
  words: string;
}

const SIGN = 16;
const ROW = 20;
/** Pixels of a character of 12 pixels, on the average and a little more. */
const CHARACTER = 6.4;
const GAP = 14;

const SHAPES: Record<MarkShape, string> = {
  within: 'within target',
  above: 'above target',
  below: 'below target',
  danger: 'danger value',
};
const FILLINGS: Record<MarkFilling, string> = { device: 'filled: device', self: 'hollow: patient', staff: 'dot: staff' };

/** The signs of a figure in words, in as many rows as its width takes. Signs that the figure does not have are left out. */
export function drawLegend(trend: Trend, { top, width }: { top: number; width: number }): { drawing: string; height: number } {
  let [x, row] = [12, 0];
  const drawn = listEntries(trend).map(({ draw, words }) => {
    const length = SIGN + 4 + words.length * CHARACTER;
    if (x > 12 && x + length > width) [x, row] = [12, row + 1];
    const y = top + row * ROW + ROW / 2;
    const entry = html`!${draw(x + SIGN / 2, y)}<text x="${px(x + SIGN + 4)}" y="${px(y + 4)}"!${paint({ fill: 'quiet' })}>${words}</text>`;
    x += length + GAP;
    return entry;
  });
  return { drawing: drawn.join('\n'), height: drawn.length === 0 ? 0 : (row + 1) * ROW + 4 };
}

function listEntries(trend: Trend): Entry[] {
  const { points, spans, step } = trend;
  const shapes = new Set(points.flatMap(({ lowest, highest }) => [chooseShape(lowest), chooseShape(highest)]));
  const sources = new Set(points.map(({ source }) => source));
  const filling = sources.has('device') ? 'device' : sources.has('self') ? 'self' : 'staff';
  const hasTarget = spans.some(({ target }) => target !== null && (target.min !== null || target.max !== null));
  const hasDanger = spans.some(({ target }) => target !== null && (target.dangerMin !== null || target.dangerMax !== null));
  const mark = (shape: MarkShape, inside: MarkFilling) => (x: number, y: number) =>
    drawMark({ x, y, shape, filling: step === null ? inside : 'self', size: 4.5 });
  const bars: Entry[] = [
    { draw: drawBarSign, words: `lowest to highest of a ${step?.unit ?? ''}` },
    { draw: drawAverageSign, words: 'average' },
  ];
  const shown = (['within', 'above', 'below', 'danger'] as const).filter(
    (shape) => shapes.has(shape) && (step === null || shape !== 'within'),
  );
  return [
    ...(step === null || points.length === 0 ? [] : bars),
    ...shown.map((shape): Entry => ({ draw: mark(shape, filling), words: hasTarget || shape !== 'within' ? SHAPES[shape] : 'reading' })),
    ...(step === null ? (['device', 'self', 'staff'] as const) : [])
      .filter((source) => sources.has(source))
      .map((source): Entry => ({ draw: mark('within', source), words: FILLINGS[source] })),
    ...(hasTarget ? [{ draw: drawBand, words: 'target' }] : []),
    ...(hasDanger ? [{ draw: drawThickLine, words: 'danger limit' }] : []),
  ];
}

const drawBarSign = (x: number, y: number): string => html`<path d="M${px(x)} ${px(y - 7)}v14"!${paint({ stroke: 'reading', width: 2 })}/>`;

const drawAverageSign = (x: number, y: number): string =>
  html`<path d="M${px(x - 5)} ${px(y)}h10"!${paint({ stroke: 'reading', width: 2 })}/>`;

const drawBand = (x: number, y: number): string =>
  html`<path d="M${px(x - 8)} ${px(y - 5)}h16M${px(x - 8)} ${px(y + 5)}h16"!${paint({ stroke: 'target', width: 1.25, dash: '5 3' })}/><path d="M${px(x - 7)} ${px(y + 4)}l8 -8M${px(x - 1)} ${px(y + 4)}l8 -8" stroke-opacity="0.5"!${paint({ stroke: 'target', width: 1.5 })}/>`;

const drawThickLine = (x: number, y: number): string =>
  html`<path d="M${px(x - 8)} ${px(y)}h16"!${paint({ stroke: 'danger', width: 2.25 })}/>`;
