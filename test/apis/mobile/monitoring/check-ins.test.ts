import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/database/database.ts';
import { jobCaller } from '../../../../src/domain/caller.ts';
import { emptyJournal } from '../../../../src/domain/journal.ts';
import { listCheckIns } from '../../../../src/domain/monitoring/reviews/check-ins.ts';
import { txOf } from '../../../../src/domain/tx.ts';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient, createProvider } from '../../../support/factories.ts';
import { createCheckIn, createReview, daysAgo, type Measuring, openMeasuring } from './readings/reported.ts';

const CHECK_INS = '/remote-patient-monitoring/checkins';

const test = await sharedTestApp();
let nurse: Awaited<ReturnType<typeof signedInUser>>;
let organizationId: number;
let measuring: Measuring;
beforeEach(async () => {
  nurse = await signedInUser(test);
  organizationId = nurse.organizationId;
  measuring = await openMeasuring(rows(), organizationId);
});

const rows = () => test.database.prisma;
const checkIn = (data: object = {}) => createCheckIn(rows(), { organizationId, surveyTypeId: measuring.surveyTypeId, ...data });
const listIds = async (query: string) =>
  (await nurse.get(`${CHECK_INS}${query}`).expect(200)).body.data.map(({ uuid }: { uuid: number }) => uuid);

/** A condition of the patient with a target of its own for the upper number. */
async function track(patientId: number, maxTarget: number | null, data: object = {}, limits: object = { minTarget: 100 }) {
  const condition = await rows().trackedCondition.create({
    data: { organizationId, patientId, icdCode: 'I10', userId: nurse.user.id, createdAt: daysAgo(30), ...data },
  });
  await rows().trackedConditionItem.create({
    data: { organizationId, trackedConditionId: condition.id, itemId: measuring.systolic.id, maxTarget, ...limits },
  });
  return condition.id;
}

describe('a check-in', () => {
  it('is shown with its answers, each with what is measured, what was aimed at, and whether it is out of that', async () => {
    const own = await checkIn({ answeredAt: daysAgo(0.5), answers: { systolic: 151, slept: true } });
    const { body } = await nurse.get(CHECK_INS).expect(200);
    expect(body.data).toEqual([
      expect.objectContaining({
        uuid: own.id,
        patient: expect.objectContaining({ uuid: own.patientId, firstname: 'Pat' }),
        survey_type: { uuid: measuring.surveyTypeId, name: 'Every morning' },
        channel: 'sms',
        answers: [
          expect.objectContaining({
            key: 'systolic',
            question: 'The upper number',
            kind: 'number',
            answer: 151,
            source: 'self',
            urgent: false,
            out_of_target: true,
            item: { uuid: measuring.systolic.id, name: 'Systolic blood pressure', unit: 'mmHg' },
            target: { min: 90, max: 140, danger_min: null, danger_max: null, source: 'item', tracked_condition_uuids: [] },
          }),
          expect.objectContaining({ key: 'slept', answer: 'yes', item: null, source: null, target: null, out_of_target: null }),
        ],
        out_of_target: true,
        reviewed: false,
        reviews: [],
      }),
    ]);
    expect(body.meta.total).toBe(1);
    const where = { organizationId, action: 'search', resource: 'check_in' };
    const [audit] = await rows().auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(audit).toMatchObject({ resourceIds: [own.id], patientIds: [own.patientId] });
  });

  it('says what became of its message', async () => {
    const text = { organizationId, toNumber: '+12125550123', body: 'How are you? {{url}}' };
    const failed = await rows().smsMessage.create({ data: { ...text, direction: 'outbound', state: 'suppressed', reason: 'opted_out' } });
    await checkIn({ sentAt: daysAgo(2), smsMessageId: failed.id });
    await checkIn();
    const { body } = await nurse.get(CHECK_INS).expect(200);
    const [, { delivery }] = body.data;
    expect(delivery).toEqual({ state: 'suppressed', reason: expect.any(String), reason_code: 'opted_out', not_before: null });
    expect(body.data[0].delivery).toBeNull();
  });

  it('without an answer says neither that it is in nor out of its target', async () => {
    await checkIn();
    const { body } = await nurse.get(CHECK_INS).expect(200);
    expect(body.data[0]).toMatchObject({ answered_at: null, out_of_target: null, answers: [{ answer: null, out_of_target: null }, {}] });
  });

  it.each([
    ['of the patient’s condition', 160, {}, { max: 160, out: false }],
    ['of the item, of a condition that began later', 160, { createdAt: new Date() }, { max: 140, out: true }],
    ['of the item, of a condition that had ended', 160, { endedAt: daysAgo(2) }, { max: 140, out: true }],
    ['of the condition that was tracked then, though it has ended since', 160, { endedAt: daysAgo(0.1) }, { max: 160, out: false }],
  ])('is held against the target %s', async (_, maxTarget, data, { max, out }) => {
    const own = await checkIn({ answeredAt: daysAgo(0.5), answers: { systolic: 151 } });
    await track(own.patientId, maxTarget, data);
    const [shown] = (await nurse.get(`${CHECK_INS}/patients/${own.patientId}`).expect(200)).body.data;
    expect(shown.answers[0]).toMatchObject({ target: { max }, out_of_target: out });
    expect(shown.out_of_target).toBe(out);
  });

  it('is held against the strictest limit of each kind, of whatever conditions were tracked then', async () => {
    const own = await checkIn({ answeredAt: daysAgo(0.5), answers: { systolic: 128 } });
    const target = async () => (await nurse.get(`${CHECK_INS}/patients/${own.patientId}`).expect(200)).body.data[0].answers[0];
    const first = await track(own.patientId, 125, {}, { minTarget: 95, dangerMax: 190 });
    const second = await track(own.patientId, 160, {}, { minTarget: 110, dangerMax: 180, dangerMin: 70 });
    await track(own.patientId, 100, { endedAt: daysAgo(1) }, { dangerMax: 110 });
    await track(own.patientId, 100, { createdAt: new Date() });
    await track(own.patientId, 100, {}, { until: daysAgo(1) });
    await track(own.patientId, 100, {}, { since: daysAgo(0.1) });
    const unlimited = await track(own.patientId, null, {}, {});
    const strictest = { min: 110, max: 125, danger_min: 70, danger_max: 180, source: 'condition' };
    expect(await target()).toMatchObject({ out_of_target: true, target: { ...strictest, tracked_condition_uuids: [first, second] } });
    expect(unlimited).toBeGreaterThan(second);
    // Ranges that exclude each other leave no value within.
    const third = await track(own.patientId, 200, {}, { minTarget: 130 });
    expect(await target()).toMatchObject({
      out_of_target: true,
      target: { ...strictest, min: 130, tracked_condition_uuids: [first, second, third] },
    });
  });

  it.each([
    [165, { dangerMax: 165 }, null, true],
    [164, { dangerMax: 165 }, null, false],
    [95, { dangerMin: 95 }, null, true],
    // A danger limit of the item counts until a condition has its own, and also within the range of a condition.
    [181, {}, { maxTarget: 200, minTarget: 60 }, true],
    [181, {}, { maxTarget: 200, dangerMax: 190 }, false],
  ])('of %d is a danger at and beyond the limit %o', async (systolic, ofItem, ofCondition, out) => {
    const item = { organizationId, name: `Pressure ${JSON.stringify([systolic, ofItem, ofCondition])}`, dangerMax: 180, ...ofItem };
    const { id: itemId } = await rows().item.create({ data: item });
    const questions = [{ key: 'value', text: 'The upper number', kind: 'number', itemId }];
    const { id: surveyTypeId } = await rows().surveyType.create({ data: { organizationId, name: item.name, questions } });
    const own = await checkIn({ surveyTypeId, answeredAt: daysAgo(0.5), answers: { value: systolic } });
    if (ofCondition) {
      const trackedConditionId = await track(own.patientId, 100);
      await rows().trackedConditionItem.create({ data: { organizationId, trackedConditionId, itemId, ...ofCondition } });
    }
    expect((await nurse.get(`${CHECK_INS}/patients/${own.patientId}`)).body.data[0].out_of_target).toBe(out);
  });

  it('names its reviews but those that were deleted', async () => {
    const own = await checkIn();
    const review = await createReview(rows(), own, { userId: nurse.user.id });
    await createReview(rows(), own, { userId: nurse.user.id, deletedAt: new Date() });
    expect((await nurse.get(CHECK_INS)).body.data[0]).toMatchObject({ reviewed: true, reviews: [review.id] });
  });
});

describe('the list of check-ins', () => {
  it('is of the organization, the newest first, page by page, and sorted as asked', async () => {
    const stranger = await signedInUser(test);
    await createCheckIn(rows(), { organizationId: stranger.organizationId });
    const old = await checkIn({ sentAt: daysAgo(9), answeredAt: daysAgo(1), answers: {} });
    const recent = await checkIn({ sentAt: daysAgo(2) });
    const middle = await checkIn({ sentAt: daysAgo(5), answeredAt: daysAgo(4), answers: {} });
    expect(await listIds('')).toEqual([recent.id, middle.id, old.id]);
    expect(await listIds('?order=asc')).toEqual([old.id, middle.id, recent.id]);
    expect(await listIds('?sort=answered_at')).toEqual([old.id, middle.id, recent.id]);
    expect(await listIds('?sort=answered_at&order=ASC')).toEqual([middle.id, old.id, recent.id]);
    for (const [{ patientId }, lastName] of [
      [old, 'Éclair'],
      [recent, 'Dunn'],
      [middle, 'eddy'],
    ] as const)
      await rows().patient.update({ where: { organizationId_id: { organizationId, id: patientId } }, data: { lastName } });
    expect(await listIds('?sort=title')).toEqual([recent.id, old.id, middle.id]);
    expect(await listIds('?sort=title&order=DESC')).toEqual([middle.id, old.id, recent.id]);
    const page = await nurse.get(`${CHECK_INS}?limit=2&page=2`).expect(200);
    expect(page.body).toMatchObject({ data: [{ uuid: old.id }], meta: { total: 3, from: 3, to: 3, last_page: 2 } });
    const wrong = await nurse.get(`${CHECK_INS}?sort=colour`);
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringMatching(/sent_at.*answered_at/)]);
  });

  it('of a patient keeps to dates, by the clocks of the practice', async () => {
    const { id: patientId } = await createPatient(rows(), { organizationId });
    const sent = (at: string) => checkIn({ patientId, sentAt: new Date(at) });
    // On 8 March 2026 New York puts its clocks forward: the day has 23 hours.
    await sent('2026-03-08T04:59:00Z');
    const first = await sent('2026-03-08T05:00:00Z');
    const last = await sent('2026-03-09T03:59:00Z');
    await sent('2026-03-09T04:00:00Z');
    await checkIn({ sentAt: new Date('2026-03-08T12:00:00Z') });
    expect(await listIds(`/patients/${patientId}?start_date=2026-03-08&end_date=2026-03-08&order=ASC`)).toEqual([first.id, last.id]);
    expect(await listIds(`/patients/${patientId}`)).toHaveLength(4);
    await nurse.get(`${CHECK_INS}/patients/${patientId}?start_date=2026-03-09&end_date=2026-03-08`).expect(400);
  });

  it('takes a fixed number of statements, however many there are', async () => {
    const own = openDatabase({ url: test.databaseUrl, poolSize: 1 });
    let asked = 0;
    own.pool.on('acquire', () => {
      asked += 1;
    });
    const caller = { ...jobCaller(organizationId, 'test'), journal: emptyJournal() };
    const counts: number[] = [];
    for (const many of [2, 12]) {
      for (let made = 0; made < many; made += 1) {
        const reported = await checkIn({ answeredAt: daysAgo(0), answers: { systolic: 120 } });
        await track(reported.patientId, 150);
      }
      asked = 0;
      await listCheckIns(txOf(own.prisma, caller), { order: 'sentAt', descending: true }, { page: 1, limit: 100 });
      counts.push(asked);
    }
    await own.close();
    expect(counts[1]).toBe(counts[0]);
  });
});

describe('the count of a user’s check-ins', () => {
  it('is of their patients and of what they sent, and its sums agree', async () => {
    const provider = await createProvider(rows(), { organizationId, userId: nurse.user.id });
    const patient = await createPatient(rows(), { organizationId, primaryProviderId: provider.id });
    const answered = await checkIn({ patientId: patient.id, answeredAt: daysAgo(0), answers: {} });
    await checkIn({ patientId: patient.id });
    const tracked = await checkIn({ answeredAt: daysAgo(0), answers: {} });
    await track(tracked.patientId, 150);
    await track(tracked.patientId, 155);
    const ended = await checkIn();
    await track(ended.patientId, 150, { endedAt: daysAgo(1) });
    await checkIn({ sentByUserId: nurse.user.id });
    await checkIn();
    await createReview(rows(), answered, { userId: nurse.user.id });
    await createReview(rows(), answered, { userId: nurse.user.id });
    const { body } = await nurse.get(`${CHECK_INS}/count/${nurse.user.id}`).expect(200);
    expect(body.data).toEqual({
      user_uuid: nurse.user.id,
      total: 4,
      answered: 2,
      unanswered: 2,
      reviewed: 1,
      unreviewed: 3,
      open_reviews: 1,
    });
    const { body: other } = await nurse.get(`${CHECK_INS}/count/${(await signedInUser(test, { organizationId })).user.id}`).expect(200);
    expect(other.data).toMatchObject({ total: 0, reviewed: 0, unreviewed: 0 });
  });
});
