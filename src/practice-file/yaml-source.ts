import { readFile } from 'node:fs/promises';
import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { Failure } from '../domain/errors.ts';
import { isUtf8 } from '../domain/values/text-form.ts';
import type { Problem } from './planned.ts';
import type { Path } from './references.ts';

/** A YAML file, its members under the domain's names: `timeZone` for `time_zone`. */
export interface Source {
  file: string;
  data: unknown;
  /** The text of a number or a flag as it is written, such as the zip `02134`; null for anything else. */
  writtenAt(path: Path): string | null;
  /** A failure that names file, line and path of each problem, in sentences. */
  failure(problems: readonly Problem[]): Failure;
}

const camel = (name: string): string => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The names of all members of a value, mapped. */
export function renameMembers(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => renameMembers(one, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [rename(name), renameMembers(inner, rename)]));
}

/** A name that the domain would use is none in the file: it stays unknown. */
const readName = (name: string): string => (/[A-Z]/.test(name) ? `${name} ` : camel(name));
const writeName = (name: string): string => (name.endsWith(' ') ? name.trimEnd() : snake(name));

/** @throws Failure invalid for a file that cannot be read, or is not valid YAML */
export async function readSource(file: string): Promise<Source> {
  const content = await readFile(file, 'utf8').catch(() => {
    throw new Failure('invalid', 'invalid_file', `${file}: cannot be read.`);
  });
  return parseSource(file, content);
}

const notYaml = (place: string, why: string) => new Failure('invalid', 'invalid_file', `${place}: ${why}`);

/** @throws Failure invalid for what is not YAML in UTF-8 */
export function parseYaml(file: string, content: string) {
  if (!isUtf8(content)) throw notYaml(file, 'is not written in UTF-8.');
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const isSeveral = error.code === 'MULTIPLE_DOCS';
    const why = isSeveral ? 'contains several YAML documents. Use a file for each.' : `is not valid YAML: ${error.message}.`;
    throw notYaml(`${file}:${lines.linePos(error.pos[0]).line}`, why);
  }
  try {
    const data: unknown = document.toJS();
    return { document, lines, data };
  } catch (unresolved) {
    // An alias without an anchor, or too many of them.
    throw notYaml(file, `is not valid YAML: ${unresolved instanceof Error ? unresolved.message : ''}.`);
  }
}

/** @throws Failure invalid for what is not YAML in UTF-8 */
export function parseSource(file: string, content: string): Source {
  const { document, lines, data } = parseYaml(file, content);
  const find = (path: Path) => findNode(document, path);
  return {
    file,
    data: renameMembers(data, readName),
    writtenAt(path) {
      const { node } = find(path);
      return isScalar(node) && node.type === 'PLAIN' && node.value !== null ? (node.source ?? null) : null;
    },
    failure(problems) {
      const sentences = problems.map(
        ({ path, message }) => `${file}:${lines.linePos(find(path).offset).line}: ${writePath(path)}${message.replace(/\.?$/, '.')}`,
      );
      return new Failure('invalid', 'invalid_file', sentences.join('\n'));
    },
  };
}

const writePath = (path: Path): string =>
  path.length === 0
    ? ''
    : `${path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${writeName(part)}`)).join('')}: `;

/** The node at a path, or the last one on the way that is there, and where it begins. */
function findNode(document: Document.Parsed, path: Path): { node: unknown; offset: number } {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next =
      isSeq<ParsedNode>(node) && typeof part === 'number' ? { at: node.items[part], node: node.items[part] } : findMember(node, part);
    if (!next?.at) return { node: null, offset };
    node = next.node;
    offset = next.at.range[0];
  }
  return { node, offset };
}

function findMember(node: unknown, part: string | number) {
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return null;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === writeName(String(part)));
  return pair ? { at: pair.key, node: pair.value } : null;
}

/** A value as YAML, its members under the names of the file. */
export function writeYaml(value: unknown, comment: string): string {
  const document = new Document(renameMembers(value, snake));
  document.commentBefore = comment;
  return document.toString({ lineWidth: 120 });
}
