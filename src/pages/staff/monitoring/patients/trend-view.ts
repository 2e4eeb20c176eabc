import type { Trend } from '../../../../domain/monitoring/trends/trend.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { describeTrend, writeRange } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { writePage } from '../../../design/layout/page.ts';
import { html } from '../../../html.ts';
import { MONITORING_STYLE } from '../live-part.ts';
import { type PageRange, rangeLinks } from '../page-range.ts';
import { trendFigure, trendTable } from './trend-figure.ts';

interface TrendView {
  practice: LinkPractice;
  patient: { id: number; name: string };
  trend: Trend;
  range: PageRange;
  /** Markup of the line above the page. */
  bar: string;
}

/** One item of one patient: the trend figure, and the same in a table. */
export const trendPage = ({ practice, patient, trend, range, bar }: TrendView): string =>
  writePage({
    title: trend.item.name,
    practice,
    layout: 'wide',
    style: MONITORING_STYLE,
    back: { href: `/monitoring/patients/${patient.id}`, label: patient.name },
    content: html`
!${bar}
!${card({
      title: patient.name,
      content: html`<p>${describeTrend(trend)}</p>
!${rangeLinks(`/monitoring/patients/${patient.id}/charts/${trend.item.id}`, range)}
!${trendFigure(trend)}`,
    })}
!${card({ title: trend.step === null ? 'Readings' : `Readings of each ${trend.step.unit}`, content: html`<p class="hint">${writeRange(trend)}</p>!${trend.points.length === 0 ? html`<p>There are none.</p>` : trendTable(trend)}` })}`,
  });
