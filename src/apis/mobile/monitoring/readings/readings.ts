import { READINGS_SCOPE } from '../../../../domain/identity/clients/client-scopes.ts';
import { markEnteredInError } from '../../../../domain/monitoring/readings/entered-in-error.ts';
import { receiveNamedReadings } from '../../../../domain/monitoring/readings/named-readings.ts';
import { listReadingBuckets } from '../../../../domain/monitoring/readings/reading-buckets.ts';
import { listReadings } from '../../../../domain/monitoring/readings/reading-list.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromBucket,
  patientReadingsParams,
  patientReadingsQuery,
  ReadingList,
  toBucketSort,
  toReadingFilter,
  toReadingSort,
} from './reading-list.wire.ts';
import {
  ErrorMarkRequest,
  fromBatch,
  fromReading,
  fromReceived,
  isNothingNew,
  ReadingResponse,
  ReadingsRequest,
  ReceivedResponse,
  readingParams,
  toSentReadings,
} from './readings.wire.ts';

export function readingRoutes(endpoints: Endpoints): void {
  const { get, post } = endpoints.group({ tag: 'Remote patient monitoring', beyondDocument: true });
  post('/remote-patient-monitoring/readings', {
    operationId: 'createReadings',
    summary: 'Create a reading, or up to 1,000',
    description:
      'For users of every role and API clients. A repeated measurement (same device or source, patient, item and time) is not stored again and is returned with duplicate; a different value for it is refused. Name the patient by id, `med_rec_no` or the serial of a device assigned to them, and the item by id or `loinc`. In a batch, every valid reading is stored and each reading has its own result; 200 if nothing was stored.',
    scope: READINGS_SCOPE,
    body: ReadingsRequest,
    response: ReceivedResponse,
    status: 201,
    isNothingNew,
    handle: async ({ tx, body }) => {
      const received = await receiveNamedReadings(tx, toSentReadings(body), new Date());
      return { data: body.readings ? fromBatch(received) : fromReceived(received[0]) };
    },
  });

  post('/remote-patient-monitoring/readings/:reading/entered-in-error', {
    operationId: 'markReadingEnteredInError',
    summary: 'Mark a reading as entered in error, or undo it',
    description:
      'For administrators, providers and the user who recorded it. The reading is kept and listed with entered_in_error; trends, summaries and the ledger exclude it, and its alert is closed. Closed months keep their rows until they are corrected.',
    scope: READINGS_SCOPE,
    params: readingParams,
    body: ErrorMarkRequest,
    response: ReadingResponse,
    handle: async ({ tx, params, body }) => {
      const mark = { readingId: params.reading, reason: body.reason, undone: body.undone ?? false };
      return { data: fromReading(await markEnteredInError(tx, mark)) };
    },
  });

  get('/remote-patient-monitoring/patients/:patient/readings', {
    operationId: 'listPatientReadings',
    summary: 'List the readings of a patient, or summaries of them',
    description:
      'Newest first by default, each with the target at its time. With bucket, one summary per item and period in the organization’s time zone; a day may have 23 or 25 hours.',
    params: patientReadingsParams,
    query: patientReadingsQuery,
    response: ReadingList,
    handle: async ({ tx, params, query, request }) => {
      const filter = toReadingFilter(params.patient, query);
      const sort = toBucketSort(query);
      return sort === null
        ? writePage(request, await listReadings(tx, filter, toReadingSort(query), query), fromReading)
        : writePage(request, await listReadingBuckets(tx, filter, sort, query), fromBucket);
    },
  });
}
