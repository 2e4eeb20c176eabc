import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { isUtf8 } from '../../domain/values/text-form.ts';
import type { RefusedKeys } from '../../startup/open-keys.ts';
import type { CommandResult } from './output.ts';
import type { Session } from './session.ts';

export class UsageError extends Error {}

type Options = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/** One command. Its options are a zod object: each field is a flag, or an argument if it is marked `positional`. */
export interface CommandSpec<O extends Options> {
  summary: string;
  details?: string;
  options: O;
  /** Which master keys are refused (default `all`); `none` where a command uses none, and runs under any. */
  keys?: RefusedKeys | 'none';
  run(session: Session, options: z.output<O>): Promise<CommandResult>;
}

export interface OfflineCommandSpec<O extends Options> extends Omit<CommandSpec<O>, 'run' | 'keys'> {
  run(config: Config, options: z.output<O>): Promise<CommandResult>;
}

/** A command that works where the environment is not right, too. */
interface BareCommandSpec<O extends Options> extends Omit<CommandSpec<O>, 'run'> {
  run(options: z.output<O>): Promise<CommandResult>;
}

export interface CommandDeclarer {
  command<O extends Options>(group: Command, name: string, spec: CommandSpec<O>): void;
  /** As command, but also runs where the database lacks migrations. */
  commandOnUnmigrated<O extends Options>(group: Command, name: string, spec: CommandSpec<O>): void;
  offline<O extends Options>(group: Command, name: string, spec: OfflineCommandSpec<O>): void;
  withoutConfig<O extends Options>(group: Command, name: string, spec: BareCommandSpec<O>): void;
}

/** Runs a declared command with its parsed options. */
export interface Executor {
  onDatabase(
    command: Command,
    run: (session: Session) => Promise<CommandResult>,
    options: { unmigrated: boolean; keys: RefusedKeys | 'none' },
  ): Promise<void>;
  offline(command: Command, run: (config: Config) => Promise<CommandResult>): Promise<void>;
  withoutConfig(command: Command, run: () => Promise<CommandResult>): Promise<void>;
}

export function createCommandDeclarer(executor: Executor): CommandDeclarer {
  const onDatabase =
    (unmigrated: boolean) =>
    <O extends Options>(group: Command, name: string, spec: CommandSpec<O>) => {
      const command = describe(group, name, spec);
      command.action(async () => {
        const options = readOptions(command, spec.options);
        await executor.onDatabase(command, (session) => spec.run(session, options), { unmigrated, keys: spec.keys ?? 'all' });
      });
    };
  return {
    command: onDatabase(false),
    commandOnUnmigrated: onDatabase(true),
    offline: (group, name, spec) => {
      const command = describe(group, name, spec);
      command.action(async () => {
        const options = readOptions(command, spec.options);
        await executor.offline(command, (config) => spec.run(config, options));
      });
    },
    withoutConfig: (group, name, spec) => {
      const command = describe(group, name, spec);
      command.action(async () => {
        const options = readOptions(command, spec.options);
        await executor.withoutConfig(command, () => spec.run(options));
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

function describe(group: Command, name: string, { summary, details, options }: Omit<CommandSpec<Options>, 'run'>): Command {
  const command = group
    .command(name)
    .summary(summary)
    .description(details ? `${summary}. ${details}` : `${summary}.`);
  for (const [key, schema] of Object.entries(options.shape)) addOption(command, key, schema);
  return command;
}

function addOption(command: Command, key: string, schema: z.ZodType): void {
  const { kind, optional, description, placeholder, positional } = readOption(schema);
  if (positional) {
    const name = `${kebab(key)}${kind === 'several' ? '...' : ''}`;
    command.argument(optional ? `[${name}]` : `<${name}>`, description);
    return;
  }
  const flag = `--${kebab(key)}`;
  const option = new Option(kind === 'switch' ? flag : `${flag} <${placeholder}>`, description);
  if (!optional) option.makeOptionMandatory();
  if (kind === 'several') option.argParser((value, earlier: string[] | undefined) => [...(earlier ?? []), ...value.split(',')]);
  // The last one alone would count, and nobody would hear of the first.
  if (kind === 'one')
    option.argParser((value, earlier: string | undefined) => {
      if (earlier !== undefined) throw new UsageError(`${flag}: is given twice.`);
      return value;
    });
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

/** The properties of a field's flag; metadata of the outermost schema wins. */
function readOption(schema: z.ZodType) {
  let optional = false;
  let metadata = meta.parse(schema.meta() ?? {});
  let inner: unknown = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodExactOptional || inner instanceof z.ZodDefault) {
    optional = true;
    inner = inner.unwrap();
    if (inner instanceof z.ZodType) metadata = { ...meta.parse(inner.meta() ?? {}), ...metadata };
  }
  const kind = metadata.several ? 'several' : inner instanceof z.ZodBoolean ? 'switch' : 'one';
  const choices = inner instanceof z.ZodEnum ? inner.options.join('|') : undefined;
  const { description = '', placeholder = choices ?? 'text', positional = false } = metadata;
  return { kind, optional, description, placeholder, positional };
}

/** @throws UsageError naming the first option that is wrong */
function readOptions<O extends Options>(command: Command, options: O): z.output<O> {
  const names = Object.keys(options.shape);
  const positionals = Object.entries(options.shape).filter(([, schema]) => readOption(schema).positional);
  const given = Object.fromEntries(
    positionals.map(([key, schema], index) => [
      key,
      readOption(schema).kind === 'several' ? command.args.slice(index) : command.args[index],
    ]),
  );
  const typed: Record<string, unknown> = { ...command.opts(), ...given };
  const writeOptionName = (key: string) => `${key in given ? '' : '--'}${kebab(key)}`;
  const garbled = names.find((name) => ![typed[name]].flat().every((value) => typeof value !== 'string' || isUtf8(value)));
  if (garbled !== undefined) throw new UsageError(`${writeOptionName(garbled)}: is not written in UTF-8.`);
  const parsed = options.safeParse(typed);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = names.find((name) => name === issue?.path[0]);
  throw new UsageError(`${key && !(key in given) ? '--' : ''}${kebab(key ?? '')}: ${issue ? findRule(issue) : 'is wrong'}.`);
}

/** The rule that an option breaks; of an option that may also be empty, the rule of what it is else. */
function findRule(issue: z.core.$ZodIssue): string {
  const [inner] = issue.code === 'invalid_union' ? (issue.errors.at(-1) ?? []) : [];
  return inner ? findRule(inner) : issue.message;
}

/** The name of an option on the command line, without its dashes. */
export const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
