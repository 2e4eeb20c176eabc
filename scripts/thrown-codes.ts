/**
 * The codes of failures that the source can throw, and those that each operation can reach. It follows the names to which a declaration
 * refers, through the functions and constants of all modules: what a function may throw, its caller may.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

type Node = Record<string, unknown>;

/** A code that a place throws, with the kind of its failure; `field` for the code of a field. */
export interface Thrown {
  code: string;
  kind: string;
}

/** A function one of whose arguments becomes a code: of which failure, and with which ending. */
interface Sink {
  index: number;
  kind: string;
  ending?: string;
}

/** A declaration at the top of a module or within one of its functions, or an object of an operation. */
interface Part {
  file: string;
  node: Node;
  /** The names that it refers to. */
  names: Set<string>;
  /** Calls of names, `new` included. */
  calls: { callee: string; args: Node[] }[];
  /** Codes of issues about fields, of ours and of zod's. */
  issues: Node[];
}

interface Module {
  imports: Map<string, string>;
  parts: Map<string, Part>;
  operations: Map<string, Part>;
}

const SRC = join(import.meta.dirname, '..', 'src');
const ERRORS = 'domain/errors.ts';
const SINKS: Readonly<Record<string, Sink>> = {
  conflict: { index: 0, kind: 'conflict' },
  gone: { index: 0, kind: 'gone' },
  forbidden: { index: 0, kind: 'forbidden' },
  notFound: { index: 0, kind: 'not_found', ending: '_not_found' },
  invalid: { index: 2, kind: 'field' },
};
/** Functions whose failures have one code. */
const FIXED: Readonly<Record<string, Thrown>> = {
  invalid: { code: 'invalid_input', kind: 'invalid' },
  missing: { code: 'invalid_input', kind: 'invalid' },
  neitherGiven: { code: 'invalid_input', kind: 'invalid' },
  unavailable: { code: 'unavailable', kind: 'unavailable' },
  noRoom: { code: 'unavailable', kind: 'unavailable' },
};

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const nodes = (value: unknown): Node[] => [value].flat().filter(isNode);
const toText = (node: unknown): string => (isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : '');
const toName = (node: unknown): string => (isNode(node) && node.type === 'Identifier' ? String(node.name) : '');

/** A text, or one that is composed with \w+ for each of its values. */
function toPattern(node: unknown): string {
  if (toName(node) !== '') return String.raw`\w+`;
  if (!isNode(node) || node.type !== 'TemplateLiteral') return toText(node);
  return nodes(node.quasis)
    .map(({ value }) => (typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : ''))
    .join(String.raw`\w+`);
}

/** All nodes below one, but types and the names of members. */
function* below(node: Node): Generator<Node> {
  if (String(node.type).startsWith('TS')) {
    if (isNode(node.expression)) yield* below(node.expression);
    return;
  }
  yield node;
  for (const [key, value] of Object.entries(node)) {
    const isName = (key === 'property' || key === 'key') && node.computed !== true && toName(value) !== '';
    if (!isName) for (const one of nodes(value)) yield* below(one);
  }
}

const findProperty = (node: Node, name: string): unknown => nodes(node.properties).find((one) => toName(one.key) === name)?.value;
const listKeys = (node: Node | undefined): string[] => nodes(node?.properties).map(({ key }) => toName(key) || toText(key));

function readPart(file: string, node: Node): Part {
  const part: Part = { file, node, names: new Set(), calls: [], issues: [] };
  for (const one of below(node)) {
    if (one.type === 'Identifier') part.names.add(toName(one));
    if (one.type === 'CallExpression' || one.type === 'NewExpression')
      part.calls.push({ callee: toName(one.callee), args: nodes(one.arguments) });
    if (findProperty(one, 'message') !== undefined || findProperty(one, 'field') !== undefined) {
      const params = findProperty(one, 'params');
      part.issues.push(...nodes(findProperty(isNode(params) ? params : one, 'code')));
    }
  }
  return part;
}

function readModule(file: string): Module {
  const program = parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' });
  const module: Module = { imports: new Map(), parts: new Map(), operations: new Map() };
  for (const node of nodes(program.body).flatMap((one) => [...below(one)])) {
    const from = node.type === 'ImportDeclaration' ? toText(node.source) : '';
    if (from.startsWith('.'))
      for (const one of nodes(node.specifiers))
        module.imports.set(toName(one.local), `${join(dirname(file), from)}#${toName(one.imported)}`);
    const isDeclared = node.type === 'FunctionDeclaration' || node.type === 'VariableDeclarator' || node.type === 'ClassDeclaration';
    const name = isDeclared ? toName(node.id) : '';
    if (name !== '' && !module.parts.has(name)) module.parts.set(name, readPart(file, node));
    // A call that makes a declaration of an object, such as `table({ operationId, … })`, comes before the object.
    const declared = node.type === 'CallExpression' ? nodes(node.arguments).find((one) => one.type === 'ObjectExpression') : node;
    const operationId = declared?.type === 'ObjectExpression' ? toPattern(findProperty(declared, 'operationId')) : '';
    if (operationId !== '' && !module.operations.has(operationId)) module.operations.set(operationId, readPart(file, node));
  }
  return module;
}

interface Source {
  modules: ReadonlyMap<string, Module>;
  find(file: string, name: string): { key: string; part: Part | undefined } | undefined;
  thrownIn(part: Part): Thrown[];
}

/** Whether a text is a code; not so the words of a page in a member of the same name. */
const isCode = (text: string): boolean => /^[a-z][a-z0-9_]+$/.test(text) && text !== 'custom';

/** All modules of src, but scripts of browsers and what was generated. */
export function readSource(): Source {
  const files = globSync('**/*.ts', { cwd: SRC }).filter((file) => !/^(generated|pages\/client)\//.test(file));
  const modules = new Map(files.map((file) => [file, readModule(file)]));
  const sinks = new Map(Object.entries(SINKS).map(([name, sink]) => [`${ERRORS}#${name}`, sink]));

  function find(file: string, name: string): { key: string; part: Part | undefined } | undefined {
    const module = modules.get(file);
    const key = module?.parts.has(name) ? `${file}#${name}` : module?.imports.get(name);
    if (key === undefined) return undefined;
    const [place = '', own = ''] = key.split('#');
    return { key, part: modules.get(place)?.parts.get(own) };
  }

  /** The literal object of a constant. */
  function findObject(name: unknown, { file }: Part): Node | undefined {
    const init = find(file, toName(name))?.part?.node.init;
    const value = isNode(init) && isNode(init.expression) ? init.expression : init;
    return isNode(value) && isNode(value.expression) ? value.expression : isNode(value) ? value : undefined;
  }

  /** The codes of `conflict(reason, MESSAGES[reason])`: the names of the messages. */
  function keysOfMessages(args: readonly Node[], part: Part): string[] {
    const message = args.find(
      (one) => one.type === 'MemberExpression' && one.computed === true && toName(one.property) === toName(args[0]),
    );
    return message ? listKeys(findObject(message.object, part)) : [];
  }

  /** The codes that an argument may be. That of a parameter is said by each caller, so its function is a sink too. */
  function codesIn(argument: unknown, part: Part, sink: Omit<Sink, 'index'>): string[] {
    if (!isNode(argument)) return [];
    const text = toText(argument);
    if (text !== '') return [sink.ending ? `${text.replaceAll(/[ -]/g, '_').toLowerCase()}${sink.ending}` : text];
    if (argument.type === 'ConditionalExpression' || argument.type === 'LogicalExpression')
      return [argument.consequent, argument.alternate, argument.right].flatMap((one) => codesIn(one, part, sink));
    if (argument.type === 'MemberExpression') {
      const values = findObject(argument.object, part);
      const named = argument.computed === true ? listKeys(values) : [toName(argument.property)];
      return values ? named.flatMap((name) => codesIn(findProperty(values, name), part, sink)) : [];
    }
    const name = toName(argument);
    if (name === '') return [];
    const parameters = nodes((isNode(part.node.init) ? part.node.init : part.node).params);
    const index = parameters.findIndex((one) => (toName(one) || toName(one.left)) === name);
    if (index >= 0) {
      if (part.file !== ERRORS) sinks.set(`${part.file}#${toName(part.node.id)}`, { ...sink, index });
      return codesIn(parameters[index]?.right, part, sink);
    }
    const declared = find(part.file, name)?.part;
    return declared && declared !== part ? codesIn(declared.node.init, declared, sink) : [];
  }

  function thrownIn(part: Part): Thrown[] {
    const ofCalls = part.calls.flatMap(({ callee, args }): Thrown[] => {
      const kind = toText(args[0]) || String(args[0]?.value);
      if (callee === 'Failure' || callee === 'OAuthFailure') return codesIn(args[1], part, { kind }).map((code) => ({ code, kind }));
      const key = find(part.file, callee)?.key ?? '';
      const sink = sinks.get(key);
      const fixed = key.startsWith(`${ERRORS}#`) ? FIXED[callee] : undefined;
      const codes = sink ? [...codesIn(args[sink.index], part, sink), ...(sink.index === 0 ? keysOfMessages(args, part) : [])] : [];
      return [...(fixed ? [fixed] : []), ...codes.map((code) => ({ code, kind: sink?.kind ?? '' }))];
    });
    return [
      ...ofCalls,
      ...part.issues.flatMap((one) =>
        codesIn(one, part, { kind: 'field' })
          .filter(isCode)
          .map((code) => ({ code, kind: 'field' })),
      ),
    ];
  }

  // Sinks are found by calls of sinks: some are two calls away.
  for (let round = 0; round < 3; round++) for (const { parts } of modules.values()) for (const part of parts.values()) thrownIn(part);
  return { modules, find, thrownIn };
}

/** All that a part can reach, itself included. */
function* reachable({ find }: Source, from: Part): Generator<Part> {
  const seen = new Set<Part>([from]);
  for (const part of seen) {
    yield part;
    for (const name of part.names) {
      const { part: next } = find(part.file, name) ?? {};
      if (next) seen.add(next);
    }
  }
}

/** The codes of failures that each operation of an API can reach, by operationId; a name that is composed has \w+ in it. */
export function codesOfOperations(source: Source, api: string): Record<string, string[]> {
  const operations = [...source.modules]
    .filter(([file]) => file.startsWith(`apis/${api}/`))
    .flatMap(([, module]) => [...module.operations]);
  return Object.fromEntries(
    operations
      .map(([id, part]): [string, string[]] => {
        const thrown = [...reachable(source, part)].filter(({ file }) => file !== ERRORS).flatMap((one) => source.thrownIn(one));
        return [id, [...new Set(thrown.filter(({ kind }) => kind !== 'field').map(({ code }) => code))].sort()];
      })
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
