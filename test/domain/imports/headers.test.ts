import { expect, it } from 'vitest';
import { PATIENT_NAMES } from '../../../src/apis/integration/patients.wire.ts';
import { PATIENT_NAMES as MOBILE_NAMES } from '../../../src/apis/mobile/people/patient-writes.wire.ts';
import { APPOINTMENT_NAMES } from '../../../src/apis/mobile/scheduling/appointments/appointments.wire.ts';
import { PATIENT_NAMES as PRACTICE_NAMES } from '../../../src/apis/practice/patients/record/patient-input.wire.ts';
import { insuranceShape } from '../../../src/apis/practice/patients/record/patient-sections.wire.ts';
import type { ImportKind } from '../../../src/domain/imports/import-kinds.ts';
import { KINDS } from '../../../src/domain/imports/kinds/kinds.ts';
import { createHeaders } from '../../../src/domain/imports/rows/headers.ts';

/** The field that a name of a file is read as. */
function findField(kind: ImportKind, name: string): string | undefined {
  const { cells, words } = KINDS[kind];
  return Object.keys(createHeaders(cells, words, {}).read({ [name]: 'x' }).values)[0];
}

/** Says the opposite of its field. */
const OPPOSITE = 'consenttotext';
/** Shown, and set by nobody. */
const FOLLOWING = ['insuranceid', 'insurancepolicyholder', 'cancelled'];

/** Answers that an appointment of another system does not bring. */
const NOT_IMPORTED = ['confirmation', 'showOnTasks', 'slotId', 'holdId'];

it('knows the words of the three APIs for each field that it sets', () => {
  const patients = [PATIENT_NAMES, PRACTICE_NAMES, MOBILE_NAMES].flatMap((names) => Object.entries(names));
  for (const [field, name] of patients)
    expect([name, findField('patients', name)]).toEqual([name, name === OPPOSITE ? 'consentToText' : field]);
  const insurances = Object.keys(insuranceShape.shape).filter((name) => !FOLLOWING.includes(name));
  expect(insurances.filter((name) => findField('insurances', name) === undefined)).toEqual([]);
  for (const [field, names] of Object.entries(APPOINTMENT_NAMES).filter(([one]) => !NOT_IMPORTED.includes(one)))
    for (const name of names) expect([name, findField('appointments', name)]).toEqual([name, field]);
});

it('takes the first name that has a value, the mapping before all, and what is within an address', () => {
  const { cells, words } = KINDS.patients;
  const headers = createHeaders(cells, words, { Ort: 'city', city: '' });
  const { values } = headers.read({
    fname: '',
    'First Name': 'Ada',
    Ort: 'Bonn',
    city: 'Rome',
    address: { address: '1 Main St', zip: '27601' },
    Foo: 1,
  });
  expect(values).toEqual({ firstName: 'Ada', city: 'Bonn', address1: '1 Main St', zip: '27601' });
  expect(headers.ignored()).toEqual(['Foo']);
});

it('refuses a name that a table or a mapping has twice', () => {
  const { cells, words } = KINDS.patients;
  const mapHeaders = (mapping: Record<string, string>) => createHeaders(cells, words, mapping);
  expect(() => mapHeaders({}).requireColumns(['First Name', 'dob', 'first_name'])).toThrow('has the column first_name twice');
  expect(() => mapHeaders({}).requireColumns(['fname', 'first_name', '', ''])).not.toThrow();
  expect(() => mapHeaders({ Vorname: 'fname', VORNAME: 'lname' })).toThrow('has the name "VORNAME" twice');
  expect(() => mapHeaders({ Vorname: 'fname', Rufname: 'first name' })).toThrow('has two names for first_name');
  expect(() => mapHeaders({ a: '', b: '' })).not.toThrow();
});
