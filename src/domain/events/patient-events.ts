import { fieldsOf } from '../../records/field.ts';
import { PATIENT } from '../../records/patient.ts';
import { kind } from './event-kind.ts';

const SECTIONS = [
  'ssn',
  'photo',
  'insurances',
  'balances',
  'claims',
  'customFields',
  'registrations',
  'portalAccounts',
  'restrictions',
  'privacyItems',
];
/** Names come first: examples in documents show the first fields. */
const COLUMNS = [...new Set([...fieldsOf(PATIENT, 'name'), ...Object.keys(PATIENT), 'lastEmail', 'guardian', 'guarantorSsn'])];

export const PATIENT_EVENTS = {
  'patient.registered': kind('patient', 'A chart was created; `changed` names its fields.', ...COLUMNS),
  'patient.imported': kind('patient', 'A chart was imported; `changed` names its fields.', 'ssn', ...COLUMNS),
  'patient.updated': kind('patient', 'Fields or a section of a chart changed.', ...COLUMNS, ...SECTIONS),
  'patient.erased': kind('patient', 'A chart was erased with everything about the person. Its id is not reused.'),
  'patient.withdrawn': kind(
    'patient',
    'A chart is no longer available to you: it was restricted, deleted, erased or merged into another. Delete your copy.',
  ),
  'patient.merged': kind(
    'patient',
    'Another chart of the same person was merged into this one; `changed` names the fields taken from it.',
    ...COLUMNS,
  ),
  'patient.unmerged': kind('patient', 'A merge was undone; the other chart exists again.', ...COLUMNS),
  'chart.opened': kind('chart_opening', 'A restricted chart was opened in an emergency.'),
  'chart.closed': kind('chart_opening', 'An emergency access to a restricted chart was ended early.', 'closedAt'),
};
