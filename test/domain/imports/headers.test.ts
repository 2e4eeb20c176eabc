import { expect, it } from 'vitest';
import { PATIENT_NAMES } from '../../../src/apis/integration/patients.wire.ts';
import { APPOINTMENT_NAMES } from '../../../src/apis/mobile/scheduling/appointments.wire.ts';
import { PATIENT_NAMES as PRACTICE_NAMES } from '../../../src/apis/practice/patients/patient-input.wire.ts';
import type { ImportKind } from '../../../src/domain/imports/import-kinds.ts';
import { KINDS } from '../../../src/domain/imports/kinds/kinds.ts';
import { createHeaders } from '../../../src/domain/imports/rows/headers.ts';

/** The field that a name of a file is read as. */
function fieldOf(kind: ImportKind, name: string): string | undefined {
  const { cells, words } = KINDS[kind];
  return Object.keys(createHeaders(cells, words, {}).read({ [name]: 'x' }).values)[0];
}

/** Says the opposite of its field. */
const OPPOSITE = 'consenttotext';

/** Answers that an appointment of another system does not bring. */
const NOT_IMPORTED = ['confirmation', 'showOnTasks'];

it('knows the words of the three APIs for each field that it sets', () => {
  const patients = [...Object.entries(PATIENT_NAMES), ...Object.entries(PRACTICE_NAMES)].filter(
    ([field]) => field in KINDS.patients.cells.shape,
  );
  for (const [field, name] of patients.filter(([, one]) => one !== OPPOSITE))
    expect([name, fieldOf('patients', name)]).toEqual([name, field]);
  for (const [field, names] of Object.entries(APPOINTMENT_NAMES).filter(([one]) => !NOT_IMPORTED.includes(one)))
    for (const name of names) expect([name, fieldOf('appointments', name)]).toEqual([name, field]);
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
