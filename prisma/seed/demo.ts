import type { Keyring } from '../../src/database/encryption/keyring.ts';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import { seedAccounts } from './accounts.ts';
import { seedAlerts } from './alerts.ts';
import { findCatalogue } from './catalogue.ts';
import { seedContacts } from './contacts.ts';
import { type CredentialOptions, type Credentials, type DemoPractice, makeCredentials, seedApp, seedCredentials } from './credentials.ts';
import { seedCustomFields } from './custom-fields.ts';
import { seedDeviceReadings } from './device-readings.ts';
import { seedInbox } from './inbox.ts';
import { seedInsurances } from './insurance.ts';
import { seedLedger } from './ledger.ts';
import { fullestMonth, seedMonitoring } from './monitoring.ts';
import { seedNumbers } from './numbers.ts';
import { type People, seedPeople } from './people.ts';
import { seedPortal } from './portal.ts';
import { type DemoFile, readDemoFile } from './practice-file.ts';
import { hudson } from './practice-hudson.ts';
import { pacific } from './practice-pacific.ts';
import { phoneBook } from './random.ts';
import { type Booking, seedAppointments, seedAppointmentTypes } from './scheduling.ts';
import type { Seeding } from './seeding.ts';
import { seedCheckIns } from './surveys.ts';
import { seedTelehealth } from './telehealth.ts';
import { seedTenancy } from './tenancy.ts';
import { seedTexts } from './texts.ts';

export type { DemoPractice } from './credentials.ts';

/** The employers of each file, which have the first numbers. */
const EMPLOYERS = 8;

/** Milliseconds; it takes about one second, but a busy machine may take longer. */
const TRANSACTION = { maxWait: 10_000, timeout: 60_000 };

export interface DemoOptions extends CredentialOptions {
  /** Appointments, messages and check-ins lie about this instant; people are the same every time. */
  now: Date;
  /** Encrypts the social security numbers: the server's. */
  keyring: Keyring;
  /** Beside other practices, which are to list nothing of it. */
  besideOthers?: boolean;
  /** Resolves when the database can be written; false where nothing is to be. */
  begin?: () => Promise<boolean>;
  /** Called with the practices before the commit; an error rolls all of them back. */
  beforeCommit?: (practices: DemoPractice[]) => Promise<void>;
}

/**
 * Two demo practices that show every feature, and the credentials to use them. One transaction: a start killed in the
 * middle leaves nothing behind. The closed month of each follows in one of its own, as all audit rows are written. Writes no events, no audit rows but those of closed months, and no file.
 * @throws when one of its sign-in addresses or client ids is already there, so when it ran before
 */
export async function seedDemo(
  prisma: PrismaClient,
  { now, keyring, besideOthers = false, hash, randomSecret, begin, beforeCommit }: DemoOptions,
): Promise<DemoPractice[]> {
  const [plans] = await Promise.all([
    Promise.all(
      [hudson, pacific].map(async (plan) => ({
        plan,
        file: await readDemoFile(plan.key),
        credentials: await makeCredentials(plan, { hash, randomSecret }),
      })),
    ),
    prisma.$connect(),
  ]);
  if (begin && !(await begin())) return [];
  const seeded = await prisma.$transaction(async (tx) => {
    const practices: SeededPractice[] = [];
    for (const { credentials, ...given } of plans)
      practices.push(await seedPractice({ ...given, tx, keyring, now, besideOthers }, credentials));
    // Last, so that no other id depends on them.
    for (const { practice } of practices) practice.app = await seedApp(tx, practice);
    await beforeCommit?.(practices.map(({ practice }) => practice));
    return practices;
  }, TRANSACTION);
  for (const { seeding } of seeded) await prisma.$transaction((tx) => seedLedger({ ...seeding, tx }), TRANSACTION);
  return seeded.map(({ practice }) => practice);
}

interface SeededPractice {
  practice: DemoPractice;
  seeding: Seeding;
}

type Given = Pick<Seeding, 'tx' | 'plan' | 'keyring' | 'now'> & Required<Pick<DemoOptions, 'besideOthers'>> & { file: DemoFile };

/** Areas that share no table are seeded side by side: the rows of one are made while PostgreSQL stores those of another. */
async function seedPractice({ besideOthers, file, ...given }: Given, credentials: Credentials): Promise<SeededPractice> {
  const { tx } = given;
  const tenancy = await seedTenancy(tx, file, given);
  const { organizationId } = tenancy;
  await tx.testPractice.create({ data: { organizationId } });
  if (besideOthers) await tx.appointmentType.updateMany({ where: { organizationId }, data: { isGlobal: false } });
  const seeding = { ...tenancy, ...given, phone: phoneBook(given.plan.areaCodes, EMPLOYERS) };
  const people = await seedPeople(seeding);
  await Promise.all([
    seedPortal(seeding, people),
    seedInsurances(seeding, people),
    seedAccounts(seeding, people),
    seedCustomFields(seeding, people),
    seedContacts(seeding, people),
  ]);
  const bookings = await seedAppointments(seeding, people, await seedAppointmentTypes(seeding));
  await seedNumbers(seeding, people);
  await Promise.all([seedMessages(seeding, people, bookings), seedReports(seeding, people)]);
  await seedAlerts(seeding);
  await seedInbox(seeding);
  return { practice: await seedCredentials(tx, tenancy, credentials), seeding };
}

/** Both write texts and mails. */
async function seedMessages(seeding: Seeding, people: People, bookings: Booking[]): Promise<void> {
  await seedTexts(seeding, people, bookings);
  await seedTelehealth(seeding, people, bookings);
}

/** What patients reported from home, and who looked at it. */
async function seedReports(seeding: Seeding, people: People): Promise<void> {
  const catalogue = await findCatalogue(seeding);
  const checkIns = await seedCheckIns(seeding, people);
  await seedMonitoring(seeding, people, catalogue, checkIns);
  await seedDeviceReadings(seeding, catalogue, fullestMonth(seeding, checkIns).patientIds);
}
