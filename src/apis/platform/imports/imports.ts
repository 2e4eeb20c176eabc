import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '../../../config/config.ts';
import { invalid, missing } from '../../../domain/errors.ts';
import { IMPORT_SCOPES } from '../../../domain/identity/clients/client-scopes.ts';
import { createImporter } from '../../../domain/imports/import-rows.ts';
import {
  createImport,
  findImport,
  findOwnImport,
  findReported,
  type ImportRun,
  listImports,
  readReport,
  requireImportRoom,
} from '../../../domain/imports/import-runs.ts';
import { receive, requirePlace, requireSize } from '../../../domain/imports/import-uploads.ts';
import { requireStepUp } from '../../../http/auth/step-up.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import type { RunDeps } from '../../../http/endpoints/endpoint-types.ts';
import { readParts } from '../../../http/endpoints/run/input-parts.ts';
import { sendLines } from '../../../http/streams/record-streams.ts';
import { writePage } from '../../../http/wire/envelopes.ts';
import { reportFileName, reportType, writeReport } from '../../../http/wire/import-report.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { fromImport, ImportList, ImportResponse, importParams, importQuery, importsQuery, toImport } from './imports.wire.ts';

const IMPORTS = { tag: 'Imports', beyondDocument: true, notForApps: true } as const;
const READ = { ...IMPORTS, scope: IMPORT_SCOPES.read };
const WRITE = { ...IMPORTS, scope: IMPORT_SCOPES.write };
const CONSUMES = ['text/csv', 'application/x-ndjson', 'application/gzip', 'application/octet-stream'];
const UPLOAD_HEADERS = ['Upload-Offset', 'Upload-Length'];

export function importRoutes(endpoints: Endpoints, { config }: { config: Pick<Config, 'PRACTICE_LIMITS'> }): void {
  const { get, upload } = endpoints;
  upload('/imports', {
    ...WRITE,
    operationId: 'importFile',
    summary: 'Import a file',
    description:
      'The body is the file: CSV with a header row, or NDJSON, optionally gzip-compressed; at most 1 GiB uncompressed (413). Column names are field names of any of the three APIs, or mapped by `mapping`. A column `on_match` sets the handling of its row; `external_id` is stored with the record and prevents duplicates in a second run. Without a body, announce the file with `Upload-Length` and send it with PATCH. Rows are processed once the file is complete: read the import for its state, and its report for refused rows. Imports of a practice run one after the other; at most ten may be open unless the operator sets another limit (429 `too_many_imports`). A refused file counts for a day, a file without a readable row for an hour.',
    query: importQuery,
    consumes: CONSUMES,
    stepUp: true,
    response: ImportResponse,
    status: 201,
    ownHeaders: [...UPLOAD_HEADERS, 'Location'],
    async receive({ deps, caller, query, request, content, headers }) {
      const options = toImport(query);
      createImporter(options);
      const { announced, hasBody } = measureBody(request);
      const totalBytes = lengthIn(request) ?? announced;
      if (!hasBody && totalBytes === null) throw missing('Upload-Length');
      requireSize(totalBytes ?? 0);
      const made = await deps.unitOfWork.write(caller, async (tx) => {
        await requireImportRoom(tx, config.PRACTICE_LIMITS.imports);
        return createImport(tx, { ...options, totalBytes });
      });
      const run = hasBody ? await receive(deps, caller, made, content) : made;
      Object.assign(headers, uploadHeaders(run), { location: `${readOrigin(request)}/platform/v1/imports/${run.id}` });
      return { data: fromImport(run) };
    },
  });

  upload('/imports/:id', {
    method: 'PATCH',
    ...WRITE,
    operationId: 'sendFile',
    summary: 'Send more of a file',
    description:
      'For an interrupted upload, or a file announced without a body: send the bytes from `Upload-Offset`, which GET or HEAD of the import returns. 409 `wrong_offset` names the right offset.',
    params: importParams,
    consumes: ['application/offset+octet-stream', ...CONSUMES],
    stepUp: true,
    response: ImportResponse,
    ownHeaders: UPLOAD_HEADERS,
    async receive({ deps, caller, params, request, content, headers }) {
      const before = await deps.unitOfWork.read(caller, (tx) => findOwnImport(tx, params.id));
      requirePlace(before, numberIn(request, 'upload-offset'), measureBody(request).announced);
      const run = await receive(deps, caller, before, content);
      Object.assign(headers, uploadHeaders(run));
      return { data: fromImport(run) };
    },
  });

  readRoutes(endpoints);
  get('/imports', {
    ...READ,
    operationId: 'listImports',
    summary: 'List the imports of the practice',
    description: 'Newest first. Imports and their reports are kept for 30 days after their end.',
    query: importsQuery,
    response: ImportList,
    handle: async ({ tx, query, request }) => writePage(request, await listImports(tx, query), fromImport),
  });
}

function readRoutes({ get, download }: Endpoints): void {
  get('/imports/:id', {
    ...READ,
    operationId: 'getImport',
    summary: 'Read an import',
    description: 'Returns its state, and the results of its rows so far.',
    params: importParams,
    response: ImportResponse,
    ownHeaders: UPLOAD_HEADERS,
    handle: async ({ tx, params, headers }) => {
      const run = await findImport(tx, params.id);
      Object.assign(headers, uploadHeaders(run));
      return { data: fromImport(run) };
    },
  });

  download('/imports/:id/report', {
    ...READ,
    operationId: 'getImportReport',
    summary: 'Read the report of an import',
    description:
      'Rows that were refused or matched an existing chart, as a file in the format of the import. Correct the rows or change `on_match`, and send the file again. The columns `import_line`, `import_outcome`, `import_field`, `import_reason` and `import_patient` have the result of each row.',
    params: importParams,
    response: z.string(),
    produces: ['text/csv', 'application/x-ndjson'],
    respond: sendReport,
  });
}

async function sendReport(deps: RunDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { params } = readParts<typeof importParams, never, never>({ params: importParams }, request, reply);
  const run = await deps.unitOfWork.read(request.caller, async (tx) => {
    await requireStepUp(tx);
    return findReported(tx, params.id);
  });
  await sendLines(request, reply, {
    lines: writeReport(run, readReport(deps.store.db, run, request.caller)),
    contentType: reportType(run),
    fileName: reportFileName(run),
    headers: {},
    transferIdleMs: deps.transferIdleMs,
  });
}

const uploadHeaders = ({ receivedBytes, totalBytes }: ImportRun) => ({
  'upload-offset': String(receivedBytes),
  ...(totalBytes === null ? {} : { 'upload-length': String(totalBytes) }),
});

function measureBody({ headers }: FastifyRequest): { announced: number | null; hasBody: boolean } {
  const length = headers['content-length'];
  const announced = length === undefined ? null : Number(length);
  return { announced: announced === 0 ? null : announced, hasBody: headers['transfer-encoding'] !== undefined || (announced ?? 0) > 0 };
}

const lengthIn = (request: FastifyRequest): number | null => {
  const length = numberIn(request, 'upload-length');
  if (length === 0) throw invalid('Upload-Length', 'must be at least 1');
  return length;
};

/** The number of a header; null without it. @throws Failure invalid */
function numberIn({ headers }: FastifyRequest, name: 'upload-length' | 'upload-offset'): number | null {
  const sent = headers[name];
  if (sent === undefined) return null;
  if (typeof sent !== 'string' || !/^\d{1,15}$/.test(sent))
    throw invalid(name === 'upload-length' ? 'Upload-Length' : 'Upload-Offset', 'must be a number of bytes');
  return Number(sent);
}
