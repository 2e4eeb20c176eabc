import { listMonitoringConsents, recordMonitoringConsent } from '../../../../domain/monitoring/monthly-billing/consents.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  consentParams,
  consentsQuery,
  fromConsent,
  MonitoringConsentList,
  MonitoringConsentResponse,
  NewMonitoringConsentRequest,
  toConsent,
} from './consents.wire.ts';

/** Patients' consent to remote monitoring, without which nothing is billed. */
export function monitoringConsentRoutes(endpoints: Endpoints): void {
  const { get, post } = endpoints.group({ tag: 'Remote patient monitoring', beyondDocument: true });
  get('/remote-patient-monitoring/patients/:patient/consent', {
    operationId: 'listMonitoringConsents',
    summary: 'List a patient’s consent to monitoring',
    description: 'Each consent and each revocation, newest first. Entries are never changed.',
    params: consentParams,
    query: consentsQuery,
    response: MonitoringConsentList,
    handle: async ({ tx, params, query, request }) =>
      writePage(request, await listMonitoringConsents(tx, params.patient, query), fromConsent),
  });

  post('/remote-patient-monitoring/patients/:patient/consent', {
    operationId: 'recordMonitoringConsent',
    summary: 'Record a patient’s consent to monitoring, or its revocation',
    description: 'The ledger counts readings, reviews and visits from the day of consent until the day of revocation.',
    params: consentParams,
    body: NewMonitoringConsentRequest,
    response: MonitoringConsentResponse,
    status: 201,
    handle: async ({ tx, params, body }) => ({
      data: fromConsent(await recordMonitoringConsent(tx, params.patient, toConsent(body))),
    }),
  });
}
