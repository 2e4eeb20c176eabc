import type { Fields, References } from './kind.ts';

/** Maps each name or id in the fields that refer to other items; what maps to undefined is left out of lists. */
export function mapReferences(fields: Fields, references: References, map: (kind: string, value: unknown, path: Path) => unknown): Fields {
  return mapFields(fields, references, map, []);
}

export type Path = readonly (string | number)[];
type Map = (kind: string, value: unknown, path: Path) => unknown;

function mapFields(fields: object, references: References, map: Map, path: Path): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => {
      const inner = references[field];
      return [field, inner === undefined || value === null ? value : mapValue(value, inner, map, [...path, field])];
    }),
  );
}

function mapValue(value: unknown, inner: string | References, map: Map, path: Path): unknown {
  if (Array.isArray(value)) {
    const all: unknown[] = value.map((one: unknown, index) => mapValue(one, inner, map, [...path, index]));
    return typeof inner === 'string' ? all.filter((one) => one !== undefined) : all;
  }
  if (typeof inner === 'string') return map(inner, value, path);
  return typeof value === 'object' && value !== null ? mapFields(value, inner, map, path) : value;
}
