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
export function exportRoutes({ getCustom }: Endpoints, database: Database): void {
  getCustom('/exports', {
    operationId: 'exportRecords',
    summary: 'Export all records of a kind',
    description:
      'As of one moment, by id, one JSON object a line, or one row under the names of the fields; compressed where Accept-Encoding has gzip. Fields are named as in `changed` of events. The last line, in JSON `{"feed_cursor":"…"}` and in CSV `# Feed-Cursor: …`, has the cursor of the header `Feed-Cursor`: follow `GET /platform/v1/events` after it, and no change is missed; an export without that line was cut off. With `since`, a record that is there no more has `gone`: true beside its id alone. Deleted charts are left out, and restricted and blocked ones where the caller may not see them; an appointment or a text of such a patient does not name them. Two exports of a practice run at a time; one more is 429 `too_many_exports`.',
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
