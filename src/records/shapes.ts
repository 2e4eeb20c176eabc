import type { z } from 'zod';
import type { Field, Fields, Kind } from './field.ts';

/** The shapes of the kinds in one place: a request, a response, an imported file. */
type Shapes = Readonly<Partial<Record<Kind, (field: Field) => z.ZodType>>>;

type ShapeOf<F extends Field, K extends Shapes> = K[F['kind']] extends (field: Field) => infer S ? S : never;

/**
 * The shapes of fields, each with the sentence of its field; what a kind says of itself, such as `mm/dd/yyyy`, follows it.
 * @param names the name of each field that has a shape, by the domain's
 */
export function shapesOf<R extends Fields, N extends { readonly [F in keyof R]?: string }, K extends Shapes>(
  fields: R,
  names: N,
  kinds: K,
): { [F in keyof N & keyof R as N[F] & string]: ShapeOf<R[F], K> };
export function shapesOf(fields: Fields, names: Readonly<Record<string, string>>, kinds: Shapes): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(names).map(([field, name]) => {
      const row = fields[field] ?? missing(field);
      const shape = (kinds[row.kind] ?? missing(row.kind))(row);
      return [name, shape.describe(shape.description === undefined ? row.means : `${row.means}; ${shape.description}`)];
    }),
  );
}

/** The shapes of all fields under the domain's names. */
export function ownShapesOf<R extends Fields, K extends Shapes>(fields: R, kinds: K): { [F in keyof R]: ShapeOf<R[F], K> };
export function ownShapesOf(fields: Fields, kinds: Shapes): Record<string, z.ZodType> {
  return shapesOf(fields, Object.fromEntries(Object.keys(fields).map((field) => [field, field])), kinds);
}

function missing(what: string): never {
  throw new Error(`no shape for ${what}`);
}
