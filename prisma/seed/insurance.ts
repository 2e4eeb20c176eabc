import type { Faker } from '@faker-js/faker';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { insertRows } from './bulk.ts';
import { daysFromNow } from './dates.ts';
import type { People, Person } from './people.ts';
import { drawn } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';

const PLANS = [
  { insurancePackageId: 1001, planName: 'Medicare Part B', type: 'Medicare Part B', ircName: 'Medicare' },
  { insurancePackageId: 2014, planName: 'Evergreen PPO', type: 'Commercial', ircName: 'Evergreen Mutual' },
  { insurancePackageId: 2015, planName: 'Evergreen HMO', type: 'Commercial', ircName: 'Evergreen Mutual' },
  { insurancePackageId: 3120, planName: 'State Medicaid', type: 'Medicaid', ircName: 'Medicaid' },
  { insurancePackageId: 4402, planName: 'Larkspur Choice', type: 'Group Policy', ircName: 'Larkspur Health' },
] as const;

const REASONS = { Eligible: 'Electronic', Ineligible: 'Coverage terminated', Unverified: null };

/** Insurances: none, one, or a primary and a secondary; those of a departmental copy are its own. */
export async function seedInsurances(seeding: Seeding, { patients, copies }: People): Promise<void> {
  const random = areaRandom(seeding, 'insurance');
  const data = [...patients, ...copies].flatMap((patient) => {
    const plans = random.helpers.arrayElements(PLANS, Number(drawn(random, { '0': 20, '1': 60, '2': 20 })));
    return plans.map((plan, index) => ({ ...plan, ...policy(seeding, random, patient), sequenceNumber: index + 1 }));
  });
  await insertRows(seeding.tx, 'insurance', data);
}

function policy({ now, organizationId }: Seeding, random: Faker, patient: Person): Omit<Prisma.InsuranceCreateManyInput, 'sequenceNumber'> {
  const own = random.datatype.boolean(0.75);
  const eligibilityStatus = drawn(random, { Eligible: 80, Ineligible: 8, Unverified: 12 });
  const holder = { ...insuredPerson(patient), ...(!own && { firstName: random.person.firstName() }) };
  return {
    organizationId,
    patientId: patient.id,
    idNumber: random.string.alphanumeric({ length: 11, casing: 'upper' }),
    groupNumber: random.string.numeric(6),
    relationshipToInsured: own ? 'Self' : 'Spouse',
    relationshipToInsuredId: own ? 1 : 2,
    eligibilityStatus,
    eligibilityReason: REASONS[eligibilityStatus],
    eligibilityCheckedOn: daysFromNow(now, -random.number.int({ min: 1, max: 90 })),
    issuedOn: daysFromNow(now, -random.number.int({ min: 400, max: 1500 })),
    expiresOn: random.datatype.boolean(0.3) ? daysFromNow(now, random.number.int({ min: 20, max: 300 })) : null,
    policyHolder: holder,
    insured: holder,
    updatedAt: now,
  };
}

function insuredPerson({ firstName, lastName, sex, birthDate, address1, city, state, zip }: Person): Prisma.InputJsonObject {
  const fields = { firstName, lastName, sex, birthDate: birthDate?.toISOString().slice(0, 10) ?? null, address1, city, state, zip };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
