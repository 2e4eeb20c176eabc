import type { z } from 'zod';
import { writeDay } from '../domain/values/time/time.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Fields, Stored } from './kind.ts';

/** A row as an item of its shape: the columns of the same names, as the file writes them. */
export function toStored(shape: z.ZodObject, row: { id: number }, others: Fields = {}): Stored {
  const columns = new Map<string, unknown>(Object.entries(row));
  const own = Object.keys(shape.shape).filter((field) => columns.has(field));
  return { id: row.id, item: { ...Object.fromEntries(own.map((field) => [field, toPlain(columns.get(field))])), ...others } };
}

function toPlain(value: unknown): unknown {
  if (value instanceof Prisma.Decimal) return value.toNumber();
  return value instanceof Date ? writeDay(value) : value;
}
