import { z } from 'zod';
import { nameToPatients } from '../../../domain/scheduling/appointment/provider-names.ts';
import type { FreeTime } from '../../../domain/scheduling/free-time/free-time.ts';
import type { FoundTimes } from '../../../domain/scheduling/free-time/slots.ts';
import {
  type BookableType,
  type Choice,
  type ChoicePage,
  findOpenTime,
  listOpenDays,
  listOpenTimes,
  namePlaces,
  type ShownTime,
} from '../../../domain/scheduling/patient-booking/booking-choices.ts';
import { type BookingPage, showHeld } from '../../../domain/scheduling/patient-booking/booking-page.ts';
import type { Tx } from '../../../domain/tx.ts';
import { momentAt, readDay, writeDay } from '../../../domain/values/time/time.ts';
import { timeShape } from './booking-times.ts';
import { type Group, NEWS, type Step } from './view.ts';

const DAY_MS = 86_400_000;
const FARTHEST_MS = 10 * 365 * DAY_MS;

/** The choices in the address; anything else in it counts as nothing. */
export const steps = z.object({
  move: z.literal('yes').optional().catch(undefined),
  type: z.coerce.number().int().positive().optional().catch(undefined),
  day: z.string().optional().catch(undefined),
  from: z.string().optional().catch(undefined),
  time: timeShape.optional().catch(undefined),
  hold: z.coerce.number().int().positive().optional().catch(undefined),
  news: z.enum(NEWS).optional().catch(undefined),
});
export type Chosen = Partial<z.output<typeof steps>>;

/** The step that the address names: the farthest one for which enough is chosen. */
export async function findStep(tx: Tx, page: BookingPage, chosen: Chosen): Promise<Step> {
  const { link, visit, offer, isOver, isDeclined } = page;
  const time = chosen.hold === undefined ? null : await showHeld(tx, link, chosen.hold);
  if (time !== null && chosen.hold !== undefined) return { at: 'confirm', holdId: chosen.hold, time };
  if (isOver || offer !== null || (visit !== null && !isDeclined && chosen.move === undefined && chosen.type === undefined))
    return { at: 'start' };
  return findChoiceStep(tx, page, chosen);
}

export async function findChoiceStep(tx: Tx, page: ChoicePage, chosen: Chosen): Promise<Step> {
  const { types } = page;
  const [only, ...others] = types;
  const type = types.find(({ id }) => id === chosen.type) ?? (others.length === 0 ? only : undefined);
  return type ? chooseTime(tx, page, type, chosen) : { at: 'type' };
}

/** A time that was chosen, while it is free; null where it is not. */
export async function chosenTime(tx: Tx, { link, types }: ChoicePage, choice: Choice): Promise<ShownTime | null> {
  const type = types.find(({ id }) => id === choice.typeId);
  const found = type && (await findOpenTime(tx, link, choice));
  const [group] = found ? await groupTimes(tx, found, found.times) : [];
  return type && group ? { ...group, startsAt: new Date(choice.time.start), type: type.name } : null;
}

async function chooseTime(tx: Tx, { link }: ChoicePage, type: BookableType, chosen: Chosen): Promise<Step> {
  const day = readDay(chosen.day ?? '');
  const wanted = day ?? readDay(chosen.from ?? '');
  // A day begins earlier in the east of the practice.
  const from = new Date(Math.min(Math.max(Date.now(), (wanted?.getTime() ?? 0) - DAY_MS), Date.now() + FARTHEST_MS));
  if (day) {
    const found = await listOpenTimes(tx, link, { typeId: type.id, from, days: 3 });
    const times = Map.groupBy(found.times, dayReader(found)).get(writeDay(day));
    if (times) return { at: 'time', type, day: writeDay(day), groups: await groupTimes(tx, found, times) };
  }
  const { until, ...found } = await listOpenDays(tx, link, type.id, from);
  const byDay = Map.groupBy(found.times, dayReader(found));
  const first = wanted ? writeDay(wanted) : '';
  const days = [...byDay].filter(([one]) => one >= first).map(([one, { length: count }]) => ({ day: one, count }));
  return { at: 'day', type, days: days.sort((a, b) => (a.day < b.day ? -1 : 1)), until };
}

const QUARTER_MS = 15 * 60_000;

/** The day of a time on the clock of its office. It is the same for a quarter of an hour, and read once: a month has up to 50,000 times. */
function dayReader(found: FoundTimes): (time: FreeTime) => string {
  const known = new Map<string, string>();
  return ({ start, officeId }) => {
    const timeZone = findZone(found, officeId);
    const quarter = Math.floor(start / QUARTER_MS);
    const key = `${quarter} ${timeZone}`;
    const day = known.get(key) ?? writeDay(momentAt(new Date(quarter * QUARTER_MS), timeZone).local);
    known.set(key, day);
    return day;
  };
}

const findZone = ({ zones }: FoundTimes, officeId: number): string => zones.get(officeId) ?? 'UTC';

async function groupTimes(tx: Tx, found: FoundTimes, times: FoundTimes['times']): Promise<Group[]> {
  const { providers, offices } = await namePlaces(tx, times);
  const groups = Map.groupBy(times, ({ providerId, officeId }) => `${providerId} ${officeId}`);
  return [...groups.values()].flatMap((own): Group[] => {
    const [first] = own;
    if (!first) return [];
    const provider = providers.find(({ id }) => id === first.providerId);
    const office = offices.find(({ id }) => id === first.officeId);
    return [
      {
        provider: provider ? nameToPatients(provider) : '',
        office: office?.patientDepartmentName || office?.name || '',
        timeZone: findZone(found, first.officeId),
        times: own,
      },
    ];
  });
}
