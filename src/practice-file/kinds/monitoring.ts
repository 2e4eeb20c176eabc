import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { ITEM_KINDS } from '../../domain/messaging/check-ins/usual-items.ts';
import { addItem, endItem, listAllItems, removeItem, updateItem } from '../../domain/monitoring/programs/items.ts';
import { addProgramMember, changeProgram, removeProgramMember } from '../../domain/monitoring/programs/program-settings.ts';
import {
  addProgram,
  endProgram,
  findProgram,
  listAllPrograms,
  MONITORING_SERVICES,
  removeProgram,
} from '../../domain/monitoring/programs/programs.ts';
import { active, clearable, field, measured, reference, text, whole } from '../fields.ts';
import { kind, type Work } from '../kind.ts';
import { toStored } from '../stored.ts';

const limit = (description: string) => clearable(measured(), description);

const ITEM = z.strictObject({
  name: field(text(100), 'What is measured'),
  unit: clearable(text(30), 'Such as mmHg; null for what is only counted'),
  minTarget: limit('The lowest that is aimed at'),
  maxTarget: limit('The highest that is aimed at'),
  dangerMin: limit('A value at or below it is a danger value'),
  dangerMax: limit('A value at or above it is a danger value'),
  plausibleMin: limit('The lowest value that can be true; null: that of a usual item of this name and unit'),
  plausibleMax: limit('The highest value that can be true'),
  kind: field(z.enum(ITEM_KINDS), 'Which service counts its readings: RPM for physiologic ones, else RTM of the kind'),
  active: active('false: no further condition is tracked by it'),
});

const NO_LIMITS = {
  unit: null,
  minTarget: null,
  maxTarget: null,
  dangerMin: null,
  dangerMax: null,
  plausibleMin: null,
  plausibleMax: null,
};

export const itemKind = kind({
  name: 'items',
  one: 'item',
  names: ['name'],
  fixed: { fields: ['name', 'unit'], instead: 'End the item by active: false, and add another one under a key of its own.' },
  table: 'item',
  shape: ITEM,
  whole: ITEM.required({ name: true }),
  read: async ({ db, caller }) => (await listAllItems(db, caller)).map((row) => toStored(ITEM, row)),
  async create({ db, caller }, { active: isActive = true, ...input }) {
    const item = await addItem(db, caller, { ...NO_LIMITS, ...input });
    if (!isActive) await endItem(db, caller, item.id);
    return item;
  },
  async change({ db, caller }, id, { active: isActive, name: _name, unit: _unit, ...limits }) {
    requireEnding(isActive);
    await updateItem(db, caller, id, limits);
    if (isActive === false) await endItem(db, caller, id);
  },
  remove: ({ db, caller }, id) => removeItem(db, caller, id),
});

/** @throws Failure invalid where something ended is to be used again */
export function requireEnding(isActive: boolean | undefined): void {
  if (isActive) throw invalid('active', 'was ended, and cannot be used again. Add another one under a key of its own', 'ended');
}

const MEMBER = z.strictObject({
  user: reference().describe('The user, by email'),
  textAlerts: z.boolean().default(false).describe('Whether they are texted about alerts too'),
});

const PROGRAM = z.strictObject({
  name: field(text(200), 'Its name'),
  description: clearable(text(1_000), 'Purpose'),
  service: field(z.enum(MONITORING_SERVICES), 'As what it is billed: physiologic monitoring, or therapeutic monitoring of one kind'),
  steps: field(z.array(text(100)).min(1), 'Names of the steps, in the order in which patients go through them'),
  alertEscalationMinutes: field(whole(1, 1_440), 'Minutes until an unacknowledged alert is escalated to the next people'),
  missedCheckInHours: clearable(whole(1, 720), 'Hours after which a check-in without an answer alerts the care team; null: never'),
  careTeam: field(z.array(MEMBER), 'The users who hear of the alerts of its patients'),
  active: active('false: it accepts no more patients; present ones continue'),
});
type Program = z.output<typeof PROGRAM>;

export const programKind = kind({
  name: 'programs',
  one: 'program',
  names: ['name'],
  references: { careTeam: { user: 'users' } },
  unordered: ['careTeam'],
  keepsNull: ['missedCheckInHours'],
  fixed: {
    fields: ['name', 'description', 'service', 'steps'],
    instead: 'End the program by active: false, and add another one under a key of its own, which may have the same name.',
  },
  table: 'program',
  shape: PROGRAM,
  whole: PROGRAM.required({ name: true, steps: true }),
  read: async ({ db, caller }) =>
    (await listAllPrograms(db, caller)).map((row) =>
      toStored(PROGRAM, row, {
        steps: row.steps.map(({ name }) => name),
        careTeam: row.members.map(({ userId, textAlerts }) => ({ user: userId, textAlerts })),
      }),
    ),
  async create(work, { name, description = null, service = 'rpm', steps, ...rest }) {
    const { id } = await addProgram(work.db, work.caller, { name, description, service, steps });
    await change(work, id, rest);
    return { id };
  },
  async change(work, id, changes) {
    requireEnding(changes.active);
    await change(work, id, changes);
  },
  remove: ({ db, caller }, id) => removeProgram(db, caller, id),
});

async function change(
  { db, caller, findId }: Work,
  id: number,
  { alertEscalationMinutes, missedCheckInHours, careTeam, active: isActive }: Program,
) {
  await changeProgram(db, caller, id, { alertEscalationMinutes, missedCheckInHours });
  if (careTeam) {
    const wanted = careTeam.map(({ user, textAlerts }) => ({ userId: findId('users', user), textAlerts }));
    const { members } = await findProgram(db, caller, id);
    for (const { userId } of members) if (!wanted.some((one) => one.userId === userId)) await removeProgramMember(db, caller, id, userId);
    for (const member of wanted) await addProgramMember(db, caller, id, member);
  }
  if (isActive === false) await endProgram(db, caller, id);
}
