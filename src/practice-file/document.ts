import { dirname } from 'node:path';
import { z } from 'zod';
import { validationMessage } from '../http/input/validation-messages.ts';
import type { PracticeFile } from './apply.ts';
import { itemKey } from './fields.ts';
import type { Fields, Kind } from './kind.ts';
import type { Problem, Wanted } from './planned.ts';
import type { Path } from './references.ts';
import { type Source, snake } from './yaml-source.ts';

const id = () => z.int().min(1).max(2_147_483_647);

const ITEM = {
  key: itemKey().describe('Your own permanent name for the item in the file').exactOptional(),
  id: id().describe('The id of the item, if two have the same name').exactOptional(),
  remove: z.boolean().describe('true removes the item').exactOptional(),
};

/** The shape of a whole file: the fields of the practice, and a member for each kind. */
const documentShape = (kinds: readonly Kind[]): z.ZodObject =>
  z.strictObject({
    practiceid: id().describe('The id of the practice; without it, the key identifies the practice').exactOptional(),
    ...Object.fromEntries(
      kinds.flatMap((kind) => (isRoot(kind) ? Object.entries(kind.shape.shape) : [[kind.name, createMemberShape(kind)]])),
    ),
  });

const isRoot = ({ name }: Kind): boolean => name === 'practice';

function createMemberShape({ single, shape, remove }: Kind): z.ZodType {
  if (!single) return z.array(z.strictObject({ ...ITEM, ...shape.shape })).exactOptional();
  return z.strictObject({ ...(remove ? { remove: ITEM.remove } : {}), ...shape.shape }).exactOptional();
}

/** The JSON schema of a file, for editors. */
export function practiceSchema(kinds: readonly Kind[]): object {
  const schema = z.toJSONSchema(documentShape(kinds), { io: 'input', unrepresentable: 'any' });
  return { title: 'A practice', ...rename(schema) };
}

/** Members under the names of the file: those of properties, and where properties are listed. */
function rename(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === 'properties')
        return [name, Object.fromEntries(Object.entries(value).map(([member, inner]) => [snake(member), renameWithin(inner)]))];
      return [name, name === 'required' ? value.map(snake) : renameWithin(value)];
    }),
  );
}

function renameWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameWithin);
  return typeof value === 'object' && value !== null ? rename(value) : value;
}

/** @throws Failure invalid that names file, line and path of everything that is wrong */
export function readPracticeFile(source: Source, kinds: readonly Kind[]): PracticeFile {
  const shape = documentShape(kinds);
  const parse = (data: unknown) => shape.safeParse(data, { error: validationMessage, reportInput: true });
  let parsed = parse(source.data);
  // A number may be meant as a text, such as a zip: it is taken as it is written.
  const meant = (parsed.error?.issues ?? []).filter(
    ({ code, ...issue }) => code === 'invalid_type' && 'expected' in issue && issue.expected === 'string',
  );
  if (meant.length > 0) {
    let { data } = source;
    for (const { path } of meant.map((issue) => ({ path: toPath(issue) }))) {
      const written = source.writtenAt(path);
      if (written !== null) data = withValue(data, path, written);
    }
    parsed = parse(data);
  }
  if (!parsed.success) throw source.failure(parsed.error.issues.flatMap(listProblems));
  const { practiceid, ...members } = parsed.data;
  const items = new Map(kinds.map((kind) => [kind.name, listWanted(kind, members)]));
  if (practiceid === undefined && members.key === undefined)
    throw source.failure([{ path: [], message: 'needs a key or a practiceid that identifies the practice.' }]);
  return {
    folder: dirname(source.file),
    key: typeof members.key === 'string' ? members.key : undefined,
    practiceId: typeof practiceid === 'number' ? practiceid : undefined,
    items,
  };
}

const toPath = ({ path }: Pick<z.core.$ZodIssue, 'path'>): Path => path.map((part) => (typeof part === 'number' ? part : String(part)));

function withValue(data: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  if (Array.isArray(data)) return data.map((one: unknown, index) => (index === first ? withValue(one, rest, value) : one));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, inner]) => [name, name === first ? withValue(inner, rest, value) : inner]));
}

function listProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = toPath(issue);
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((name) => ({ path: [...path, name], message: 'is unknown here. See docs/practice.schema.json.' }));
}

const itemShape = z.looseObject(ITEM);

function listWanted(kind: Kind, members: Fields): Wanted[] {
  if (isRoot(kind)) {
    const own = Object.entries(members).filter(([name]) => name in kind.shape.shape);
    return [{ path: [], fields: Object.fromEntries(own) }];
  }
  const member = members[kind.name];
  if (kind.single) return member === undefined ? [] : [toWanted(member, [kind.name])];
  return Array.isArray(member) ? member.map((one: unknown, index) => toWanted(one, [kind.name, index])) : [];
}

function toWanted(member: unknown, path: Path): Wanted {
  const { key: name, id: number, remove, ...fields } = itemShape.parse(member);
  return { path, key: name, id: number, remove, fields };
}
