import type { Db } from '../../../database/database.ts';
import type { Organization, Patient, Prisma } from '../../../generated/prisma/client.ts';
import type { Field, Kind } from '../../../records/field.ts';
import { PATIENT } from '../../../records/patient.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { readState } from '../../code-sets/states.ts';
import { todayInPractice } from '../../practices/organizations.ts';
import type { Tx } from '../../tx.ts';
import { isEmail } from '../../values/email-addresses.ts';
import { readNorthAmericanPhone } from '../../values/phone-numbers.ts';
import { isUtf8, oneLine, recordNumber } from '../../values/text-form.ts';
import { dayAt, writeDay } from '../../values/time/time.ts';
import { readZip } from '../../values/zip-codes.ts';
import { PATIENT_LIMITS } from '../field-limits.ts';

/** Rules of the parts of an address in the United States; a chart with another country keeps its own. */
const ADDRESS_FAULTS = {
  state: (value: string) => (readState(value) === value ? null : 'must be the two-letter code of a state or territory'),
  zip: (value: string) => (readZip(value) === value ? null : 'must be a zip of five digits, or nine with a hyphen'),
};

/** A field of a stored chart that no request could write today. */
export interface ChartFault {
  patientId: number;
  /** The domain's name. */
  field: string;
  /** A description of what is wrong, without the value. */
  rule: string;
  value: string;
}

export interface ChartFaults {
  faults: ChartFault[];
  /** The patient after whom the next part starts; null where no chart is left. */
  next: number | null;
}

const NO_FORM = 'has superfluous white space, or characters that are not in NFC';

const NOT_READ = 'contains a replacement character, so the text was not valid UTF-8';

function faultOfLine(value: string, form = oneLine): string | null {
  if (!isUtf8(value)) return NOT_READ;
  return form(value) === value && value !== '' ? null : NO_FORM;
}

type Rule = (value: string) => string | null;

const isPhone: Rule = (value) => (readNorthAmericanPhone(value) === value ? null : 'must be a valid North American number');
const isAddress: Rule = (value) => (isEmail(value) ? null : 'must be an email address');

/** The rules of stored texts by their kinds: null where the value keeps it. */
const RULES: Readonly<Partial<Record<Kind, Rule>>> = {
  name: (value) => faultOfLine(value),
  line: (value) => faultOfLine(value),
  phone: isPhone,
  phoneOrDeclined: isPhone,
  email: isAddress,
  emailOrDeclined: isAddress,
  recordNumber: (value) => faultOfLine(value, recordNumber),
  city: (value) => {
    if ([...value].length > PATIENT_LIMITS.city) return `is longer than ${PATIENT_LIMITS.city} characters`;
    return faultOfLine(value);
  },
  ...ADDRESS_FAULTS,
};

/** Fields that are checked; the number of an employer is none of them. */
const CHECKED: readonly (readonly [string, Field])[] = [
  ...Object.entries<Field>(PATIENT).filter(([field]) => field !== 'employerPhone'),
  ['lastEmail', { kind: 'line', means: 'Previous email address' }],
];

const EARLIEST_BIRTH = new Date('1850-01-01T00:00:00Z');
const HOME_COUNTRIES: ReadonlySet<string | null> = new Set([null, 'USA']);

/** The highest id of 32 bits. */
const HIGHEST_ID = 2_147_483_647;

/** Charts that are read at once. */
const PART = 500;

/**
 * Finds charts that break a rule, in the order of their ids. Deleted charts are left out. Audited as a search.
 * @param after the patient after whom to start
 * @param limit the number of faults after which no further chart is looked at
 */
export async function findChartFaults(tx: Tx, { after, limit }: { after: number; limit: number }): Promise<ChartFaults> {
  const today = await todayInPractice(tx);
  const faults: ChartFault[] = [];
  let next: number | null = after;
  while (next !== null && faults.length < limit) {
    const where: Prisma.PatientWhereInput = { ...tx.practice, id: { gt: next }, status: { not: 'deleted' } };
    const charts = await tx.prisma.patient.findMany({ where, orderBy: { id: 'asc' }, take: PART });
    next = charts.length < PART ? null : (charts.at(-1)?.id ?? null);
    for (const chart of charts) {
      faults.push(...findFaults(chart, today));
      if (faults.length < limit) continue;
      next = chart.id;
      break;
    }
  }
  const ids = [...new Set(faults.map(({ patientId }) => patientId))];
  if (ids.length > 0) recordRead(tx, 'patient', ids, 'search');
  return { faults, next };
}

/**
 * Counts the charts of all practices that break a rule, and tells nothing else of them: it is not audited. Deleted charts are left out.
 * @param most charts to look at, those of the highest ids in each practice
 */
export async function countFaultyCharts(
  db: Db,
  practices: readonly Pick<Organization, 'id' | 'timeZone'>[],
  most: number,
): Promise<{ looked: number; faulty: number }> {
  const counted = { looked: 0, faulty: 0 };
  for (const { id: organizationId, timeZone } of practices) {
    const today = dayAt(new Date(), timeZone);
    let before: number | null = HIGHEST_ID;
    while (before !== null && counted.looked < most) {
      const where: Prisma.PatientWhereInput = { organizationId, id: { lt: before }, status: { not: 'deleted' } };
      const charts: Patient[] = await db.patient.findMany({ where, orderBy: { id: 'desc' }, take: Math.min(PART, most - counted.looked) });
      counted.looked += charts.length;
      counted.faulty += charts.filter((chart) => findFaults(chart, today).length > 0).length;
      before = charts.at(-1)?.id ?? null;
    }
  }
  return counted;
}

function findFaults(chart: Patient, today: Date): ChartFault[] {
  const values = new Map<string, unknown>(Object.entries(chart));
  const found: ChartFault[] = [];
  const check = (field: string, rule: Rule) => {
    const value = values.get(field);
    const broken = typeof value === 'string' ? rule(value) : null;
    if (typeof value === 'string' && broken !== null) found.push({ patientId: chart.id, field, rule: broken, value });
  };
  for (const [field, { kind }] of CHECKED) {
    const rule = RULES[kind];
    const country = field.startsWith('guarantor') ? chart.guarantorCountryCode : chart.countryCode;
    if (rule && (!(kind in ADDRESS_FAULTS) || HOME_COUNTRIES.has(country))) check(field, rule);
  }
  for (const field of ['birthDate', 'guarantorBirthDate'] as const) {
    const day = chart[field];
    const rule = day === null ? null : day > today ? 'is in the future' : day < EARLIEST_BIRTH ? 'is before 1850' : null;
    if (rule !== null) found.push({ patientId: chart.id, field, rule, value: writeDay(day) ?? '' });
  }
  return found;
}
