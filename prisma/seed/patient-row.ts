import { readState } from '../../src/domain/code-sets/states.ts';
import { day, dayBetween } from './dates.ts';
import { type PatientDraw, plainLetters } from './patient-draw.ts';
import { guarantor, relatives, work } from './patient-relations.ts';
import type { PatientRow } from './plan.ts';
import { portalSituation } from './portal-situation.ts';
import { cycle, drawn, perhaps } from './random.ts';

/** Children of this day and later have a guardian, and a parent who pays. A fixed day, so that the data never changes. */
const CHILDREN_SINCE = day('2010-01-01');

/** v3-Race codes, the primary one first. */
const RACES = {
  '2106-3': 90,
  '2054-5': 30,
  '2028-9': 18,
  '2106-3 2054-5': 6,
  '2106-3 2028-9': 5,
  '1002-5': 4,
  '2076-8': 3,
  '2131-1': 20,
  declined: 8,
  '': 16,
};
const LANGUAGES = { eng: 70, spa: 18, zho: 3, vie: 2, fra: 1, deu: 1, ara: 1, declined: 2 };
const ORIENTATIONS = { 'Straight or heterosexual': 8, 'Lesbian, gay or homosexual': 1, Bisexual: 1, 'Choose not to disclose': 2 };
const FLAGS = { '': 70, RPM: 4, 'RPM,Hypertension': 4, 'RPM,Diabetes': 3, CCM: 5, 'Fall risk': 4, 'Interpreter,Fall risk': 2 };

/** A chart. Everything is drawn whether it is needed or not, so that a change to one patient moves no other. */
export function patientRow(draw: PatientDraw): PatientRow {
  const who = { ...identity(draw), ...draw.fixed };
  const child = Boolean(who.birthDate && new Date(who.birthDate) >= CHILDREN_SINCE);
  const known = { ...who, ...background(draw, child), ...residence(draw), ...reach(draw, who), ...draw.fixed };
  return {
    ...known,
    lastEmail: lastEmail(draw, known),
    ...relatives(draw, who, child),
    ...guarantor(draw, known, child),
    ...work(draw, child),
    ...care(draw),
    ...draw.fixed,
  };
}

function identity({ random, fixed }: PatientDraw): PatientRow {
  const chance = random.helpers.arrayElement(['F', 'M'] as const);
  const sex = fixed.sex === undefined ? chance : fixed.sex;
  const spoken = chance === 'F' ? 'female' : 'male';
  return {
    sex,
    assignedSexAtBirth: perhaps(random, 0.6, sex),
    genderIdentity: perhaps(random, 0.5, sex && (sex === 'F' ? 'Identifies as Female' : 'Identifies as Male')),
    sexualOrientation: perhaps(random, 0.3, drawn(random, ORIENTATIONS)),
    firstName: random.person.firstName(spoken),
    middleName: perhaps(random, 0.3, random.person.middleName(spoken)),
    lastName: random.person.lastName(),
    preferredName: perhaps(random, 0.08, random.person.firstName(spoken)),
    birthDate: dayBetween(random, '1934-01-01', '2023-12-31'),
    status: drawn(random, { active: 182, inactive: 10, prospective: 5, deleted: 3 }),
  };
}

function background({ random }: PatientDraw, child: boolean): PatientRow {
  const maritalStatus = drawn(random, { M: 40, S: 30, D: 12, W: 8, P: 3, X: 2, U: 5 });
  return {
    maritalStatus: child ? 'S' : maritalStatus,
    races: drawn(random, RACES).split(' ').filter(Boolean),
    ethnicityCode: perhaps(random, 0.88, drawn(random, { '2186-5': 60, '2135-2': 22, declined: 6 })),
    languageCode: perhaps(random, 0.96, drawn(random, LANGUAGES)),
  };
}

function residence({ seeding: { plan }, random }: PatientDraw): PatientRow {
  const { timeZone = null, state, ...town } = random.helpers.arrayElement(plan.towns);
  return {
    address1: `${random.location.buildingNumber()} ${random.location.street()}`,
    address2: perhaps(random, 0.25, random.location.secondaryAddress()),
    ...town,
    state: readState(state),
    countryCode: 'USA',
    countryCode3166: 'US',
    timeZone,
  };
}

function reach({ seeding: { phone }, random, position, isNotable }: PatientDraw, who: PatientRow): PatientRow {
  const [homePhone, mobilePhone, workPhone] = [phone(), phone(), phone()];
  const address = [who.firstName, who.lastName].map(plainLetters).filter(Boolean).join('.');
  const host = random.helpers.arrayElement(['example.com', 'example.org', 'example.net']);
  const mail = drawn(random, { known: 82, declined: 8, unknown: 10 });
  const mobile = drawn(random, { known: 86, declined: 6, unknown: 8 });
  return {
    homePhone: perhaps(random, 0.6, homePhone),
    mobilePhone: isNotable || mobile === 'known' ? mobilePhone : null,
    mobilePhoneDeclined: !isNotable && mobile === 'declined',
    workPhone: perhaps(random, 0.25, workPhone),
    email: isNotable || mail === 'known' ? `${address}${position + 1}@${host}` : null,
    emailDeclined: !isNotable && mail === 'declined',
    contactPreference: perhaps(random, 0.75, drawn(random, { MOBILEPHONE: 6, HOMEPHONE: 2, MAIL: 2, PORTAL: 2 })),
    doNotCall: random.datatype.boolean(0.03) && !isNotable,
    doNotSms: random.datatype.boolean(0.04) && !isNotable,
    homebound: random.datatype.boolean(0.03),
  };
}

/** Half of those without an address had one before. */
function lastEmail({ position }: PatientDraw, { email, firstName, lastName }: PatientRow): string | null {
  const former = `${plainLetters(firstName)}.${plainLetters(lastName)}.old@example.net`;
  return email || position % 2 === 0 ? null : former;
}

function care({ seeding: { plan, practice, clinicians, locations }, random, position, isNotable }: PatientDraw): PatientRow {
  const provider = random.helpers.arrayElement(clinicians.filter(({ userId }) => userId !== null));
  const office = random.helpers.arrayElement(provider.offices);
  const location = locations.find(({ officeId }) => officeId === office.id);
  const settled = random.datatype.boolean(0.95) || isNotable;
  const portal = portalSituation(position);
  return {
    medicalRecordNo: perhaps(random, isNotable ? 1 : 0.8, `${plan.recordPrefix}${10_001 + position}`),
    registrationDate: dayBetween(random, '2019-04-01', '2025-10-31'),
    admitDate: perhaps(random, 0.15, dayBetween(random, '2025-01-01', '2025-10-31')),
    primaryOfficeId: settled ? office.id : null,
    primaryProviderId: settled ? provider.id : null,
    locationId: settled && random.datatype.boolean(0.5) ? (location?.id ?? null) : null,
    portalAccessGiven: portal !== 'none',
    portalTermsOnFile: portal === 'registered' || portal === 'both',
    portalSignatureOnFile: cycle([true, true, false, null], position),
    medicationHistoryConsentVerified: practice.hasMedicationHistory ? random.datatype.boolean(0.7) : null,
    census: perhaps(random, 0.8, random.datatype.boolean(0.3)),
    flags: drawn(random, FLAGS).split(',').filter(Boolean),
  };
}
