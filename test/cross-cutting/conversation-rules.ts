import { expect } from 'vitest';
import { type Choices, choicesIn, isAboutLost, isFarewell, isKeywordReply, type Meaning } from './conversation-words.ts';
import type { Answer, Left, Letter, Visit, World } from './conversation-world.ts';

/** The consent of a phone to the texts of a practice. */
export interface Consent {
  revoked: boolean;
  /** Confirmations of a revocation that have not left yet. */
  farewells: number;
}

/** A text that has come in. */
export interface Heard {
  letter: Letter;
  practice: number;
  meaning: Meaning;
  /** The first time that the carrier brings it. */
  isNew: boolean;
  /** A yes that asks for texts again. */
  isConsent: boolean;
}

/** What a patient had been told of a visit, by the newest text about it that had left. */
interface Told {
  hour: number;
  patientId: number;
}

/** Texts to a phone that had left when its owner wrote, the newest first. */
const leftBefore = ({ left }: World, { letter, practice }: Pick<Heard, 'letter' | 'practice'>): Left[] =>
  left.filter((one) => one.to === letter.from && one.practice === practice && one.at < letter.at).toReversed();

function findTold(texts: readonly Left[], { minute }: Visit): Told | null {
  for (const { named } of texts) {
    const found = named.find((one) => one.minute === minute);
    if (found) return found;
  }
  return null;
}

/** A text that leaves says what is so, of visits of the patient who has the number, and to nobody who has revoked but what may be said. */
export function checkLeaving({ visits }: World, text: Left, practice: string, consent: Consent): void {
  for (const { minute, hour } of text.named) {
    const visit = visits.find((one) => one.minute === minute);
    const now = visit && { hour: visit.hour, cancelled: visit.cancelled, phone: visit.patient.phone, practice: visit.practice };
    expect({ body: text.body, ...now }).toEqual({ body: text.body, hour, cancelled: false, phone: text.to, practice: text.practice });
  }
  if (isFarewell(text.body)) consent.farewells -= 1;
  expect([text.body, consent.farewells >= 0]).toEqual([text.body, true]);
  if (consent.revoked) expect([text.body, isKeywordReply(text.body, practice)]).toEqual([text.body, true]);
}

/** An answer changes the visits that it was about, and no others. */
export function checkMeaning(world: World, heard: Heard, now: ReadonlyMap<Visit, Answer>): void {
  const { letter, practice, meaning, isNew, isConsent } = heard;
  const changed = [...now].filter(([visit, answer]) => answer !== visit.confirmation);
  const texts = leftBefore(world, heard);
  const has = ({ patientId }: { patientId: number }) => world.people.some(({ id, phone }) => id === patientId && phone === letter.from);
  const list = texts.flatMap(({ body, named }) => (named.some(has) ? (choicesIn(body) ?? []) : []))[0] ?? null;
  const story = {
    text: letter.body,
    visits: changed.map(([{ minute }, answer]) => `${minute} ${answer}`),
    told: texts.map(({ body }) => body),
  };
  if (changed.length > 0) expect({ ...story, isNew, isConsent }).toEqual({ ...story, isNew: true, isConsent: false });
  for (const [visit, answer] of changed) {
    const told = findTold(texts, visit);
    const { hour, patient } = visit;
    expect({
      ...story,
      practice: visit.practice,
      ...told,
      phone: patient.phone,
      answer,
      entry: isEntry(list, meaning, visit),
    }).toMatchObject({
      ...story,
      practice,
      hour,
      patientId: patient.id,
      phone: letter.from,
      answer: toAnswer(meaning, list),
      entry: true,
    });
    visit.confirmation = answer;
    if (answer === 'Yes' && told) world.confirmed.set(visit.id, told);
    else world.confirmed.delete(visit.id);
  }
  const [clear, ...others] = clearlyAsked(world, texts);
  if (clear && others.length === 0 && isNew && !isConsent && (meaning === 'yes' || meaning === 'no') && clear.decidedAt < letter.at) {
    expect({ ...story, answer: now.get(clear) }).toEqual({ ...story, answer: toAnswer(meaning, list) });
  }
  if (toAnswer(meaning, list) !== null) for (const visit of world.visits) if (visit.decidedAt < letter.at) visit.decidedAt = letter.at;
  expect({ ...story, one: changed.length <= 1 }).toEqual({ ...story, one: true });
}

/** The visits that all texts to a phone are about, if the newest one asks and says what is so. */
function clearlyAsked({ visits, isCertain }: World, texts: readonly Left[]): Visit[] {
  if (!isCertain) return [];
  const newest = texts.find(({ named }) => named.length > 0);
  if (!newest || !/Reply Y|Responda [SY]/.test(newest.body) || texts.some(({ body }) => isAboutLost(body))) return [];
  const minutes = new Set(texts.flatMap(({ named }) => named.map(({ minute }) => minute)));
  const about = visits.filter(({ minute }) => minutes.has(minute));
  const told = newest.named.at(-1);
  const isSo = (one: Visit) => !one.cancelled && one.hour === told?.hour && one.patient.id === told.patientId;
  return about.every((one) => isSo(one) && one.patient.phone === newest.to) ? about : [];
}

/** The answer that a text gives; null for none. */
function toAnswer(meaning: Meaning, list: Choices | null): Answer | null {
  if (meaning === 'yes') return 'Yes';
  if (meaning === 'no') return 'No';
  if (meaning === 'one') return list?.answer ?? 'Yes';
  return meaning === 'two' ? (list?.answer ?? 'No') : null;
}

/** Whether a number chooses this visit. */
function isEntry(list: Choices | null, meaning: Meaning, { minute }: Visit): boolean {
  if (list === null || (meaning !== 'one' && meaning !== 'two')) return true;
  return list.minutes[meaning === 'one' ? 0 : 1] === minute;
}

/** Each answer is as it was left; each confirmed visit is at the time that its patient had been told, and still that patient's. */
export function checkConfirmed({ confirmed }: World, now: ReadonlyMap<Visit, Answer>): void {
  for (const [visit, answer] of now) {
    expect([visit.minute, answer]).toEqual([visit.minute, visit.confirmation]);
    const told = confirmed.get(visit.id);
    if (told)
      expect({ hour: visit.hour, patientId: visit.patient.id, answer }).toMatchObject({
        hour: told.hour,
        patientId: told.patientId,
        answer: 'Yes',
      });
  }
}
