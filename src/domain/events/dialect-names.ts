import { APPOINTMENT } from '../../records/appointment.ts';
import { type Fields, RECORD_APIS, type RecordApi, snakeCase } from '../../records/field.ts';
import { PATIENT } from '../../records/patient.ts';

/** The APIs in whose field names an event can be had. */
export const EVENT_DIALECTS = RECORD_APIS;
export type EventDialect = RecordApi;

type Names = Readonly<Record<string, string>>;

/** The names of a record's fields in an API; a part of an object has the name of the object. */
const namesOf = (fields: Fields, dialect: EventDialect): Names =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, { [dialect]: name }]) => (name === undefined ? [] : [[field, name.replace(/\..*/, '')]])),
  );

/** Names of fields by API and kind of record, where the rule of the API makes another of them. */
const NAMES: Readonly<Record<EventDialect, Readonly<Record<string, Names>>>> = {
  integration: {
    patient: namesOf(PATIENT, 'integration'),
    appointment: { ...namesOf(APPOINTMENT, 'integration'), users: 'user' },
  },
  mobile: {
    patient: { ...namesOf(PATIENT, 'mobile'), registrations: 'offices' },
    appointment: namesOf(APPOINTMENT, 'mobile'),
  },
  practice: {
    patient: namesOf(PATIENT, 'practice'),
    appointment: namesOf(APPOINTMENT, 'practice'),
  },
};

/** The fields of a record in the names of an API, each once. A field that its record does not show there has the name that the API would give it. */
export function namesIn(dialect: EventDialect, subject: string, fields: readonly string[]): string[] {
  const own = NAMES[dialect][subject] ?? {};
  const named = fields.map((field) => own[field] ?? (dialect === 'practice' ? snakeCase(field).replaceAll('_', '') : snakeCase(field)));
  return [...new Set(named)];
}
