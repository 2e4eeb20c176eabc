import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { acceptOffer, endOffer } from '../../src/domain/scheduling/patient-booking/offers.ts';
import type { Tx } from '../../src/domain/tx.ts';
import { offerFreedTimes } from '../../src/jobs/due-work.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { startProxy } from '../support/proxy.ts';
import { waitlistPractice } from '../support/waitlist.ts';

const RUNS = Number(process.env.RUNS ?? 5);
/** Beyond them, a patient is asked no more within a day. */
const MOST_OFFERS = 5;

const first = await ownTestApp();
// The connections of the second server end as those of a process that is killed.
const network = await closedAfterAll(startProxy(first.databaseUrl));
const second = await ownTestApp({}, { databaseUrl: network.url });
const chooseServices = (server: number) => (server === 0 ? first.services : second.services);

const kinds = ['book', 'book', 'cancel', 'cancel', 'offer', 'offer', 'kill', 'yes', 'yes', 'no', 'silence'] as const;
const step = fc.record({ kind: fc.constantFrom(...kinds), nth: fc.nat({ max: 9 }), server: fc.constantFrom(0, 1) });
const clinics = fc.record({
  wishes: fc.array(fc.record({ priority: fc.constantFrom('HIGH', 'NORMAL', 'LOW'), from: fc.constantFrom('09:00', '10:00', '11:00') }), {
    minLength: 1,
    maxLength: 4,
  }),
  minutes: fc.constantFrom(30, 60),
  bufferAfter: fc.constantFrom(0, 20),
  leave: fc.boolean(),
  booked: fc.integer({ min: 2, max: 5 }),
  steps: fc.array(step, { minLength: 6, maxLength: 16, size: 'max' }),
});
type Drawn = typeof clinics extends fc.Arbitrary<infer T> ? T : never;
type Step = Drawn['steps'][number];

/** A clinic on one Monday morning, at both servers. */
async function openClinic({ wishes, minutes, bufferAfter, leave, booked }: Drawn) {
  const clinic = await waitlistPractice(first);
  const { db, own, type, provider, admin } = clinic;
  await db.appointmentType.updateMany({ where: { ...own, id: type.id }, data: { durationMinutes: minutes, bufferAfter } });
  const [fromLocal, untilLocal] = [new Date('2031-03-03T10:00:00Z'), new Date('2031-03-03T11:00:00Z')];
  if (leave) await db.availabilityException.create({ data: { ...own, providerId: provider.id, fromLocal, untilLocal, available: false } });
  const waiting = new Map<number, string>();
  for (const { priority, from } of wishes) {
    const { id } = await clinic.patient();
    await clinic.wait(id, { priority, from });
    waiting.set(id, from);
  }
  /** Times that a visit left, on the clock. */
  const freed = new Set<string>();
  const write = (server: number, work: (tx: Tx) => Promise<unknown>) =>
    chooseServices(server).unitOfWork.write(jobCaller(own.organizationId, 'test'), work);
  // Lost against the other server, or with its connection, it is tried again by a later step.
  const attempt = (work: Promise<unknown>) => work.catch(() => null);
  const offer = (server: number) => attempt(offerFreedTimes({ ...chooseServices(server), origin: 'https://clinic.example' }));
  const visits = () => db.appointment.findMany({ where: { ...own, status: 'scheduled' }, orderBy: { id: 'asc' } });
  const open = async () => (await clinic.offers()).filter(({ state }) => state === 'open');
  const live = async () => (await open()).filter(({ expiresAt }) => expiresAt > new Date());
  const pick = <T>(list: readonly T[], nth: number): T | undefined => list[nth % Math.max(1, list.length)];
  const book = async (nth: number) => {
    const slot = pick(await clinic.freeTimes(), nth)?.uuid;
    if (slot !== undefined) await admin.post('/appointments').send({ slot, patient_id: (await clinic.patient()).id });
  };
  for (let n = 0; n < booked; n += 1) await book(0);
  return { ...clinic, waiting, freed, write, attempt, offer, visits, open, live, pick, book };
}
type Clinic = Awaited<ReturnType<typeof openClinic>>;

async function take({ kind, nth, server }: Step, clinic: Clinic): Promise<void> {
  const { db, own, admin, freed, attempt, write, offer, pick } = clinic;
  if (kind === 'book') await clinic.book(nth);
  if (kind === 'cancel') {
    const visit = pick(await clinic.visits(), nth);
    if (visit && (await admin.delete(`/appointments/${visit.id}`)).status === 204)
      freed.add(visit.localStart?.toISOString().slice(11, 16) ?? '');
  }
  if (kind === 'offer') await Promise.all([offer(0), offer(1)]);
  if (kind === 'kill') {
    const [chosen] = await clinic.open();
    const answer = chosen && nth % 2 === 0 ? attempt(write(1, (tx) => acceptOffer(tx, chosen.id))) : offer(1);
    for (let n = 0; n < nth; n += 1) await db.organization.count({ where: { id: own.organizationId } });
    await network.cut();
    await answer;
    await network.restore();
  }
  if (kind === 'yes' || kind === 'no') await offer(server);
  const chosen = pick(await clinic.live(), nth);
  if (!chosen) return;
  if (kind === 'yes') {
    const accept = (at: number) => attempt(write(at, (tx) => acceptOffer(tx, chosen.id)));
    await Promise.all([accept(server), accept(1 - server)]);
  }
  if (kind === 'no') await attempt(write(server, (tx) => endOffer(tx, chosen.id, 'declined')));
  if (kind === 'silence') await clinic.pass();
}

/** No time is had twice, each open offer has a hold of its own, and each hold ends. */
async function expectOrder({ db, own, type, visits, live }: Clinic): Promise<void> {
  const claims = await db.slotClaim.findMany({ where: own });
  const offers = await live();
  expect(new Set(offers.map(({ slotId }) => slotId)).size).toBe(offers.length);
  for (const { id, holdId } of offers)
    expect(claims.find((claim) => claim.id === holdId)).toMatchObject({ holder: `offer:${id}`, appointmentId: null });
  for (const { appointmentId, expiresAt } of claims) expect(appointmentId === null).toBe(expiresAt !== null);
  const { bufferAfter } = await db.appointmentType.findFirstOrThrow({ where: { id: type.id, ...own } });
  const held = offers.map(({ startsAt, endsAt }) => ({ startsAt, endsAt }));
  const taken = [...(await visits()), ...held].toSorted((one, other) => Number(one.startsAt) - Number(other.startsAt));
  for (const [n, { startsAt }] of taken.slice(1).entries())
    expect(Number(taken[n]?.endsAt) + bufferAfter * 60_000).toBeLessThanOrEqual(Number(startsAt));
}

/** Once all were asked, a time that a visit left is booked, or is free and was offered to everybody who wants it. */
async function expectNothingLost(clinic: Clinic, { bufferAfter }: Drawn): Promise<void> {
  for (let turn = 0; turn < 40 && (await clinic.left()) > 0; turn += 1) {
    await clinic.offer(0);
    await clinic.pass();
  }
  expect([await clinic.left(), await clinic.open()]).toEqual([0, []]);
  const [offers, free] = [await clinic.offers(), await clinic.times()];
  const entries = await clinic.db.waitlistEntry.findMany({ where: { ...clinic.own, status: 'waiting' } });
  const asked = new Set(
    offers.map(({ patientId, startsAt }) => `${patientId} ${new Date(Number(startsAt) - 7 * 3_600_000).toISOString().slice(11, 16)}`),
  );
  const mayBeAsked = (id: number) => offers.filter(({ patientId }) => patientId === id).length < MOST_OFFERS;
  // Beside a buffer, a time is free again without being left by a visit.
  const again = bufferAfter === 0 ? free.filter((time) => clinic.freed.has(time)) : [];
  for (const time of again)
    for (const { patientId } of entries)
      if (mayBeAsked(patientId) && (clinic.waiting.get(patientId) ?? '') <= time) expect(asked).toContain(`${patientId} ${time}`);
  const accepted = offers.filter(({ state }) => state === 'accepted');
  expect(accepted.map(({ appointmentId }) => appointmentId)).not.toContain(null);
  expect(new Set(accepted.map(({ appointmentId }) => appointmentId)).size).toBe(accepted.length);
}

it('offers in any order, at two servers of which one is killed, lose no time and give none twice', {
  timeout: 30_000 + RUNS * 20_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(clinics, async (drawn) => {
      const clinic = await openClinic(drawn);
      for (const one of drawn.steps) {
        await take(one, clinic);
        await expectOrder(clinic);
      }
      await expectNothingLost(clinic, drawn);
    }),
    { numRuns: RUNS, endOnFailure: RUNS < 50 },
  );
});
