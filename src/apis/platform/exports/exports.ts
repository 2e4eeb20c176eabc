import { z } from 'zod';
import type { Database } from '../../../database/database.ts';
import { exportRecords } from '../../../domain/exports/exports.ts';
import { EXPORTS_SCOPE } from '../../../domain/identity/clients/client-scopes.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import type { None } from '../../../http/endpoints/endpoint-types.ts';
import { CSV, wantsCsv } from '../../../http/endpoints/run/csv-endpoint.ts';
import { readParts } from '../../../http/endpoints/run/input-parts.ts';
import { NDJSON, sendLines } from '../../../http/streams/record-streams.ts';
import { writeRecords } from '../../../http/wire/record-lines.ts';
import { exportQuery, toExportRequest } from './exports.wire.ts';

/** All records of a kind, for programs that keep copies. */
export function exportRoutes({ download }: Endpoints, database: Database): void {
  download('/exports', {
    operationId: 'exportRecords',
    summary: 'Export all records of a kind',
    description:
      'A snapshot of one moment, sorted by id: one JSON object per line, or CSV with a header row; gzip-compressed if Accept-Encoding allows it. Fields are named as in `changed` of events. The last line, `{"feed_cursor":"…"}` in JSON or `# Feed-Cursor: …` in CSV, has the cursor of the header `Feed-Cursor`. Follow `GET /platform/v1/events` from it to miss no change; an export without that line is incomplete. With `since`, a deleted record has only its id and `gone`: true. Deleted charts are omitted, as are restricted and blocked ones unless the caller may see them; appointments and texts of such patients do not name them. Two exports per practice run at a time (429 `too_many_exports`).',
    tag: 'Exports',
    beyondDocument: true,
    scope: EXPORTS_SCOPE,
    stepUp: true,
    notForApps: true,
    ownHeaders: ['Feed-Cursor'],
    query: exportQuery,
    response: z.string(),
    produces: [NDJSON, CSV],
    async respond({ unitOfWork, transferIdleMs }, request, reply) {
      const { query } = readParts<None, typeof exportQuery, None>({ query: exportQuery }, request, reply);
      const format = wantsCsv(request) ? 'csv' : 'ndjson';
      await exportRecords(
        database,
        (read) => unitOfWork.read(request.caller, read),
        toExportRequest(query),
        (opened) =>
          sendLines(request, reply, {
            lines: writeRecords(format, opened),
            contentType: format === 'csv' ? CSV : NDJSON,
            fileName: `${query.kind}.${format}`,
            headers: { 'feed-cursor': opened.cursor },
            transferIdleMs,
          }),
      );
    },
  });
}
