import { z } from 'zod';
import { readTrend } from '../../../../domain/monitoring/trends/read-trend.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { picture } from '../../../../http/endpoints/run/csv-endpoint.ts';
import { drawTrendFigure } from '../../../../http/trend-figures/draw-trend-figure.ts';
import { id, toNumber } from '../../../../http/wire/wire-types.ts';
import { date, toDates } from '../check-ins.wire.ts';

const figureParams = z.object({ patient: id().describe('Patient id'), item: id().describe('Item id') });

const [NARROWEST, USUAL_WIDTH, WIDEST] = [280, 720, 1_600];
const error = `must be an integer from ${NARROWEST} to ${WIDEST}`;
const figureQuery = z.object({
  start_date: date(),
  end_date: date(),
  width: z
    .preprocess(toNumber(4), z.int({ error }).min(NARROWEST, { error }).max(WIDEST, { error }))
    .optional()
    .describe(`Width in pixels, ${USUAL_WIDTH} by default: the text is drawn for this size`),
});

export function trendFigureRoutes({ download }: Endpoints): void {
  download(
    '/remote-patient-monitoring/patients/:patient/charts/:item',
    picture({
      operationId: 'getTrendChart',
      beyondDocument: true,
      summary: 'Read the trend chart of an item',
      description:
        'The readings of one item as SVG, with the targets and danger limits of their time, in the organization’s time zone. Covers the last 90 days by default. More than 100 readings are drawn as the lowest, highest and average of each hour, day, week or month. The SVG’s title and description state the same as text.',
      tag: 'Remote patient monitoring',
      params: figureParams,
      query: figureQuery,
      draw: async ({ tx, params, query }) => {
        const trend = await readTrend(tx, { patientId: params.patient, itemId: params.item, dates: toDates(query) });
        return drawTrendFigure(trend, { width: query.width ?? USUAL_WIDTH, id: 'chart', isPicture: true });
      },
    }),
  );
}
