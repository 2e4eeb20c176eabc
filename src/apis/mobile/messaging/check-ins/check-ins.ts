import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { sendCheckIn } from '../../../../domain/messaging/check-ins/check-ins.ts';
import { listSurveyTypes } from '../../../../domain/messaging/check-ins/survey-types.ts';
import { previewMessage } from '../../../../domain/messaging/inbox/message-preview.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { dryRunQuery, fromPreview, isDryRun, MessagePreviewResponse } from '../../message-preview.wire.ts';
import { writePage } from '../../shared.wire.ts';
import { CheckInRequest, CheckInResponse, fromCheckIn, SEND_DESCRIPTION, toCheckIn } from './check-ins.wire.ts';
import { scheduledCheckInRoutes } from './scheduled-check-ins.ts';
import { fromSurveyType, SurveyTypeList, surveyTypesQuery } from './survey-types.wire.ts';

/** Surveys that patients answer on a page. */
export function checkInRoutes(endpoints: Endpoints, { keyring }: { keyring: Keyring }): void {
  const { get, post } = endpoints.group({ tag: 'Check-ins' });

  post('/checkin/send', {
    operationId: 'sendCheckIn',
    summary: 'Send a check-in to a patient',
    description: SEND_DESCRIPTION,
    query: dryRunQuery,
    body: CheckInRequest,
    response: CheckInResponse,
    status: 201,
    trial: {
      isAsked: isDryRun,
      response: MessagePreviewResponse,
      handle: async ({ tx, body, request }) => {
        const send = () => sendCheckIn(tx, toCheckIn(body), { keyring, origin: readOrigin(request) });
        return fromPreview(await previewMessage(tx, keyring, send));
      },
    },
    handle: async ({ tx, body, request }) => ({
      data: fromCheckIn(await sendCheckIn(tx, toCheckIn(body), { keyring, origin: readOrigin(request) })),
      warnings: tx.journal.cautions,
    }),
  });

  get('/survey-types', {
    operationId: 'listSurveyTypes',
    beyondDocument: true,
    summary: 'List survey types',
    description: 'Sorted by id, with their questions. An operator adds and ends them.',
    query: surveyTypesQuery,
    response: SurveyTypeList,
    handle: async ({ tx, query, request }) => writePage(request, await listSurveyTypes(tx, query.active, query), fromSurveyType),
  });

  scheduledCheckInRoutes(endpoints);
}
