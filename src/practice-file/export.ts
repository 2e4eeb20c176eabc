import type { Fields, Kind, Reading } from './kind.ts';
import { type Recorded, toItemName } from './planned.ts';
import { readRecord } from './record.ts';

/** A practice as its file has it. Secrets are in none; fields without a value are left out. */
export async function exportPractice(reading: Reading, kinds: readonly Kind[]): Promise<Fields> {
  const record = await readRecord(reading, kinds);
  const file: Record<string, unknown> = {};
  for (const kind of kinds) {
    const items = record.get(kind.name) ?? [];
    const [first] = items;
    if (kind.name === 'practice') Object.assign(file, first && withoutNothing(kind, first.fields));
    else if (kind.single) Object.assign(file, first && { [kind.name]: withoutNothing(kind, first.fields) });
    else if (items.length > 0)
      file[kind.name] = items.map((item) => ({ ...identity(kind, items, item), ...withoutNothing(kind, item.fields) }));
  }
  return typeof file.key === 'string' ? file : { practiceid: reading.tx.organizationId, ...file };
}

/** The key of an item, or its id where another one has its name. */
function identity(kind: Kind, items: readonly Recorded[], { id, key, fields }: Recorded): { key?: string; id?: number } {
  if (key !== null) return { key };
  const name = toItemName(kind, fields);
  return items.filter((other) => toItemName(kind, other.fields) === name).length > 1 ? { id } : {};
}

/** In the order of the shape. A logo is in no file of text. */
function withoutNothing({ shape, keepsNull = [] }: Kind, fields: Fields): Fields {
  const isThere = (name: string, value: unknown) =>
    name !== 'logo' && value !== undefined && (value !== null || keepsNull.includes(name)) && !(Array.isArray(value) && value.length === 0);
  const given = Object.keys(shape.shape).map((name) => [name, fields[name]] as const);
  return Object.fromEntries(given.filter(([name, value]) => isThere(name, value)));
}
