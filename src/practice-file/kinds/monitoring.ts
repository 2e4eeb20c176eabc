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
  name: field(text(100), 'Name of the measured item'),
  unit: clearable(text(30), 'Unit, such as mmHg; null for counts'),
  minTarget: limit('Lowest value of the target'),
  maxTarget: limit('Highest value of the target'),
  dangerMin: limit('A value at or below it is a danger value'),
  dangerMax: limit('A value at or above it is a danger value'),
  plausibleMin: limit('Lowest plausible value; null for that of the usual item with this name and unit'),
  plausibleMax: limit('Highest plausible value'),
  kind: field(z.enum(ITEM_KINDS), 'Service that counts its readings: RPM for physiologic ones, otherwise RTM of the kind'),
  active: active('false: not used for further conditions'),
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
  fixed: { fields: ['name', 'unit'], instead: 'End the item with active: false, and add another one with a new key.' },
  table: 'item',
  shape: ITEM,
  whole: ITEM.required({ name: true }),
  read: async ({ tx }) => (await listAllItems(tx)).map((row) => toStored(ITEM, row)),
  async create({ tx }, { active: isActive = true, ...input }) {
    const item = await addItem(tx, { ...NO_LIMITS, ...input });
    if (!isActive) await endItem(tx, item.id);
    return item;
  },
  async change({ tx }, id, { active: isActive, name: _name, unit: _unit, ...limits }) {
    requireEnding(isActive);
    await updateItem(tx, id, limits);
    if (isActive === false) await endItem(tx, id);
  },
  remove: ({ tx }, id) => removeItem(tx, id),
});

/** @throws Failure invalid where something ended is to be used again */
export function requireEnding(isActive: boolean | undefined): void {
  if (isActive) throw invalid('active', 'has ended and cannot be used again. Add another one with a new key', 'ended');
}

const MEMBER = z.strictObject({
  user: reference().describe('The user, by email'),
  textAlerts: z.boolean().default(false).describe('Whether they also get texts about alerts'),
});

const PROGRAM = z.strictObject({
  name: field(text(200), 'Name of the program'),
  description: clearable(text(1_000), 'Purpose'),
  service: field(
    z.enum(MONITORING_SERVICES),
    'Service that it is billed as: physiologic monitoring, or one kind of therapeutic monitoring',
  ),
  steps: field(z.array(text(100)).min(1), 'Names of the steps, in order'),
  alertEscalationMinutes: field(whole(1, 1_440), 'Minutes until an unacknowledged alert is escalated to the next people'),
  missedCheckInHours: clearable(whole(1, 720), 'Hours after which an unanswered check-in alerts the care team; null for never'),
  careTeam: field(z.array(MEMBER), 'Users who are notified of alerts of its patients'),
  active: active('false: accepts no new patients; current ones continue'),
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
    instead: 'End the program with active: false, and add another one with a new key; it may have the same name.',
  },
  table: 'program',
  shape: PROGRAM,
  whole: PROGRAM.required({ name: true, steps: true }),
  read: async ({ tx }) =>
    (await listAllPrograms(tx)).map((row) =>
      toStored(PROGRAM, row, {
        steps: row.steps.map(({ name }) => name),
        careTeam: row.members.map(({ userId, textAlerts }) => ({ user: userId, textAlerts })),
      }),
    ),
  async create(work, { name, description = null, service = 'rpm', steps, ...rest }) {
    const { id } = await addProgram(work.tx, { name, description, service, steps });
    await change(work, id, rest);
    return { id };
  },
  async change(work, id, changes) {
    requireEnding(changes.active);
    await change(work, id, changes);
  },
  remove: ({ tx }, id) => removeProgram(tx, id),
});

async function change(
  { tx, findId }: Work,
  id: number,
  { alertEscalationMinutes, missedCheckInHours, careTeam, active: isActive }: Program,
) {
  await changeProgram(tx, id, { alertEscalationMinutes, missedCheckInHours });
  if (careTeam) {
    const wanted = careTeam.map(({ user, textAlerts }) => ({ userId: findId('users', user), textAlerts }));
    const { members } = await findProgram(tx, id);
    for (const { userId } of members) if (!wanted.some((one) => one.userId === userId)) await removeProgramMember(tx, id, userId);
    for (const member of wanted) await addProgramMember(tx, id, member);
  }
  if (isActive === false) await endProgram(tx, id);
}
