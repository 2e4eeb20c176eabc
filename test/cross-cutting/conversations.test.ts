import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { type Answer, hourOf, type Letter, openPractices, startOf, type Visit, type World, write } from './conversation-practices.ts';
import { type Consent, checkConfirmed, checkLeaving, checkMeaning, type Heard } from './conversation-rules.ts';
import { EXAMPLES, type Setting, type Step, step } from './conversation-steps.ts';
import type { Meaning } from './conversation-words.ts';

/** Stories that are told; CONVERSATIONS=1000 is the proof. */
const RUNS = Number(process.env.CONVERSATIONS ?? 6);

const test = await sharedTestApp();
const { practiceOf, openStory, work, deliver, countReplies, confirmationOf, sleepTight } = openPractices(test);

interface Post {
  letter: Letter;
  practice: number;
  meaning: Meaning;
}

/** A story with its letters on the way, and what each number has last said about texts. */
async function beginStory(setting: Setting) {
  const world = await openStory(setting);
  return { world, underway: [] as Post[], arrived: [] as Post[], consents: new Map<string, Consent>(), checked: 0 };
}
type Story = Awaited<ReturnType<typeof beginStory>>;

/** The consent that a phone gave a practice, as far as it said. */
function consentOf({ consents }: Story, practice: number, phone: string): Consent {
  const key = `${practice} ${phone}`;
  const consent = consents.get(key) ?? { revoked: false, farewells: 0 };
  consents.set(key, consent);
  return consent;
}

async function send(story: Story, target: Visit, kind: string): Promise<void> {
  const { staff, templates, surveyTypeId } = practiceOf(target.practice);
  const body =
    kind === 'asking' || kind === 'telling' ? { template_id: templates[kind] } : { message: '{{appointment time}}, {{provider name}}' };
  const sent =
    kind === 'check-in'
      ? await staff.post('/checkin/send').send({ recipient_id: target.patient.id, survey_type_id: surveyTypeId, sms_email: 'sms' })
      : await staff.post(`/appointments/${target.id}/send-sms`).send(body);
  const isOut = consentOf(story, target.practice, target.patient.phone).revoked;
  const expected = target.cancelled && kind !== 'check-in' ? 404 : isOut ? 409 : 201;
  expect([sent.status, sent.text]).toEqual([expected, sent.text]);
  if (sent.status === 409) expect(sent.body.code).toBe('opted_out');
}

async function changeVisit(target: Visit, fields: Record<string, unknown>, by = 'mobile'): Promise<void> {
  const { staff, systems } = practiceOf(target.practice);
  const path = `/appointments/${target.id}`;
  const changed = by === 'mobile' ? await staff.post(path).send(fields) : await systems.put(path).send(fields);
  expect([changed.status, changed.text]).toEqual([200, changed.text]);
}

/** What the practice does with an appointment, and what has to follow for its answer. */
async function keepBook(world: World, target: Visit, one: Step): Promise<void> {
  if (target.cancelled) return;
  const { staff, systems, providers } = practiceOf(target.practice);
  const renew = (more: Partial<Visit>) => {
    Object.assign(target, { ...more, confirmation: 'Pending' });
    world.confirmed.delete(target.id);
  };
  if (one.do === 'move' && 'hour' in one) {
    const hour = hourOf(one.hour);
    await changeVisit(target, { appointment_date: startOf(hour, target.minute) }, one.dialect);
    if (hour !== target.hour) renew({ hour });
  } else if (one.do === 'cancel' && 'dialect' in one) {
    const by = one.dialect === 'mobile' ? staff : systems;
    expect([200, 204]).toContain((await by.delete(`/appointments/${target.id}`)).status);
    target.cancelled = true;
  } else if (one.do === 'give') {
    const other = world.people.find(({ id, practice }) => practice === target.practice && id !== target.patient.id);
    if (!other) return;
    await changeVisit(target, { patient_id: other.id });
    renew({ patient: other });
  } else if (one.do === 'doctor' && 'index' in one) await changeVisit(target, { provider_id: providers[one.index === 1 ? 1 : 0] });
  else if (one.do === 'decide' && 'answer' in one) {
    await changeVisit(target, { confirmation: one.answer });
    if (target.confirmation !== one.answer) world.confirmed.delete(target.id);
    target.decidedAt = new Date();
    target.confirmation = one.answer === 'Yes' ? 'Yes' : one.answer === 'No' ? 'No' : 'Pending';
  }
}

/** The carrier brings a text, the first time or once more. */
async function bring(story: Story, post: Post): Promise<void> {
  const { world, arrived } = story;
  const { letter, practice, meaning } = post;
  const before = await countReplies(letter.from);
  const consent = consentOf(story, practice, letter.from);
  const isNew = !arrived.includes(post);
  await deliver(practice, letter);
  const more = (await countReplies(letter.from)) - before;
  expect({ ...post, more: more <= (isNew ? 1 : 0) }).toEqual({ ...post, more: true });
  const wasOut = consent.revoked;
  if (isNew) {
    arrived.push(post);
    if (meaning === 'stop' && !wasOut) consent.farewells += 1;
    if (meaning === 'stop') consent.revoked = true;
    if (meaning === 'start' || (letter.body === 'yes' && wasOut)) consent.revoked = false;
  }
  const heard: Heard = { ...post, isNew, isConsent: wasOut && letter.body === 'yes' };
  checkMeaning(world, heard, await readAnswers(world));
}

/** The answer of each visit that is not cancelled, as it is stored. */
async function readAnswers({ visits }: World): Promise<Map<Visit, Answer>> {
  const rows = await test.database.prisma.appointment.findMany({
    where: { OR: visits.map(({ id, practice }) => ({ id, organizationId: practiceOf(practice).organizationId })) },
    select: { id: true, confirmation: true, status: true },
  });
  const found = visits.flatMap((visit) => rows.filter(({ id }) => id === visit.id).map((row) => ({ visit, ...row })));
  expect(found.filter(({ status }) => status === 'cancelled').map(({ id }) => id)).toEqual(
    visits.filter(({ cancelled }) => cancelled).map(({ id }) => id),
  );
  return new Map(found.filter(({ visit }) => !visit.cancelled).map(({ visit, confirmation }) => [visit, confirmation]));
}

/** Each text that has left since was allowed to. */
function checkDepartures(story: Story): void {
  const { world } = story;
  for (const left of world.left.slice(story.checked))
    checkLeaving(world, left, practiceOf(left.practice).name, consentOf(story, left.practice, left.to));
  story.checked = world.left.length;
}

async function act(story: Story, one: Step): Promise<void> {
  const { world, underway, arrived } = story;
  const target = 'visit' in one ? world.visits[one.visit] : undefined;
  if (one.do === 'send' && target && 'kind' in one) {
    await send(story, target, one.kind);
    if (one.leaves) await work(world, { kill: 'never', twice: false });
  } else if (one.do === 'work' && 'kill' in one) {
    const kill = one.kill === 'before' || one.kill === 'after' ? one.kill : 'never';
    await work(world, { kill, twice: one.twice });
  } else if (one.do === 'night' && 'quiet' in one) await sleepTight(one.practice, one.quiet);
  else if (one.do === 'write' && 'words' in one) {
    const from = world.phones[one.phone] ?? world.phones[0] ?? '';
    const post = { letter: await write(from, one.words.body), practice: one.practice, meaning: one.words.meaning };
    if (one.late) underway.push(post);
    else await bring(story, post);
  } else if (one.do === 'arrive' && 'again' in one) {
    const post = one.again ? arrived.at(-1) : underway.shift();
    if (post) await bring(story, post);
  } else if (one.do === 'undo' && target) {
    const { practice, patient } = target;
    const given = { texts: true, note: 'Told us on the phone.' };
    const recorded = await practiceOf(practice).staff.post(`/contacts/${patient.id}/consent`).send(given);
    expect([recorded.status, recorded.text]).toEqual([201, recorded.text]);
    consentOf(story, practice, patient.phone).revoked = false;
  } else if (target) await keepBook(world, target, one);
  checkDepartures(story);
  checkConfirmed(world, await readAnswers(world));
}

async function tell(setting: Setting, steps: readonly Step[]): Promise<void> {
  const story = await beginStory(setting);
  const log: string[] = [];
  const asked = setting.asked.map((visit): Step => ({ do: 'send', visit, kind: 'asking', leaves: true }));
  for (const one of [...asked, ...steps]) {
    const known = story.world.left.length;
    const failure = await act(story, one).then(
      () => null,
      (cause: unknown) => ({ cause }),
    );
    log.push(JSON.stringify(one), ...story.world.left.slice(known).map(({ to, body }) => `  to ${to}: ${body}`));
    if (failure) throw new Error(log.join('\n'), failure);
  }
  // In the end all letters arrive, and all texts leave in the morning.
  for (const post of story.underway.splice(0)) await bring(story, post);
  for (const practice of [0, 1]) await sleepTight(practice, false);
  await act(story, { do: 'work', kill: 'never', twice: false });
  for (const visit of story.world.visits) expect(await confirmationOf(visit)).toBe(visit.cancelled ? null : visit.confirmation);
}

it('conversations never confirm a time that the patient was not told, never text who has revoked, and never text twice', {
  timeout: 60_000 + RUNS * 30_000,
}, async () => {
  const setting = fc.record({
    shared: fc.boolean(),
    spanish: fc.boolean(),
    asked: fc.constantFrom<Setting['asked']>([], [0], [0], [0, 1], [0, 2]),
  });
  const told = fc.asyncProperty(setting, fc.array(step, { minLength: 8, maxLength: 24 }), tell);
  await fc.assert(told, { numRuns: RUNS, examples: EXAMPLES, endOnFailure: RUNS < 50 });
});
