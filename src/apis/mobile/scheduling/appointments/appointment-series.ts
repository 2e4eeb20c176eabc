import { bookSeries, cancelSeries, changeSeries, listSeries, readSeries } from '../../../../domain/scheduling/series/series.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  cancelSeriesQuery,
  fromChanged,
  fromSeries,
  SavedSeriesResponse,
  SeriesList,
  SeriesRequest,
  SeriesResponse,
  SeriesUpdate,
  seriesParams,
  seriesQuery,
  toSeries,
  toSeriesChange,
} from './appointment-series.wire.ts';

export function appointmentSeriesRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Appointments', beyondDocument: true });
  get('/appointments/series', {
    operationId: 'listAppointmentSeries',
    summary: 'List recurring visits',
    description: 'Newest first, for all patients or one.',
    query: seriesQuery,
    response: SeriesList,
    handle: async ({ tx, query, request }) => writePage(request, await listSeries(tx, query.patient, query), fromSeries),
  });

  post('/appointments/series', {
    operationId: 'createAppointmentSeries',
    summary: 'Create recurring visits',
    description:
      'Each visit is a separate appointment at the same local time, also after a clock change. A time that is taken or skipped by a clock change is a conflict. The patient gets a message about the first visit only.',
    body: SeriesRequest,
    response: SavedSeriesResponse,
    status: 201,
    handle: async ({ tx, body }) => ({
      ...fromChanged(await bookSeries(tx, toSeries(body))),
      warnings: tx.journal.cautions,
    }),
  });

  const current = get('/appointments/series/:uuid', {
    operationId: 'getAppointmentSeries',
    summary: 'Read recurring visits',
    params: seriesParams,
    response: SeriesResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromSeries(await readSeries(tx, params.uuid)) }),
  });

  put('/appointments/series/:uuid', {
    operationId: 'updateAppointmentSeries',
    summary: 'Update recurring visits',
    description: 'One visit, that visit and the following ones, or all future visits. Only the fields sent are changed.',
    params: seriesParams,
    body: SeriesUpdate,
    response: SavedSeriesResponse,
    current,
    handle: async ({ tx, params, body }) => ({
      ...fromChanged(await changeSeries(tx, params.uuid, toSeriesChange(body))),
      warnings: tx.journal.cautions,
    }),
  });

  remove('/appointments/series/:uuid', {
    operationId: 'cancelAppointmentSeries',
    summary: 'Cancel recurring visits',
    description: 'One visit, that visit and the following ones, or all future visits.',
    params: seriesParams,
    query: cancelSeriesQuery,
    current,
    handle: ({ tx, params, query }) => cancelSeries(tx, params.uuid, { ...query, appointmentId: query.appointment_id ?? null }),
  });
}
