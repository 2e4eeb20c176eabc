import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { Answer } from './output.ts';
import type { Session } from './session.ts';

/** The command was not written as it has to be. */
export class UsageError extends Error {}

type Options = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/** One command. Its options are a zod object: each field is a flag (or, where it says so, an argument) and describes itself. */
export interface Leaf<O extends Options> {
  summary: string;
  /** What a person should know before using it. */
  details?: string;
  options: O;
  run(session: Session, options: z.output<O>): Promise<Answer>;
}

/** A command that touches no database. */
export interface OfflineLeaf<O extends Options> extends Omit<Leaf<O>, 'run'> {
  run(config: Config, options: z.output<O>): Promise<Answer>;
}

/** How commands are declared under a noun. */
export interface Declare {
  command<O extends Options>(group: Command, name: string, leaf: Leaf<O>): void;
  /** As command, also on a database that lacks migrations. */
  commandOnAny<O extends Options>(group: Command, name: string, leaf: Leaf<O>): void;
  offline<O extends Options>(group: Command, name: string, leaf: OfflineLeaf<O>): void;
}

/** What carries a declared command out, once its options are read. */
export interface Executor {
  onDatabase(command: Command, run: (session: Session) => Promise<Answer>, options: { unmigrated: boolean }): Promise<void>;
  offline(command: Command, run: (config: Config) => Promise<Answer>): Promise<void>;
}

export function declaring(executor: Executor): Declare {
  const onDatabase =
    (unmigrated: boolean) =>
    <O extends Options>(group: Command, name: string, leaf: Leaf<O>) => {
      const command = describe(group, name, leaf);
      command.action(async () => {
        const options = readOptions(command, leaf.options);
        await executor.onDatabase(command, (session) => leaf.run(session, options), { unmigrated });
      });
    };
  return {
    command: onDatabase(false),
    commandOnAny: onDatabase(true),
    offline: (group, name, leaf) => {
      const command = describe(group, name, leaf);
      command.action(async () => {
        const options = readOptions(command, leaf.options);
        await executor.offline(command, (config) => leaf.run(config, options));
      });
    },
  };
}

/** `admin users create`: how events, audit rows and messages name a command. */
export function commandName(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return ['admin', ...names].join(' ');
}

function describe(group: Command, name: string, { summary, details, options }: Omit<Leaf<Options>, 'run'>): Command {
  const command = group
    .command(name)
    .summary(summary)
    .description(details ? `${summary}. ${details}` : `${summary}.`);
  for (const [key, schema] of Object.entries(options.shape)) addOption(command, key, schema);
  return command;
}

function addOption(command: Command, key: string, schema: z.ZodType): void {
  const { kind, optional, description, placeholder, positional } = anatomy(schema);
  if (positional) {
    command.argument(optional ? `[${kebab(key)}]` : `<${kebab(key)}>`, description);
    return;
  }
  const flag = `--${kebab(key)}`;
  const option = new Option(kind === 'switch' ? flag : `${flag} <${placeholder}>`, description);
  if (!optional) option.makeOptionMandatory();
  if (kind === 'several') option.argParser((value, earlier: string[] | undefined) => [...(earlier ?? []), ...value.split(',')]);
  command.addOption(option);
}

const meta = z.object({
  description: z.string().optional(),
  placeholder: z.string().optional(),
  /** An argument of the command instead of a flag. */
  positional: z.boolean().optional(),
  /** May be repeated, and takes commas. */
  several: z.boolean().optional(),
});

/** What a field's schema says of its flag; what stands outermost wins. */
function anatomy(schema: z.ZodType) {
  let optional = false;
  let told = meta.parse(schema.meta() ?? {});
  let inner: unknown = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodExactOptional || inner instanceof z.ZodDefault) {
    optional = true;
    inner = inner.unwrap();
    if (inner instanceof z.ZodType) told = { ...meta.parse(inner.meta() ?? {}), ...told };
  }
  const kind = told.several ? 'several' : inner instanceof z.ZodBoolean ? 'switch' : 'one';
  const choices = inner instanceof z.ZodEnum ? inner.options.join('|') : undefined;
  const { description = '', placeholder = choices ?? 'text', positional = false } = told;
  return { kind, optional, description, placeholder, positional };
}

/** @throws UsageError naming the first option that is wrong */
function readOptions<O extends Options>(command: Command, options: O): z.output<O> {
  const names = Object.keys(options.shape);
  const positionals = Object.entries(options.shape).filter(([, schema]) => anatomy(schema).positional);
  const given = Object.fromEntries(positionals.map(([key], index) => [key, command.args[index]]));
  const parsed = options.safeParse({ ...command.opts(), ...given });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = names.find((name) => name === issue?.path[0]);
  throw new UsageError(`${key && !(key in given) ? '--' : ''}${kebab(key ?? '')}: ${issue?.message ?? 'is wrong'}.`);
}

/** An option as it is written on the command line, without its dashes. */
export const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
