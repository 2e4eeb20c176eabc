import type { Command } from 'commander';
import { z } from 'zod';
import { addItem, endItem, type Item, listAllItems, updateItemLimits } from '../../domain/monitoring/programs/items.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { clearable, id, organization, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

/** The stored precision: nine digits before the point and three after it. */
const value = () =>
  z
    .string()
    .regex(/^-?\d{1,9}(\.\d{1,3})?$/, 'must be a number such as 90 or 36.5')
    .transform(Number)
    .meta({ placeholder: 'number' });

export function itemCommands(program: Command, { command }: CommandDeclarer): void {
  const items = program.command('items').description('What patients can measure, with what is usually aimed at.');

  command(items, 'add', {
    summary: 'Add an item',
    options: z.object({
      organization: organization(),
      name: text(100).describe('what is measured'),
      unit: text(30).exactOptional().describe('such as mmHg; none for what is only counted'),
      minTarget: value().exactOptional().describe('the lowest that is aimed at; none where that side is open'),
      maxTarget: value().exactOptional().describe('the highest'),
      dangerMin: value().exactOptional().describe('a value at or below it is a danger; none for no limit'),
      dangerMax: value().exactOptional().describe('a value at or above it is a danger; none for no limit'),
    }),
    run: async ({ write }, { organization, name, unit = null, minTarget = null, maxTarget = null, dangerMin = null, dangerMax = null }) =>
      record(
        row(await write(organization, (db, caller) => addItem(db, caller, { name, unit, minTarget, maxTarget, dangerMin, dangerMax }))),
      ),
  });

  declareSet(items, command);

  command(items, 'list', {
    summary: 'List the items of a practice, ended ones too',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listAllItems)).map(row), 'The practice has no items yet.'),
  });

  command(items, 'end', {
    summary: 'End an item',
    details: 'No condition is tracked by it anew; where it is measured, it goes on.',
    options: z.object({ item: id().meta({ positional: true }).describe('id of the item'), organization: organization() }),
    run: async ({ write }, { item, organization: organizationId }) =>
      record(row(await write(organizationId, (db, caller) => endItem(db, caller, item)))),
  });
}

function declareSet(items: Command, command: CommandDeclarer['command']): void {
  const limit = () => clearable(value()).exactOptional();
  command(items, 'set', {
    summary: 'Change the limits of an item',
    details: 'Only those named are changed; an empty value removes one. Conditions keep their own limits.',
    options: z.object({
      item: id().meta({ positional: true }).describe('id of the item'),
      organization: organization(),
      minTarget: limit().describe('the lowest that is aimed at'),
      maxTarget: limit().describe('the highest'),
      dangerMin: limit().describe('a value at or below it is a danger'),
      dangerMax: limit().describe('a value at or above it is a danger'),
    }),
    run: async ({ write }, { item, organization: organizationId, ...limits }) => {
      if (Object.keys(limits).length === 0) throw new UsageError('Say what to change; --help lists it.');
      return record(row(await write(organizationId, (db, caller) => updateItemLimits(db, caller, item, limits))));
    },
  });
}

const row = (item: Item): Row => ({
  id: item.id,
  organization_id: item.organizationId,
  name: item.name,
  unit: item.unit,
  min_target: item.minTarget?.toNumber() ?? null,
  max_target: item.maxTarget?.toNumber() ?? null,
  danger_min: item.dangerMin?.toNumber() ?? null,
  danger_max: item.dangerMax?.toNumber() ?? null,
  active: item.active,
});
