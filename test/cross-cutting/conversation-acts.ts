import { expect } from 'vitest';
import type { Served } from '../support/app.ts';
import { findHour, type Kill, type Practices, writeStart } from './conversation-practices.ts';
import { type Consent, checkConfirmed, checkMeaning, type Heard } from './conversation-rules.ts';
import type { Setting, Step } from './conversation-steps.ts';
import type { Meaning } from './conversation-words.ts';
import { type Answer, type Letter, type Visit, type World, write } from './conversation-world.ts';

/** A letter on its way. */
export interface Post {
  letter: Letter;
  practice: number;
  meaning: Meaning;
}

/** A story with its letters on the way, and what each number has last said about texts. */
export interface Story {
  world: World;
  underway: Post[];
  arrived: Post[];
  consents: Map<string, Consent>;
  /** Texts that the server has agreed to send when staff asked it to. */
  accepted: number;
  /** How many of the texts that have left were looked at. */
  checked: number;
}

/** The consent that a phone gave a practice, as far as it said. */
export function findConsent({ consents }: Story, practice: number, phone: string): Consent {
  const key = `${practice} ${phone}`;
  const consent = consents.get(key) ?? { revoked: false, farewells: 0 };
  consents.set(key, consent);
  return consent;
}

interface ActOptions {
  /** The workers send what waits, or try to. */
  work: (world: World, how: { kill: Kill; twice: boolean }) => Promise<void>;
  /** The carrier brings each text twice at once. */
  twice?: boolean;
  /** Looks what has left, where that is not known anyway. */
  look?: (world: World) => Promise<void>;
}

/** The steps of a story but the work of its workers: requests of the practices, and letters that the carrier brings. */
export function openActs(
  { database: { prisma: db } }: Served,
  { findPractice, openStory, deliver, countReplies, sleepTight, remind }: Practices,
  { work, twice = false, look = async () => {} }: ActOptions,
) {
  const beginStory = async (setting: Setting): Promise<Story> => ({
    world: await openStory(setting),
    underway: [],
    arrived: [],
    consents: new Map(),
    accepted: 0,
    checked: 0,
  });

  async function send(story: Story, target: Visit, kind: string): Promise<void> {
    const { staff, templates, surveyTypeId } = findPractice(target.practice);
    const body =
      kind === 'asking' || kind === 'telling' ? { template_id: templates[kind] } : { message: '{{appointment time}}, {{provider name}}' };
    const sent =
      kind === 'check-in'
        ? await staff.post('/checkin/send').send({ recipient_id: target.patient.id, survey_type_id: surveyTypeId, sms_email: 'sms' })
        : await staff.post(`/appointments/${target.id}/send-sms`).send(body);
    const isOut = findConsent(story, target.practice, target.patient.phone).revoked;
    const expected = target.cancelled && kind !== 'check-in' ? 404 : target.patient.phone === '' ? 422 : isOut ? 409 : 201;
    expect([sent.status, sent.text]).toEqual([expected, sent.text]);
    if (sent.status === 409) expect(sent.body.code).toBe('opted_out');
    if (sent.status === 201) story.accepted += 1;
  }

  async function changeVisit(target: Visit, fields: Record<string, unknown>, by = 'mobile'): Promise<void> {
    const { staff, systems } = findPractice(target.practice);
    const path = `/appointments/${target.id}`;
    const changed = by === 'mobile' ? await staff.post(path).send(fields) : await systems.put(path).send(fields);
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
  }

  /** What the practice does with an appointment, and what has to follow for its answer. */
  async function keepBook(world: World, target: Visit, one: Step): Promise<void> {
    if (target.cancelled) return;
    const { staff, systems, providers } = findPractice(target.practice);
    const renew = (more: Partial<Visit>) => {
      Object.assign(target, { ...more, confirmation: 'Pending' });
      world.confirmed.delete(target.id);
    };
    if (one.do === 'move' && 'hour' in one) {
      const hour = findHour(one.hour);
      await changeVisit(target, { appointment_date: writeStart(hour, target.minute) }, one.dialect);
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

  /** A patient has another phone, which may be somebody's, or none. */
  async function renumber({ people, phones }: World, person: number, index: number): Promise<void> {
    const patient = people[person];
    if (!patient) return;
    const phone = phones[index] ?? null;
    const changed = await findPractice(patient.practice).systems.put(`/patients/${patient.id}`).send({ phone_no: phone });
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
    patient.phone = phone ?? '';
  }

  /** The carrier brings a text, the first time or once more. */
  async function bring(story: Story, post: Post): Promise<void> {
    const { world, arrived } = story;
    const { letter, practice, meaning } = post;
    const before = await countReplies(letter.from);
    const consent = findConsent(story, practice, letter.from);
    const isNew = !arrived.includes(post);
    await (twice ? Promise.all([1, 2].map(() => deliver(practice, letter))) : deliver(practice, letter));
    await look(world);
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
    const rows = await db.appointment.findMany({
      where: { OR: visits.map(({ id, practice }) => ({ id, organizationId: findPractice(practice).organizationId })) },
      select: { id: true, confirmation: true, status: true },
    });
    const found = visits.flatMap((visit) => rows.filter(({ id }) => id === visit.id).map((row) => ({ visit, ...row })));
    expect(found.filter(({ status }) => status === 'cancelled').map(({ id }) => id)).toEqual(
      visits.filter(({ cancelled }) => cancelled).map(({ id }) => id),
    );
    return new Map(found.filter(({ visit }) => !visit.cancelled).map(({ visit, confirmation }) => [visit, confirmation]));
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
    } else if (one.do === 'remind' && 'days' in one) await remind(one);
    else if (one.do === 'night' && 'quiet' in one) await sleepTight(one.practice, one.quiet);
    else if (one.do === 'renumber' && 'person' in one) await renumber(world, one.person, one.phone);
    else if (one.do === 'write' && 'words' in one) {
      const from = world.phones[one.phone] ?? world.phones[0] ?? '';
      const post = { letter: await write(from, one.words.body), practice: one.practice, meaning: one.words.meaning };
      if (one.late) underway.push(post);
      else await bring(story, post);
    } else if (one.do === 'arrive' && 'again' in one) {
      const post = one.again ? arrived.at(-1) : underway.shift();
      if (post) await bring(story, post);
    } else if (one.do === 'undo' && target?.patient.phone) {
      const { practice, patient } = target;
      const given = { texts: true, note: 'Told us on the phone.' };
      const recorded = await findPractice(practice).staff.post(`/contacts/${patient.id}/consent`).send(given);
      expect([recorded.status, recorded.text]).toEqual([201, recorded.text]);
      findConsent(story, practice, patient.phone).revoked = false;
    } else if (target && one.do !== 'undo') await keepBook(world, target, one);
    checkConfirmed(world, await readAnswers(world));
  }

  return { beginStory, act, bring };
}
