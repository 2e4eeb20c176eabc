import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Journal } from '../../domain/journal.ts';

/** Names that the header lists at most, and characters of each. */
const MAX_NAMES = 20;
const LONGEST_NAME = 60;

/** Names fields and parameters that are ignored in the header Warning-Fields, so that a misspelled name is noticed; never values. */
export const nameIgnored = (reply: FastifyReply, ignored: Iterable<string>): void => void reply.headers(warningFields(reply, ignored));

/** The header Warning-Fields of a reply with further names, for a response that is not final yet. */
function warningFields(reply: FastifyReply, ignored: Iterable<string>): Record<string, string> {
  const header = reply.getHeader('warning-fields');
  const names = new Set(typeof header === 'string' ? header.split(', ') : []);
  for (const name of ignored) {
    if (names.size >= MAX_NAMES) break;
    names.add(encodedName(name));
  }
  return names.size > 0 ? { 'warning-fields': [...names].join(', ') } : {};
}

const encodedName = (name: string): string => encodeURIComponent(name.slice(0, LONGEST_NAME).toWellFormed());

export const fieldList = (names: readonly string[]): string => [...new Set(names.map(encodedName))].slice(0, MAX_NAMES).join(', ');

/** The headers of a reply about what its write names: fields, and the codes of warnings. */
export const warningHeaders = (reply: FastifyReply, { warnings, cautions }: Journal): Record<string, string> => ({
  ...warningFields(reply, warnings),
  ...(cautions.length === 0 ? {} : { 'warning-codes': [...new Set(cautions.map(({ code }) => code))].join(', ') }),
});

/** The unknown fields of a body, those of nested objects by their path, such as `address.streeet` and `recipients.0.nane`. */
export function* unknownFields(shape: z.core.$ZodType, sent: unknown, path = ''): Generator<string> {
  const known = toSentShape(shape);
  if (known instanceof z.ZodUnion) yield* unknownToAll(known.options, sent, path);
  if (typeof sent !== 'object' || sent === null) return;
  const place = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (known instanceof z.ZodArray && Array.isArray(sent)) {
    for (const [index, element] of sent.entries()) yield* unknownFields(known.element, element, place(String(index)));
  }
  if (!(known instanceof z.ZodObject) || Array.isArray(sent)) return;
  for (const [name, value] of Object.entries(sent)) {
    const field: z.core.$ZodType | undefined = Object.hasOwn(known.shape, name) ? known.shape[name] : undefined;
    if (field) yield* unknownFields(field, value, place(name));
    else yield place(name);
  }
}

/** A field that one of several shapes knows is known. */
function unknownToAll(options: readonly z.core.$ZodType[], sent: unknown, path: string): string[] {
  const known = options.filter((option) => accepts(option, sent));
  const [first = new Set<string>(), ...others] = known.map((option) => new Set(unknownFields(option, sent, path)));
  return [...others.reduce((common, names) => common.intersection(names), first)];
}

/** Whether a shape is one of objects or lists, as the value is. */
function accepts(option: z.core.$ZodType, sent: unknown): boolean {
  const shape = toSentShape(option);
  return Array.isArray(sent) ? shape instanceof z.ZodArray : shape instanceof z.ZodObject;
}

/** The shape of the value as it is sent: without defaults, and before or after the conversion that does not name its input. */
export function toSentShape(shape: z.core.$ZodType): z.core.$ZodType {
  if (
    shape instanceof z.ZodOptional ||
    shape instanceof z.ZodNullable ||
    shape instanceof z.ZodDefault ||
    shape instanceof z.ZodPrefault ||
    shape instanceof z.ZodReadonly ||
    shape instanceof z.ZodCatch ||
    shape instanceof z.ZodNonOptional
  )
    return toSentShape(shape.def.innerType);
  if (shape instanceof z.ZodPipe) return toSentShape(shape.in instanceof z.ZodTransform ? shape.out : shape.in);
  return shape;
}
