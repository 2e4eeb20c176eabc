import type { Faker } from '@faker-js/faker';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { insertRows } from './bulk.ts';
import { daysFromNow, later } from './dates.ts';
import type { People, Person } from './people.ts';
import { type PortalSituation, portalSituation } from './portal-situation.ts';
import { cycle, drawn } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';

const DAY = 24 * 60;

type AccountState = 'invited' | 'registered' | 'blocked';

const ACCOUNTS: Readonly<Record<PortalSituation, readonly { holder: 'PATIENT' | 'FAMILY'; state: AccountState }[]>> = {
  none: [],
  invited: [{ holder: 'PATIENT', state: 'invited' }],
  registered: [{ holder: 'PATIENT', state: 'registered' }],
  blocked: [{ holder: 'PATIENT', state: 'blocked' }],
  family: [{ holder: 'FAMILY', state: 'registered' }],
  family_blocked: [{ holder: 'FAMILY', state: 'blocked' }],
  both: [
    { holder: 'PATIENT', state: 'registered' },
    { holder: 'FAMILY', state: 'registered' },
  ],
};

/** Positions of patients under a privacy restriction; away from the notable ones, which a newcomer looks up first. */
const RESTRICTED = [
  { position: 30, kind: 'record', reason: 'Member of staff', lifted: false },
  { position: 31, kind: 'blocked', reason: 'Threatened the staff', lifted: false },
  { position: 32, kind: 'portal', reason: 'Requested by the patient', lifted: false },
  { position: 33, kind: 'record', reason: 'Court order, ended', lifted: true },
  { position: 34, kind: 'record', reason: 'Public person', lifted: false },
  { position: 34, kind: 'portal', reason: 'Public person', lifted: false },
] as const;

/** A patient whose chart is restricted, and who can be reached by text. */
export const restrictedPatient = ({ patients }: People): Person | undefined =>
  RESTRICTED.filter(({ kind, lifted }) => kind !== 'portal' && !lifted)
    .map(({ position }) => cycle(patients, position))
    .find(({ status, mobilePhone, doNotSms }) => status === 'active' && mobilePhone !== null && !doNotSms);

/** Portal accounts, privacy restrictions and privacy forms. */
export async function seedPortal(seeding: Seeding, { patients, copies }: People): Promise<void> {
  const { tx, now, organizationId, plan } = seeding;
  const random = areaRandom(seeding, 'portal');
  await tx.portalAccount.createMany({
    data: patients.flatMap(({ id: patientId }, position) =>
      ACCOUNTS[portalSituation(position)].map(({ holder, state }) => ({
        organizationId,
        patientId,
        holder,
        ...history(random, state, now),
      })),
    ),
  });
  await tx.privacyRestriction.createMany({
    data: RESTRICTED.map(({ position, kind, reason, lifted }) => ({
      organizationId,
      patientId: cycle(patients, position).id,
      kind,
      reason,
      createdAt: later(now, -200 * DAY),
      liftedAt: lifted ? later(now, -30 * DAY) : null,
    })),
  });
  await seedPrivacyItems(seeding, [...patients, ...copies]);
  if (plan.key === 'hudson') await seedChartOpening(seeding, patients);
}

/** A privacy officer, and a chart that a provider has opened in an emergency of last month. */
async function seedChartOpening({ tx, now, organizationId, clinicians, staff }: Seeding, patients: readonly Person[]): Promise<void> {
  const userId = clinicians.flatMap((clinician) => clinician.userId ?? [])[0];
  if (userId === undefined) return;
  const openedAt = later(now, -20 * DAY - 75);
  await tx.user.update({
    where: { organizationId_id: { organizationId, id: cycle(staff, 0).id } },
    data: { privacyOfficer: true },
    select: { id: true },
  });
  await tx.chartOpening.create({
    data: {
      organizationId,
      userId,
      patientId: cycle(patients, RESTRICTED[0].position).id,
      reason: 'Brought in unconscious after a fall; allergies and anticoagulants had to be known',
      openedAt,
      endsAt: later(openedAt, 60),
      closedAt: later(openedAt, 22),
    },
    select: { id: true },
  });
}

function history(
  random: Faker,
  state: AccountState,
  now: Date,
): Omit<Prisma.PortalAccountCreateManyInput, 'organizationId' | 'patientId' | 'holder'> {
  const registeredAt = later(now, -random.number.int({ min: 60, max: 900 }) * DAY);
  const lastLoginAt = later(now, -random.number.int({ min: 1, max: 50 }) * DAY);
  if (state === 'invited') return { registeredAt: null };
  const blocked = state === 'blocked';
  return {
    registeredAt,
    termsAcceptedAt: registeredAt,
    lastLoginAt,
    failedLogins: blocked ? 5 : 0,
    blockedAt: blocked ? later(lastLoginAt, 20) : null,
  };
}

/** The three forms: all in order for most, one missing or expired for others, none for some. */
async function seedPrivacyItems(seeding: Seeding, charts: People['patients']): Promise<void> {
  const { tx, now, organizationId } = seeding;
  const random = areaRandom(seeding, 'privacy');
  const data = charts.flatMap(({ id: patientId }) => {
    const situation = drawn(random, { verified: 70, expired: 10, unverified: 10, none: 10 });
    if (situation === 'none') return [];
    return ['notice', 'release', 'assignment'].map((kind) => {
      const odd = kind === 'release' ? situation : 'verified';
      return {
        organizationId,
        patientId,
        kind,
        verified: odd !== 'unverified',
        verifiedOn: odd === 'unverified' ? null : daysFromNow(now, -random.number.int({ min: 370, max: 700 })),
        expiresOn: daysFromNow(now, odd === 'expired' ? -5 : 400),
      };
    });
  });
  await insertRows(tx, 'privacy_item', data);
}
