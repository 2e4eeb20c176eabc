import type { Faker } from '@faker-js/faker';
import { insertRows } from './bulk.ts';
import { daysFromNow } from './dates.ts';
import type { People, Person } from './people.ts';
import { cycle, drawn } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';

const SERVICES = [
  'Office visit, established patient',
  'Comprehensive metabolic panel',
  'Electrocardiogram',
  'Influenza vaccine',
  'Telehealth consultation',
];

interface Account {
  patientId: number;
  providerGroupId: number;
  /** In cents, and negative where the practice owes. */
  balance: number;
  claims: { charge: number; outstanding: number }[];
}

const CONTRACTS = [
  { contractClass: 'ONEYEAR', maxAmount: '2500.00', availableAmount: '1810.40' },
  { contractClass: 'SINGLEAPPOINTMENT', maxAmount: '250.00', availableAmount: '250.00' },
];

/** Claims, and balances that are the sum of what the patient has not paid of them; some have contracts, some a credit. */
export async function seedAccounts(seeding: Seeding, people: People): Promise<void> {
  const { tx, now, organizationId } = seeding;
  const random = areaRandom(seeding, 'accounts');
  const charts = [...people.patients, ...people.copies];
  const accounts = charts.flatMap((patient, position) => createAccounts(seeding, random, patient, position));
  const balances = accounts.map(({ patientId, providerGroupId, balance }) => ({
    organizationId,
    patientId,
    providerGroupId,
    amount: dollars(balance),
    collectionsAmount: dollars(balance > 20_000 ? 5_000 : 0),
    paymentPlanAmount: dollars(balance > 30_000 ? 10_000 : 0),
    updatedAt: now,
  }));
  const claims = accounts.flatMap((account) =>
    account.claims.map(({ charge, outstanding }, index) => ({
      organizationId,
      patientId: account.patientId,
      providerGroupId: account.providerGroupId,
      serviceDate: daysFromNow(now, -random.number.int({ min: 5, max: 500 })),
      description: cycle(SERVICES, account.patientId + index),
      chargeAmount: dollars(charge),
      outstandingPatient: dollars(outstanding),
    })),
  );
  const contracted = accounts.filter((_, index) => index % 6 === 0);
  const contracts = contracted.map(({ patientId, providerGroupId }, index) => ({
    organizationId,
    patientId,
    providerGroupId,
    ...cycle(CONTRACTS, index),
  }));
  await insertRows(tx, 'balance', balances);
  await insertRows(tx, 'claim', claims);
  await tx.balanceContract.createMany({ data: contracts });
}

/** One account in the group of the patient's office, for some another in a second group; a departmental copy is its group's alone. */
function createAccounts(
  { groupIds, offices }: Seeding,
  random: Faker,
  { id: patientId, enterpriseId, primaryOfficeId }: Person,
  position: number,
): Account[] {
  const home = offices.find(({ id }) => id === primaryOfficeId)?.providerGroupId;
  if (!home || random.datatype.boolean(0.3)) return [];
  const second = random.helpers.arrayElement(groupIds);
  const both = random.datatype.boolean(0.2) && enterpriseId === null;
  const groups = new Set(both ? [home, second] : [home]);
  return [...groups].map((providerGroupId) => {
    const claims = Array.from({ length: random.number.int({ min: 1, max: 3 }) }, () => {
      const charge = random.number.int({ min: 2_500, max: 42_000 });
      const paid = drawn(random, { all: 6, most: 3, nothing: 1 });
      return { charge, outstanding: Math.round(charge * { all: 0, most: 0.2, nothing: 1 }[paid]) };
    });
    const owed = claims.reduce((sum, { outstanding }) => sum + outstanding, 0);
    // A payment too much, once in a while.
    const credit = position % 25 === 3 ? owed + 2_515 : 0;
    return { patientId, providerGroupId, balance: owed - credit, claims };
  });
}

function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}
