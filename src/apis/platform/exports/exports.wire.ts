import { z } from 'zod';
import { EXPORT_KIND_NAMES, type ExportRequest } from '../../../domain/exports/exports.ts';
import { alsoNamed, filterNames } from '../../../http/input/query.ts';
import { RECORD_FORMATS } from '../../../http/wire/record-lines.ts';
import { dateBound, id, text } from '../../../http/wire/wire-types.ts';

const bound = () => dateBound().optional();

export const exportQuery = z.object({
  kind: z.enum(EXPORT_KIND_NAMES).describe('The records to export; `visits` are visits by video'),
  format: z.enum(RECORD_FORMATS).optional().describe('ndjson or csv; by default text/csv where Accept prefers it, else NDJSON'),
  since: text(100)
    .optional()
    .describe('A cursor of the log of events, such as `Feed-Cursor` of an earlier export: only records that events after it name'),
  patient: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id; not of patients'),
  office: alsoNamed(id().optional(), ...filterNames('office')).describe(
    'Office id, of patients the primary one; of patients and appointments',
  ),
  provider: alsoNamed(id().optional(), ...filterNames('provider')).describe(
    'Provider id, of patients the primary one; of patients and appointments',
  ),
  status: text(30).optional().describe('Status of patients, appointments and texts'),
  min_date: bound().describe(
    'Day or moment, ISO 8601, without an offset in the practice’s time zone: of the start of appointments and visits, the arrival of texts, the measurement of readings',
  ),
  max_date: bound().describe('The end of that range; the whole of a day belongs to it'),
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
