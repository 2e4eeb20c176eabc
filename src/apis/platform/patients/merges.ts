import { listDuplicates } from '../../../domain/patient-rights/merging/duplicates.ts';
import { mergePatients } from '../../../domain/patient-rights/merging/merge.ts';
import { undoMerge } from '../../../domain/patient-rights/merging/undo-merge.ts';
import { runAndRollBack } from '../../../domain/unit-of-work/dry-run.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { namesDryRun } from '../../../http/wire/dry-run.ts';
import { writePage } from '../../../http/wire/envelopes.ts';
import {
  DuplicateList,
  duplicatesQuery,
  fromDuplicate,
  fromMerge,
  MergeRequest,
  MergeResponse,
  mergeQuery,
  patientParams,
  toMerge,
  undoQuery,
} from './merges.wire.ts';

/** Charts of one person that the practice has twice. */
export function mergeRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({
    tag: 'Patients',
    beyondDocument: true,
    notForApps: true,
    roles: ['admin', 'provider', 'staff'],
  });
  get('/patients/possible-duplicates', {
    operationId: 'listPossibleDuplicates',
    summary: 'List possible duplicate charts',
    description: 'Pairs of charts, most likely duplicates first. Restricted and blocked charts are excluded.',
    query: duplicatesQuery,
    response: DuplicateList,
    handle: async ({ tx, query, request }) => writePage(request, await listDuplicates(tx, query), fromDuplicate),
  });

  post('/patients/:uuid/merge', {
    operationId: 'mergePatients',
    summary: 'Merge another chart of the same person into this one',
    description:
      'Moves the other chart’s appointments, texts, readings, insurances, files, portal accounts and lists to this one, and fills in fields that this one lacks. The other chart is deleted; requests for its id get this chart, with its id in the header Merged-Into. Closed months stay as billed.',
    stepUp: true,
    params: patientParams,
    query: mergeQuery,
    body: MergeRequest,
    response: MergeResponse,
    status: 201,
    trial: {
      isAsked: ({ query, request }) => query.dry_run === true || namesDryRun(request),
      response: MergeResponse,
      handle: async ({ tx, params, body }) => ({
        data: fromMerge(await runAndRollBack(tx, () => mergePatients(tx, toMerge(params.uuid, body))), { isDryRun: true }),
      }),
    },
    handle: async ({ tx, params, body }) => ({ data: fromMerge(await mergePatients(tx, toMerge(params.uuid, body))) }),
  });

  remove('/patients/:uuid/merge', {
    operationId: 'undoMerge',
    summary: 'Undo a merge of charts',
    description: 'Possible within 30 days. 409 if a later change prevents it, such as a changed field or a closed month.',
    stepUp: true,
    params: patientParams,
    query: undoQuery,
    handle: ({ tx, params, query }) => undoMerge(tx, params.uuid, query.from ?? undefined),
  });
}
