import { z } from 'zod';
import { EXPORT_KIND_NAMES, type ExportRequest } from '../../../domain/exports/exports.ts';
import { alsoNamed, filterNames } from '../../../http/input/query.ts';
import { RECORD_FORMATS } from '../../../http/wire/record-lines.ts';
import { dateBound, id, text } from '../../../http/wire/wire-types.ts';

const bound = () => dateBound().optional();

export const exportQuery = z.object({
  kind: z.enum(EXPORT_KIND_NAMES).describe('Kind of records to export; `visits` are video visits'),
  format: z.enum(RECORD_FORMATS).optional().describe('ndjson or csv; by default CSV if Accept prefers text/csv, otherwise NDJSON'),
  since: text(100).optional().describe('Event cursor, such as `Feed-Cursor` of an earlier export: only records changed after it'),
  patient: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id; not for patients'),
  office: alsoNamed(id().optional(), ...filterNames('office')).describe(
    'Office id, for patients and appointments; for patients, the primary office',
  ),
  provider: alsoNamed(id().optional(), ...filterNames('provider')).describe(
    'Provider id, for patients and appointments; for patients, the primary provider',
  ),
  status: text(30).optional().describe('Status, for patients, appointments and texts'),
  min_date: bound().describe(
    'Earliest start of appointments and visits, arrival of texts or measurement of readings: a day or date-time, ISO 8601; without an offset in the practice’s time zone',
  ),
  max_date: bound().describe('End of that range; a day is inclusive'),
});

export const toExportRequest = ({
  min_date: min,
  max_date: max,
  format: _format,
  ...others
}: z.output<typeof exportQuery>): ExportRequest => ({
  ...others,
  dates: { min, max, fields: { min: 'min_date', max: 'max_date' } },
});
