import { acknowledgeAlert, closeAlert } from '../../../domain/monitoring/alerts/alert-actions.ts';
import { listAlerts, readAlert } from '../../../domain/monitoring/alerts/alert-list.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
import {
  AcknowledgeAlertRequest,
  AlertList,
  AlertResponse,
  alertParams,
  alertsQuery,
  CloseAlertRequest,
  fromAlert,
  toAlertFilter,
} from './alerts.wire.ts';

const currentAlert = async ({ tx, params }: { tx: Tx; params: { alert: number } }) => ({
  data: fromAlert(await readAlert(tx, params.alert)),
});

export function alertRoutes(endpoints: Endpoints): void {
  const { get, post } = endpoints.group({ tag: 'Remote patient monitoring', beyondDocument: true });
  get('/remote-patient-monitoring/alerts', {
    operationId: 'listMonitoringAlerts',
    summary: 'List monitoring alerts',
    description:
      'Most severe first, then newest, unless sorted otherwise. Readings and answers raise alerts immediately; an unanswered check-in raises one after the time set by the patient’s program.',
    query: alertsQuery,
    response: AlertList,
    handle: async ({ tx, query, request }) => writePage(request, await listAlerts(tx, toAlertFilter(query), query), fromAlert),
  });

  const current = get('/remote-patient-monitoring/alerts/:alert', {
    operationId: 'getMonitoringAlert',
    summary: 'Read an alert',
    params: alertParams,
    response: AlertResponse,
    etag: true,
    handle: currentAlert,
  });

  post('/remote-patient-monitoring/alerts/:alert/acknowledge', {
    operationId: 'acknowledgeMonitoringAlert',
    summary: 'Acknowledge an alert',
    description: 'You take responsibility for it, which ends its escalation. An already acknowledged alert is unchanged.',
    params: alertParams,
    body: AcknowledgeAlertRequest,
    bodyOptional: true,
    response: AlertResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => {
      await acknowledgeAlert(tx, params.alert, body.note);
      return { data: fromAlert(await readAlert(tx, params.alert)) };
    },
  });

  post('/remote-patient-monitoring/alerts/:alert/close', {
    operationId: 'closeMonitoringAlert',
    summary: 'Close an alert',
    description: 'With a note of what was done. It may be closed without an acknowledgment.',
    params: alertParams,
    body: CloseAlertRequest,
    bodyOptional: true,
    response: AlertResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => {
      await closeAlert(tx, params.alert, body.note);
      return { data: fromAlert(await readAlert(tx, params.alert)) };
    },
  });
}
