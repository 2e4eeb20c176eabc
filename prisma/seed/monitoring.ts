import type { Prisma } from '../../src/generated/prisma/client.ts';
import { insertRows } from './bulk.ts';
import type { Catalogue } from './catalogue.ts';
import { earliest, instantBetween, later, todayIn } from './dates.ts';
import { monitored, type People, type Person } from './people.ts';
import { cycle, inOrder } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';
import type { SentCheckIn } from './surveys.ts';

const DAY = 24 * 60;

/** Code, a lexicon's number for it, the flag that patients with it have, and the positions of the items that are watched. */
const CONDITIONS = [
  { icdCode: 'I10', icdLexCode: 24526, flag: 'Hypertension', items: [0, 1, 2] },
  { icdCode: 'E11.9', icdLexCode: 31207, flag: 'Diabetes', items: [3, 2] },
  { icdCode: 'I50.9', icdLexCode: 24801, flag: null, items: [2, 0, 4] },
  { icdCode: 'J44.9', icdLexCode: 26644, flag: null, items: [4, 5] },
];

/** Enrolments with their history, tracked conditions, and reviews of what the patients reported. */
export async function seedMonitoring(seeding: Seeding, people: People, catalogue: Catalogue, checkIns: SentCheckIn[]): Promise<void> {
  const patients = monitored(people);
  await seedEnrolments(seeding, patients, catalogue);
  await seedConditions(seeding, patients, catalogue);
  await seedReviews(seeding, checkIns);
}

async function seedEnrolments(seeding: Seeding, patients: Person[], { programs }: Catalogue): Promise<void> {
  const { tx, now, organizationId, staff } = seeding;
  const random = areaRandom(seeding, 'enrolments');
  const plans = patients.map(({ id: patientId, flags }, index) => {
    const { id: programId, stepIds } = cycle(programs, chooseProgram(flags, index));
    // Every ninth left the program again, which its last step says.
    const left = index % 9 === 8;
    const reached = left ? stepIds.length : random.number.int({ min: 1, max: stepIds.length - 1 });
    const addedAt = later(now, -random.number.int({ min: 20, max: 200 }) * DAY);
    return { patientId, programId, steps: stepIds.slice(0, reached), addedAt, removedAt: left ? later(now, -3 * DAY) : null };
  });
  const data = plans.map(({ steps, ...plan }) => ({ ...plan, organizationId, stepId: steps.at(-1) ?? null }));
  const rows = inOrder(await tx.programPatient.createManyAndReturn({ data, select: { id: true } }));
  const events = rows.flatMap(({ id: programPatientId }, index) => {
    const { steps, addedAt } = cycle(plans, index);
    const userId = cycle(staff, index).id;
    return steps.map((stepId, step) => ({
      organizationId,
      programPatientId,
      stepId,
      userId,
      occurredAt: later(addedAt, step * 3 * DAY + random.number.int(300)),
    }));
  });
  await tx.workflowEvent.createMany({ data: events });
  await seedConsents(seeding, plans);
}

/** Positions in the catalogue: diabetes, every eighth of the others in the therapeutic program, else hypertension. */
function chooseProgram(flags: readonly string[], index: number): number {
  if (flags.includes('Diabetes')) return 1;
  return index % 8 === 5 ? 2 : 0;
}

/** Consent before the enrolment; every seventh patient's is not on file, and who left the program revoked it. */
async function seedConsents(
  { tx, organizationId, staff }: Seeding,
  enrolments: readonly { patientId: number; addedAt: Date; removedAt: Date | null }[],
): Promise<void> {
  const data = enrolments.flatMap(({ patientId, addedAt, removedAt }, index) => {
    if (index % 7 === 6) return [];
    const how = index % 2 === 0 ? 'verbal' : 'written';
    const entry = { organizationId, patientId, how, givenBy: 'patient', recordedByUserId: cycle(staff, index).id };
    const givenAt = later(addedAt, -2 * 60);
    const given = { ...entry, givenAt, recordedAt: givenAt, revoked: false };
    return removedAt ? [given, { ...entry, givenAt: removedAt, recordedAt: removedAt, revoked: true }] : [given];
  });
  await tx.monitoringConsent.createMany({ data });
}

async function seedConditions(seeding: Seeding, patients: Person[], { items: measured, itemIds }: Catalogue): Promise<void> {
  const { tx, now, organizationId, clinicians } = seeding;
  const random = areaRandom(seeding, 'conditions');
  const plans = patients.map(({ id: patientId, flags, primaryProviderId }, index) => {
    const chance = random.helpers.arrayElement(CONDITIONS);
    const { items, icdCode, icdLexCode } = CONDITIONS.find(({ flag }) => flag && flags.includes(flag)) ?? chance;
    const { id: providerId, userId } = clinicians.find(({ id }) => id === primaryProviderId) ?? cycle(clinicians, 0);
    const createdAt = later(now, -random.number.int({ min: 30, max: 300 }) * DAY);
    const endedAt = index % 11 === 10 ? later(now, -2 * DAY) : null;
    return { items, row: { organizationId, patientId, providerId, userId, icdCode, icdLexCode, createdAt, endedAt } };
  });
  const rows = inOrder(await tx.trackedCondition.createManyAndReturn({ data: plans.map(({ row }) => row), select: { id: true } }));
  await tx.trackedConditionItem.createMany({
    data: rows.flatMap(({ id: trackedConditionId }, index) =>
      cycle(plans, index).items.map((item) => {
        const { minTarget, maxTarget } = cycle(measured, item);
        return { organizationId, trackedConditionId, itemId: cycle(itemIds, item), minTarget, maxTarget };
      }),
    ),
  });
}

const REMARKS = ['Readings are in range, keep going.', 'Called the patient about the high reading.', 'Dose changed, see chart.', null];

/** Two of three answers were reviewed; the minutes add up to what monitoring is billed by. */
async function seedReviews(seeding: Seeding, checkIns: SentCheckIn[]): Promise<void> {
  const { tx, now, organizationId, clinicians, staff } = seeding;
  const random = areaRandom(seeding, 'reviews');
  const users = [...clinicians.flatMap(({ userId }) => userId ?? []), ...staff.map(({ id }) => id)];
  const { month, patientIds } = fullestMonth(seeding, checkIns);
  const data = checkIns.flatMap(({ id: checkInId, patientId, answeredAt }, index): Prisma.CheckInReviewCreateManyInput[] => {
    const minutes = random.number.int({ min: 2, max: 12 });
    const latest = later(now, -minutes - 1);
    const isExample = answeredAt !== null && patientIds.includes(patientId) && writeMonth(seeding, answeredAt) === month;
    if (!answeredAt || answeredAt >= latest || !random.datatype.boolean(0.66) || isExample) return [];
    const soon = later(answeredAt, DAY);
    const startedAt = instantBetween(random, answeredAt, earliest(soon, latest));
    return [
      {
        organizationId,
        checkInId,
        patientId,
        minutes,
        startedAt,
        userId: random.helpers.arrayElement(users),
        message: cycle(REMARKS, index),
        display: random.datatype.boolean(0.5),
        liveContact: random.datatype.boolean(0.25),
        createdAt: later(startedAt, minutes),
        deletedAt: index % 50 === 49 ? later(now, -1) : null,
      },
    ];
  });
  const examples = patientIds.flatMap((patientId, index) =>
    exampleReviews(
      { organizationId, patientId, userId: cycle(users, index) },
      EXAMPLES[index] ?? [],
      ofMonth(seeding, checkIns, patientId, month),
    ),
  );
  await insertRows(tx, 'check_in_review', [...data, ...examples]);
  await seedNotifications(seeding, users);
}

/** Notifications of the reviews: the older ones are read, and none waits to be pushed. */
async function seedNotifications({ tx, now, organizationId }: Seeding, userIds: readonly number[]): Promise<void> {
  const where = { organizationId, deletedAt: null };
  const latest = await tx.checkInReview.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: 4 });
  const data = latest.toReversed().flatMap(({ id: subjectId, userId: author, createdAt }, index) =>
    [...new Set(userIds)]
      .filter((userId) => userId !== author)
      .map((userId) => ({
        organizationId,
        userId,
        kind: 'checkin_review.created',
        subjectType: 'checkin_review',
        subjectId,
        createdAt,
        settledAt: now,
        readAt: index < 2 ? now : null,
      })),
  );
  await tx.notification.createMany({ data });
}

/** Minutes of reviews in the month that reports the most: enough for 99457, and four short of it. */
const EXAMPLES = [
  [14, 10],
  [9, 7],
];

const writeMonth = ({ practice }: Seeding, instant: Date) => todayIn(practice.timeZone, instant).toString().slice(0, 7);

const ofMonth = (seeding: Seeding, checkIns: SentCheckIn[], patientId: number, month: string) =>
  checkIns.filter((one) => one.patientId === patientId && one.answeredAt !== null && writeMonth(seeding, one.answeredAt) === month);

/** The month and the patients who reported on the most days of it. */
export function fullestMonth(seeding: Seeding, checkIns: SentCheckIn[]): { month: string; patientIds: number[] } {
  const counts = new Map<string, { month: string; patientId: number; answers: number }>();
  for (const { patientId, answeredAt } of checkIns) {
    if (answeredAt === null) continue;
    const month = writeMonth(seeding, answeredAt);
    const answers = (counts.get(`${month} ${patientId}`)?.answers ?? 0) + 1;
    counts.set(`${month} ${patientId}`, { month, patientId, answers });
  }
  const ranked = [...counts.values()].toSorted((one, other) => other.answers - one.answers || one.patientId - other.patientId);
  const month = ranked[0]?.month ?? '';
  const best = ranked.filter((one) => one.month === month).slice(0, EXAMPLES.length);
  return { month, patientIds: best.map(({ patientId }) => patientId) };
}

/** One review for each of the minutes, soon after an answer at the beginning of the month, with live contact. */
function exampleReviews(
  given: Pick<Prisma.CheckInReviewCreateManyInput, 'organizationId' | 'patientId' | 'userId'>,
  minutes: readonly number[],
  answered: SentCheckIn[],
): Prisma.CheckInReviewCreateManyInput[] {
  return minutes.flatMap((length, index) => {
    const { id: checkInId, answeredAt } = answered[index * 2] ?? {};
    if (checkInId === undefined || !answeredAt) return [];
    const startedAt = later(answeredAt, 10);
    const message = cycle(REMARKS, index + 1);
    return [
      {
        ...given,
        checkInId,
        startedAt,
        minutes: length,
        message,
        display: true,
        liveContact: true,
        createdAt: later(startedAt, length),
        deletedAt: null,
      },
    ];
  });
}
