import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { AGENT_SCOPES } from '../../../../domain/identity/clients/client-scopes.ts';
import { sendAppointmentText } from '../../../../domain/messaging/confirmations/appointment-texts.ts';
import { previewMessage, queuedText } from '../../../../domain/messaging/inbox/message-preview.ts';
import { changeText, takeTextBack } from '../../../../domain/messaging/sending/waiting-texts.ts';
import { listTexts, readText } from '../../../../domain/messaging/texts/text-list.ts';
import { reportTexts } from '../../../../domain/messaging/texts/text-report.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { dryRunQuery, fromPreview, isDryRun, MessagePreviewResponse } from '../../message-preview.wire.ts';
import { writePage } from '../../shared.wire.ts';
import {
  AppointmentTextRequest,
  appointmentParams,
  fromText,
  TextChangeRequest,
  TextList,
  TextResponse,
  textParams,
  textsQuery,
  toAppointmentText,
  toTextFilter,
} from './sms-messages.wire.ts';
import { fromReport, ReportResponse, reportQuery, toDates } from './sms-reports.wire.ts';

/** Outgoing and inbound texts, and sending a text about an appointment. */
export function smsMessageRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'SMS messages' });
  post('/appointments/:uuid/send-sms', {
    operationId: 'sendAppointmentSms',
    summary: 'Send a text about an appointment',
    description:
      'A template is sent in the patient’s language, otherwise in the practice’s, otherwise as its body; `Warning-Fields` names a missing wording, such as `template.variants.vi`. Returns the queued message; a worker sends it immediately, or at the end of the patient’s quiet hours, unless the patient opted out. The list of messages shows its delivery.',
    params: appointmentParams,
    query: dryRunQuery,
    body: AppointmentTextRequest,
    response: TextResponse,
    status: 201,
    trial: {
      isAsked: isDryRun,
      response: MessagePreviewResponse,
      handle: async ({ tx, params, body }) => {
        const send = async () => queuedText(await sendAppointmentText(tx, params.uuid, toAppointmentText(body)));
        return fromPreview(await previewMessage(tx, keyring, send));
      },
    },
    handle: async ({ tx, params, body, request }) => ({
      data: fromText(request, await sendAppointmentText(tx, params.uuid, toAppointmentText(body))),
    }),
  });

  get('/sms-messages', {
    operationId: 'listSmsMessages',
    scope: AGENT_SCOPES.read,
    summary: 'List outgoing and inbound texts',
    description: 'Newest first. Texts of patients with restricted or blocked charts do not name them.',
    query: textsQuery,
    response: TextList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listTexts(tx, toTextFilter(query), query), (text) => fromText(request, text)),
  });

  get('/sms-messages/report', {
    operationId: 'reportSmsMessages',
    summary: 'Report texts by state, template and day',
    description: 'Covers the last 30 days by default, in the organization’s time zone. The counts match the list for the same dates.',
    query: reportQuery,
    response: ReportResponse,
    handle: async ({ tx, query }) => ({ data: fromReport(await reportTexts(tx, toDates(query))) }),
  });

  const current = get('/sms-messages/:uuid', {
    operationId: 'getSmsMessage',
    beyondDocument: true,
    summary: 'Read a text',
    params: textParams,
    response: TextResponse,
    etag: true,
    handle: async ({ tx, params, request }) => ({ data: fromText(request, await readText(tx, params.uuid)) }),
  });

  put('/sms-messages/:uuid', {
    operationId: 'updateSmsMessage',
    beyondDocument: true,
    summary: 'Update a waiting text',
    description:
      'Changes its words or its send time (null for as soon as possible). 409 once it was sent. Only the fields sent are changed.',
    params: textParams,
    body: TextChangeRequest,
    response: TextResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body, request }) => {
      await changeText(tx, params.uuid, { message: body.message, sendAt: body.send_at });
      return { data: fromText(request, await readText(tx, params.uuid)) };
    },
  });

  remove('/sms-messages/:uuid', {
    operationId: 'withdrawSmsMessage',
    beyondDocument: true,
    summary: 'Withdraw a waiting text',
    description: 'It will not be sent; the record stays. 409 once it was sent.',
    params: textParams,
    current,
    handle: ({ tx, params }) => takeTextBack(tx, params.uuid),
  });
}
