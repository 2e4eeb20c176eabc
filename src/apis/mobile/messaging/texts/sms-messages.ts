import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { previewMessage } from '../../../../domain/messaging/message-preview.ts';
import { sendAppointmentText } from '../../../../domain/messaging/texts/appointments/appointment-texts.ts';
import { listTexts } from '../../../../domain/messaging/texts/text-list.ts';
import { reportTexts } from '../../../../domain/messaging/texts/text-report.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { dryRunQuery, fromPreview, isDryRun, MessagePreviewResponse } from '../../message-preview.wire.ts';
import { writePage } from '../../shared.wire.ts';
import {
  AppointmentTextRequest,
  appointmentParams,
  fromReport,
  fromText,
  ReportResponse,
  reportQuery,
  TextList,
  TextResponse,
  textsQuery,
  toAppointmentText,
  toDates,
  toTextFilter,
} from './sms-messages.wire.ts';

/** Outgoing and inbound texts, and sending a text about an appointment. */
export function smsMessageRoutes({ get, post }: Endpoints, { keyring }: { keyring: Keyring }): void {
  post('/appointments/:uuid/send-sms', {
    operationId: 'sendAppointmentSms',
    summary: 'Send a text about an appointment',
    description:
      'A template is sent in the patient’s language, else in the practice’s, else as its body is; `Warning-Fields` names a wording that is missing, as `template.variants.vi`. Answers the message as it is queued; a worker sends it immediately, or at the end of the patient’s quiet hours, unless the patient opted out. The list of messages shows its delivery.',
    tag: 'SMS messages',
    params: appointmentParams,
    query: dryRunQuery,
    body: AppointmentTextRequest,
    response: TextResponse,
    status: 201,
    trial: {
      isAsked: isDryRun,
      response: MessagePreviewResponse,
      handle: async ({ db, caller, params, body }) => {
        const send = async () => ({
          smsMessageId: (await sendAppointmentText(db, caller, params.uuid, toAppointmentText(body))).id,
          mailMessageId: null,
        });
        return fromPreview(await previewMessage(db, caller, keyring, send));
      },
    },
    handle: async ({ db, caller, params, body }) => ({
      data: fromText(await sendAppointmentText(db, caller, params.uuid, toAppointmentText(body))),
    }),
  });

  get('/sms-messages', {
    operationId: 'listSmsMessages',
    summary: 'List outgoing and inbound texts',
    description: 'Newest first. Texts of patients whose charts are restricted or blocked do not name them.',
    tag: 'SMS messages',
    query: textsQuery,
    response: TextList,
    handle: async ({ db, caller, query, request }) => writePage(request, await listTexts(db, caller, toTextFilter(query), query), fromText),
  });

  get('/sms-messages/report', {
    operationId: 'reportSmsMessages',
    summary: 'Report texts by state, template and day',
    description: 'Of the last 30 days by default, in the organization’s time zone; the counts agree with the list of the same dates.',
    tag: 'SMS messages',
    query: reportQuery,
    response: ReportResponse,
    handle: async ({ db, caller, query }) => ({ data: fromReport(await reportTexts(db, caller, toDates(query))) }),
  });
}
