import type { Trend, TrendPoint } from '../../../../domain/monitoring/trends/trend.ts';
import { drawTrendFigure } from '../../../../http/trend-figures/draw-trend-figure.ts';
import {
  inUnit,
  writeAverage,
  writeDanger,
  writeMoment,
  writeShortMoment,
  writeStep,
  writeTarget,
  writeValue,
} from '../../../../http/trend-figures/words.ts';
import { type TableColumn, table } from '../../../design/content/table.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { html } from '../../../html.ts';

/** Widths at which figures are drawn: for a desk, and for a phone of 320 pixels and more. */
const WIDTHS = { wide: 720, narrow: 300 } as const;

/** A trend figure at two sizes, of which the window shows the one that it has room for. */
export const trendFigure = (trend: Trend): string => html`
<div class="trend-figure">!${(['wide', 'narrow'] as const)
  .map(
    (size) =>
      html`<div class="trend-figure-${size}">!${drawTrendFigure(trend, { width: WIDTHS[size], id: `trend-figure-${trend.item.id}-${size}` })}</div>`,
  )
  .join('')}</div>`;

export const SOURCES = { device: 'device', self: 'patient', staff: 'staff' } as const;

/** The same readings as the figure shows, newest first. */
export const trendTable = (trend: Trend): string => (trend.step === null ? readingsTable(trend) : stepsTable(trend));

/** In a longer range a day and its month may be of two years. */
const LONGEST_WITHOUT_YEAR_MS = 300 * 24 * 3_600_000;

function readingsTable({ item, points, spans, timeZone, from, before }: Trend): string {
  const write = before.getTime() - from.getTime() > LONGEST_WITHOUT_YEAR_MS ? writeMoment : writeShortMoment;
  const rows = points
    .toReversed()
    .map((point) => [
      html`${inUnit(point.highest.value, item.unit)} !${renderState(point, spans, item.unit)}`,
      html`!${renderTime(point.from, write(point.from, timeZone))} <span class="hint">${writeSource(point)}!${renderDevice(point)}</span>`,
    ]);
  const columns: TableColumn[] = [{ label: 'Value, target' }, { label: 'Measured, by' }];
  return table({ caption: `Readings: ${item.name}`, isCaptionHidden: true, columns, rows });
}

function stepsTable(trend: Trend): string {
  const { item, points, step, timeZone } = trend;
  const rows = points
    .toReversed()
    .map((point) => [
      renderTime(point.from, writeStep(point.from, timeZone, step?.unit ?? 'day')),
      html`${writeValue(point.count)}`,
      ...[point.lowest.value, point.average, point.highest.value].map((value) => html`${writeAverage(value)}`),
      html`${writeValue(point.outOfTarget)}`,
      html`${writeValue(point.danger)}`,
      html`${writeSource(point)}`,
    ]);
  const numbers = ['Readings', 'Lowest', 'Average', 'Highest', 'Out of target', 'In danger'];
  const columns: TableColumn[] = [{ label: 'When' }, ...numbers.map((label) => ({ label, isNumber: true })), { label: 'Source' }];
  return table({ caption: `Readings: ${item.name}`, isCaptionHidden: true, columns, rows });
}

const writeSource = ({ source }: TrendPoint): string => (source === null ? 'several' : SOURCES[source]);

const renderTime = (at: Date, words: string): string => html`<time datetime="${at.toISOString()}">${words}</time>`;

/** Characters of a device's identifier that are shown; the whole of it is the title. */
const DEVICE_LENGTH = 40;

function renderDevice({ device }: TrendPoint): string {
  if (device === null) return '';
  return device.length <= DEVICE_LENGTH
    ? html`: ${device}`
    : html`: <span title="${device}">${[...device].slice(0, DEVICE_LENGTH).join('')}…</span>`;
}

/** The place of a reading beside the target of its time, in words and with a sign, and that target. */
function renderState({ from, highest: { severity, side } }: TrendPoint, spans: Trend['spans'], unit: string | null): string {
  const target = spans.find((span) => span.from <= from && from < span.before)?.target ?? null;
  if (target === null) return html`<span class="hint">no target</span>`;
  const words = [writeTarget(target, unit), severity === 'danger' ? `danger: ${writeDanger(target, unit)}` : ''].filter(Boolean).join('; ');
  return html`!${renderMark(severity, side)}<span class="hint">${words}</span>`;
}

function renderMark(severity: TrendPoint['highest']['severity'], side: string): string {
  if (severity === 'danger') return badge('danger', 'danger', 'danger');
  return severity === 'watch' ? badge(side, 'warning', 'warning') : 'within';
}
