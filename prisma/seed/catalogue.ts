import type { Item } from '../../src/generated/prisma/client.ts';
import type { Seeding } from './seeding.ts';

/** Items and programs of the practice, in the order of its file. */
export interface Catalogue {
  items: Item[];
  itemIds: number[];
  programs: { id: number; stepIds: number[] }[];
}

export async function findCatalogue({ tx, organizationId }: Seeding): Promise<Catalogue> {
  const of = { where: { organizationId }, orderBy: { id: 'asc' as const } };
  const items = await tx.item.findMany(of);
  const programs = await tx.program.findMany({ ...of, include: { steps: { orderBy: { position: 'asc' } } } });
  return {
    items,
    itemIds: items.map(({ id }) => id),
    programs: programs.map(({ id, steps }) => ({ id, stepIds: steps.map((step) => step.id) })),
  };
}
