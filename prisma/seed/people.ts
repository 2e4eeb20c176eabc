import type { Faker } from '@faker-js/faker';
import { nextIds } from '../../src/domain/messaging/queue/next-ids.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { insertRows } from './bulk.ts';
import { day } from './dates.ts';
import { MOTHER, notable, TWINS } from './notable.ts';
import { guarantorAtHome } from './patient-relations.ts';
import { patientRow } from './patient-row.ts';
import type { PatientRow } from './plan.ts';
import { inOrder } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';
import { addNumbers, withSealedNumbers } from './social-security.ts';

/** The number of charts of a demo practice, departmental copies included. */
const PATIENTS = 200;

const shown = {
  id: true,
  status: true,
  enterpriseId: true,
  firstName: true,
  lastName: true,
  birthDate: true,
  deceasedDate: true,
  sex: true,
  mobilePhone: true,
  email: true,
  doNotSms: true,
  languageCode: true,
  timeZone: true,
  address1: true,
  city: true,
  state: true,
  zip: true,
  flags: true,
  primaryOfficeId: true,
  primaryProviderId: true,
  registrationDate: true,
} satisfies Prisma.PatientSelect;

/** A patient as the other areas need it. */
export type Person = Prisma.PatientGetPayload<{ select: typeof shown }>;

export interface People {
  /** Every chart but the departmental copies; the notable ones come first. */
  patients: Person[];
  /** Charts that are departmental copies of others. */
  copies: Person[];
  /** Those who are cared for now. */
  active: Person[];
}

/** Those whom the practice watches from afar: the lists of monitoring show patients with this flag. */
export function monitored({ active }: People): Person[] {
  return active.filter(({ flags }) => flags.includes('RPM'));
}

/** The patients, and where each is registered. */
export async function seedPeople(seeding: Seeding): Promise<People> {
  const { tx, plan, now, organizationId } = seeding;
  const random = areaRandom(seeding, 'people');
  const employers = await tx.employer.findMany({ where: { organizationId }, orderBy: { id: 'asc' }, select: { id: true } });
  const employerIds = employers.map(({ id }) => id);
  const rows = Array.from({ length: PATIENTS - plan.copies }, (_, position) =>
    patientRow({
      seeding,
      random,
      employerIds,
      position,
      fixed: notable(plan.notableNames, position),
      isNotable: position < plan.notableNames.length,
    }),
  );
  addNumbers(seeding, rows);
  makeFamily(rows);
  const ids = await nextIds(tx, 'patient', rows.length);
  await insertRows(
    tx,
    'patient',
    rows.map((row, position) => ({ ...sealedRow(seeding, row, ids[position]), updatedAt: now })),
  );
  const patients = await tx.patient.findMany({ where: { organizationId }, orderBy: { id: 'asc' }, select: shown });
  const copies = await seedCopies(seeding, random, rows, patients);
  await seedRegistrations(seeding, random, patients, copies);
  return { patients, copies, active: patients.filter(({ status }) => status === 'active') };
}

/** The row with its id, for which its numbers are encrypted. */
function sealedRow({ organizationId, keyring }: Seeding, row: PatientRow, id = 0) {
  return { ...withSealedNumbers(keyring, { organizationId, row: id }, row), organizationId, id };
}

const HOME = /^(address|city|state|zip|timeZone|homePhone)/;
const SHARED_BY_TWINS = /^(mobilePhone|email|guardian|guarantor)/;

/** A family at one address: twins, who are reached together, and their mother, who pays for them. */
function makeFamily(rows: PatientRow[]): void {
  const [first, second, mother] = [rows[TWINS], rows[TWINS + 1], rows[MOTHER]];
  if (!first || !second || !mother) return;
  const fields = (from: PatientRow, which: RegExp) => Object.fromEntries(Object.entries(from).filter(([field]) => which.test(field)));
  for (const one of [second, mother]) Object.assign(one, fields(first, HOME));
  Object.assign(mother, guarantorAtHome({ ...mother, guarantorRelationshipToPatient: '1' }, mother));
  Object.assign(first, { guardianFirstName: mother.firstName }, guarantorAtHome(first, mother));
  Object.assign(second, fields(first, SHARED_BY_TWINS));
}

/**
 * In an enterprise practice, some patients have a chart in each of two provider groups beside the enterprise chart. The
 * copies know the same person, but have offices, providers and states of their own.
 */
async function seedCopies(seeding: Seeding, random: Faker, rows: PatientRow[], patients: Person[]): Promise<Person[]> {
  const { tx, plan, offices, clinicians } = seeding;
  if (plan.copies === 0) return [];
  const originals = patients
    .map((patient, index) => ({ patient, row: rows[index] }))
    .filter(({ patient }) => patient.status === 'active' && patient.primaryOfficeId !== null);
  const ids = await nextIds(tx, 'patient', plan.copies);
  const data = originals.slice(-plan.copies / 2).flatMap(({ patient, row }) => {
    const home = offices.find(({ id }) => id === patient.primaryOfficeId);
    const elsewhere = random.helpers.arrayElement(offices.filter(({ providerGroupId }) => providerGroupId !== home?.providerGroupId));
    return [home ?? elsewhere, elsewhere].map((office) => ({
      ...sealedRow(seeding, row ?? {}, ids.shift()),
      enterpriseId: patient.id,
      medicalRecordNo: null,
      locationId: null,
      status: office === elsewhere && random.datatype.boolean(0.3) ? ('inactive' as const) : ('active' as const),
      primaryOfficeId: office.id,
      primaryProviderId: clinicians.find((one) => one.offices.includes(office))?.id ?? null,
    }));
  });
  return inOrder(await tx.patient.createManyAndReturn({ data, select: shown }));
}

async function seedRegistrations(seeding: Seeding, random: Faker, patients: Person[], copies: Person[]): Promise<void> {
  const { tx, now, organizationId, offices } = seeding;
  const registration = (chart: Person, officeId: number, local: Person | null): Prisma.PatientRegistrationCreateManyInput => ({
    organizationId,
    patientId: chart.id,
    officeId,
    providerGroupId: offices.find(({ id }) => id === officeId)?.providerGroupId ?? null,
    primaryProviderId: (local ?? chart).primaryProviderId,
    localPatientId: local?.id ?? null,
    registeredOn: chart.registrationDate ?? day('2025-11-03'),
    updatedAt: now,
  });
  const data = patients.flatMap((patient) => {
    if (patient.primaryOfficeId === null) return [];
    const local = copies.filter(({ enterpriseId }) => enterpriseId === patient.id);
    if (local.length > 0) return local.flatMap((copy) => (copy.primaryOfficeId ? [registration(patient, copy.primaryOfficeId, copy)] : []));
    const second = random.datatype.boolean(0.25) ? random.helpers.arrayElement(offices).id : patient.primaryOfficeId;
    return [...new Set([patient.primaryOfficeId, second])].map((officeId) => registration(patient, officeId, null));
  });
  const own = copies.flatMap((copy) => (copy.primaryOfficeId ? [registration(copy, copy.primaryOfficeId, copy)] : []));
  await insertRows(tx, 'patient_registration', [...data, ...own]);
}
