import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { PATIENT_NAMES as OF_INTEGRATION, PatientRecordShape, PatientRequest } from '../../src/apis/integration/patients.wire.ts';
import {
  PatientRequest as MobileRequest,
  PATIENT_NAMES as OF_MOBILE,
  FOLLOWING as SET_IN_MOBILE,
} from '../../src/apis/mobile/people/patient-writes.wire.ts';
import { PatientRecordShape as MobileRecord } from '../../src/apis/mobile/people/patients.wire.ts';
import { FOLLOWING, PatientForm } from '../../src/apis/practice/patients/record/patient-form.wire.ts';
import { PATIENT_NAMES as OF_PRACTICE } from '../../src/apis/practice/patients/record/patient-input.wire.ts';
import { PatientShape } from '../../src/apis/practice/patients/record/patient-record.wire.ts';
import { FIELDS } from '../../src/domain/patients/chart/chart-fields.sql.ts';
import { toSentShape } from '../../src/http/input/ignored-fields.ts';
import { otherNames } from '../../src/http/input/query.ts';
import { GUARDIAN_LINK_NAMES, GUARDIAN_NAMES } from '../../src/http/wire/guardian.ts';

const PAGE = join(import.meta.dirname, '../../docs/api-decisions/chart-fields.md');
/** Everything from here on is written by `DOORS=write npm test -- test/contract/chart-doors.test.ts`. */
const MARK = '<!-- table -->\n';

type Names = Readonly<Record<string, string>>;

const ADDRESS = {
  address1: 'address.address',
  address2: 'address.address2',
  city: 'address.city',
  state: 'address.state',
  zip: 'address.zip',
};
const within = (object: string, names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([field, name]) => [field, `${object}.${name}`]));
const NESTED = { ...ADDRESS, ...within('guardian', { ...GUARDIAN_NAMES, ...GUARDIAN_LINK_NAMES }) };

/** Fields whose wire name stands for two of the domain's, or that the names of the dialect do not have. */
const BESIDES: Readonly<Record<'practice' | 'integration' | 'mobile', Names>> = {
  practice: { emailDeclined: 'email', mobilePhoneDeclined: 'mobilephone', privacyForms: 'privacyinformationverified' },
  integration: {},
  mobile: {
    status: 'status',
    flags: 'flags',
    doNotSms: 'do_not_sms',
    doNotCall: 'do_not_call',
    timeZone: 'timezone',
    externalId: 'external_id',
  },
};

/** What a record shows of a chart beside the fields that a statement writes. */
const BESIDE_FIELDS = ['ssn', 'guarantorSsn', 'privacyForms', ...Object.keys(GUARDIAN_LINK_NAMES)];

/** The fields of a shape, those of objects within it by their paths. */
function fieldsIn(shape: z.core.$ZodType, path = ''): string[] {
  const object = toSentShape(shape);
  const own = path === '' ? [] : [path];
  if (!(object instanceof z.ZodObject)) return own;
  const others = path === '' ? [...otherNames(object).values()].flat() : [];
  return [
    ...own,
    ...others,
    ...Object.entries(object.shape).flatMap(([name, field]) => fieldsIn(field, path === '' ? name : `${path}.${name}`)),
  ];
}

interface Door {
  names: Names;
  read: ReadonlySet<string>;
  written: ReadonlySet<string>;
}

const DOORS: readonly Door[] = [
  {
    names: { ...OF_PRACTICE, ...BESIDES.practice },
    read: new Set(fieldsIn(PatientShape)),
    written: new Set(fieldsIn(PatientForm).filter((name) => !Object.hasOwn(FOLLOWING, name))),
  },
  {
    names: { ...OF_INTEGRATION, ...NESTED, ...BESIDES.integration },
    read: new Set(fieldsIn(PatientRecordShape)),
    written: new Set(fieldsIn(PatientRequest)),
  },
  {
    names: { ...OF_MOBILE, ...NESTED, ...BESIDES.mobile },
    read: new Set(fieldsIn(MobileRecord)),
    written: new Set(fieldsIn(MobileRequest).filter((name) => !Object.hasOwn(SET_IN_MOBILE, name))),
  },
];

function writeCell({ names, read, written }: Door, field: string): string {
  const name = names[field];
  if (name === undefined) return '';
  const how = [...(read.has(name) ? ['read'] : []), ...(written.has(name) ? ['written'] : [])];
  return how.length === 0 ? '' : `\`${name}\` ${how.join(', ')}`;
}

const rows = [...FIELDS, ...BESIDE_FIELDS].map((field) => `| ${field} | ${DOORS.map((door) => writeCell(door, field)).join(' | ')} |`);
/** The fields of a record that no request writes, each with its source. */
const following = (fields: Readonly<Record<string, z.ZodType>>): string[] =>
  Object.entries(fields).map(([name, shape]) => {
    const source = (shape.description ?? '').replace(/^(Read-only; accepted only unchanged|As it is shown): /, '');
    return `| \`${[name, ...(otherNames(z.object(fields)).get(name) ?? [])].join('`, `')}\` | ${source} |`;
  });
const TABLE = [
  '| Field of the chart | Practice API | Integration API | Mobile API |',
  '|---|---|---|---|',
  ...rows,
  '',
  '| Field of the practice record that no form writes | Source |',
  '|---|---|',
  ...following(FOLLOWING),
  '',
  '| Field of the mobile record that no request writes | Source |',
  '|---|---|',
  ...following(SET_IN_MOBILE),
  '',
].join('\n');

it('shows every field of the record by door as the shapes have it', () => {
  const page = readFileSync(PAGE, 'utf8');
  const heading = page.slice(0, page.indexOf(MARK) + MARK.length);
  if (process.env.DOORS === 'write') writeFileSync(PAGE, `${heading}\n${TABLE}`);
  expect(readFileSync(PAGE, 'utf8')).toBe(`${heading}\n${TABLE}`);
});

it('has a door that writes each field of the chart, and each field of the practice record or its source', () => {
  const [practice, integration, mobile] = DOORS;
  // Imports alone know the ids of the system that a practice comes from.
  const unwritten = FIELDS.filter(
    (field) => field !== 'externalId' && DOORS.every(({ names, written }) => !written.has(names[field] ?? '')),
  );
  expect(unwritten).toEqual([]);
  const unexplained = [...(practice?.read ?? [])].filter((name) => !practice?.written.has(name) && !Object.hasOwn(FOLLOWING, name));
  // A search for a person counts points; no chart has any.
  expect(unexplained.filter((name) => !fieldsIn(PatientForm).includes(name) && name !== 'score')).toEqual([]);
  const unwrittenBy = (door: Door | undefined) => [...(door?.read ?? [])].filter((name) => !door?.written.has(name));
  expect(unwrittenBy(integration)).toEqual([]);
  expect(unwrittenBy(mobile).filter((name) => !Object.hasOwn(SET_IN_MOBILE, name.split('.')[0] ?? ''))).toEqual([]);
});
