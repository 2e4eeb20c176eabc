import type { Tx } from '../domain/tx.ts';
import type { Fields, Kind, Reading, Stored } from './kind.ts';
import { type Recorded, toItemName } from './planned.ts';
import { mapReferences } from './references.ts';

type NamedKind = Pick<Kind, 'name' | 'one' | 'names' | 'between' | 'references'>;

/** All items of a practice by kind, as the record has them. */
export async function readRecord(reading: Reading, kinds: readonly Kind[]): Promise<Map<string, Recorded[]>> {
  const keys = await readKeys(reading);
  const stored = new Map<string, Stored[]>();
  for (const kind of kinds) stored.set(kind.name, await kind.read(reading));
  return toRecords(kinds, stored, (kind, id) => keys.get(`${kind} ${id}`) ?? null);
}

/** Names in place of the ids by which items refer to each other. */
export function toRecords(
  kinds: readonly NamedKind[],
  stored: ReadonlyMap<string, readonly Stored[]>,
  findKey: (kind: string, id: number) => string | null,
): Map<string, Recorded[]> {
  const record = new Map<string, Recorded[]>();
  for (const kind of kinds) {
    const items = (stored.get(kind.name) ?? []).map(({ id, item }) => ({ id, item: nameReferences(record, kind, item, false) }));
    const withNames = items.map((one) => ({
      id: one.id,
      key: findKey(kind.name, one.id),
      name: freeName(kind, items, one),
      fields: one.item,
    }));
    record.set(kind.name, withNames);
    record.set(
      kind.name,
      withNames.map((one) => ({ ...one, fields: nameReferences(record, kind, one.fields, true) })),
    );
  }
  return record;
}

/** The natural name of an item, with its id where another one has the same. */
function freeName(kind: NamedKind, all: readonly Stored[], { id, item }: Stored): string {
  const name = toItemName(kind, item) || kind.one;
  return all.some((other) => other.id !== id && toItemName(kind, other.item) === name) ? `${name} [${id}]` : name;
}

/** Names in place of the ids of other items, those of its own kind or all others. */
const nameReferences = (record: ReadonlyMap<string, readonly Recorded[]>, kind: NamedKind, item: Fields, own: boolean): Fields =>
  mapReferences(item, kind.references ?? {}, (target, id) =>
    (target === kind.name) === own ? record.get(target)?.find((one) => one.id === id)?.name : id,
  );

async function readKeys({ tx }: Reading): Promise<Map<string, string>> {
  const rows = await tx.prisma.itemKey.findMany({ where: tx.practice });
  return new Map(rows.map(({ kind, itemId, key }) => [`${kind} ${itemId}`, key]));
}

/** Keeps the key by which the file knows an item. A key moves to the item that it is given to. */
export async function keepKey(tx: Tx, kind: string, itemId: number, key: string): Promise<void> {
  const { organizationId } = tx;
  await tx.prisma.itemKey.deleteMany({ where: { organizationId, kind, OR: [{ itemId }, { key }] } });
  await tx.prisma.itemKey.create({ data: { organizationId, kind, key, itemId }, select: { key: true } });
}

export async function forgetKey(tx: Tx, kind: string, itemId: number): Promise<void> {
  await tx.prisma.itemKey.deleteMany({ where: { ...tx.practice, kind, itemId } });
}
