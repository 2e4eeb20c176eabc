import { Command, CommanderError } from 'commander';
import { type Config, readConfig } from '../config/config.ts';
import { ConfigError, StartError } from '../config/start-errors.ts';
import { VERSION } from '../config/version.ts';
import { KeyringError } from '../database/encryption/keyring.ts';
import { isDatabaseUnreachable, isDiskFull, isReadOnly, isTooSlow } from '../database/errors.ts';
import { Failure } from '../domain/errors.ts';
import { auditCommands } from './audit/audit.ts';
import { exportCommand } from './charts/export.ts';
import { importCommand } from './charts/import.ts';
import { importsCommands } from './charts/imports.ts';
import { legalHoldCommands } from './charts/legal-holds.ts';
import { patientCommands } from './charts/patients.ts';
import { clientCommands } from './clients/clients.ts';
import { requestCommands } from './clients/requests.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { eventCommands } from './events/events.ts';
import { webhookCommands } from './events/webhooks.ts';
import { backupCommands } from './installation/backup.ts';
import { databaseCommands } from './installation/database.ts';
import { demoCommands } from './installation/demo.ts';
import { keyCommands } from './installation/keys.ts';
import { visitCommands } from './people/reassign.ts';
import { userCommands } from './people/users.ts';
import { applyCommand } from './practice-file/apply.ts';
import { exportPracticeCommand } from './practice-file/export-practice.ts';
import { type CommandDeclarer, commandName, createCommandDeclarer, kebab, UsageError } from './terminal/command.ts';
import type { Io } from './terminal/io.ts';
import { operatorName } from './terminal/operator-name.ts';
import type { CommandResult } from './terminal/output.ts';
import { requireMasterKeys, requireMigrated, withSession } from './terminal/session.ts';

/** Several commands in one process share nothing; each reads the environment and joins the database anew. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const keepCode = (answered: number) => {
    code = answered;
  };
  const program = buildProgram(io, keepCode, chooseGroups(argv));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, io);
  }
}

const USAGE = 2;

type CommandGroup = (program: Command, declare: CommandDeclarer, io: Io) => void;

const GROUPS: ReadonlyMap<string, CommandGroup> = new Map([
  ['apply', applyCommand],
  ['export-practice', exportPracticeCommand],
  ['users', userCommands],
  ['patients', patientCommands],
  ['visits', visitCommands],
  ['import', importCommand],
  ['imports', importsCommands],
  ['legal-holds', legalHoldCommands],
  ['clients', clientCommands],
  ['requests', requestCommands],
  ['keys', keyCommands],
  ['audit', auditCommands],
  ['events', eventCommands],
  ['webhooks', webhookCommands],
  ['export', exportCommand],
  ['database', databaseCommands],
  ['doctor', doctorCommand],
  ['backup', backupCommands],
  ['demo', demoCommands],
]);

/** A command needs its own noun and no other; the declarations of all take longer than most commands. Help and mistakes need all. */
function chooseGroups(argv: readonly string[]): Iterable<CommandGroup> {
  const [word = ''] = argv.filter(
    (one, index) => !['--json', '--as'].includes(one) && !one.startsWith('--as=') && argv[index - 1] !== '--as',
  );
  const noun = GROUPS.get(word);
  return noun ? [noun] : GROUPS.values();
}

/** The whole command line, or those groups of it. Each noun declares its own part. */
export function buildProgram(io: Io, ended: (code: number) => void = () => {}, groups: Iterable<CommandGroup> = GROUPS.values()): Command {
  const program = new Command('npm run admin --')
    .description('Administers Triptych. Uses the server’s database; the server need not be running.')
    .version(VERSION, '--version', 'print the version')
    .option('--json', 'print only JSON to stdout')
    .option('--as <name>', 'your name for the audit (default: TRIPTYCH_OPERATOR; required in production)')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('Add --help to see its options.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: io.stdout,
      writeErr: io.stderr,
      getOutHelpWidth: () => 110,
      getErrHelpWidth: () => 110,
      outputError: (message, write) => write(message.replace(/^error: /, '')),
    })
    .exitOverride();
  const finish = (command: Command, answer: CommandResult) => ended(print(answer, command.optsWithGlobals().json === true, io));
  const declare = createCommandDeclarer({
    async onDatabase(command, work, { unmigrated, keys }) {
      const config = readEnvironment(io);
      const answer = await withSession(
        config,
        { command: commandName(command), operatorName: operatorName(command.optsWithGlobals().as, config) },
        async (session) => {
          if (!unmigrated) await requireMigrated(session);
          if (keys !== 'none') await requireMasterKeys(session, keys);
          return work(session);
        },
        io.database,
      );
      finish(command, answer);
    },
    async offline(command, work) {
      finish(command, await work(readEnvironment(io)));
    },
    async withoutConfig(command, work) {
      finish(command, await work());
    },
  });
  for (const declareNoun of groups) declareNoun(program, declare, io);
  return program;
}

const readEnvironment = (io: Io): Config => readConfig(io.env);

function print({ json, text, remark, problem, exitCode }: CommandResult, asJson: boolean, io: Io): number {
  io.stdout(`${asJson ? JSON.stringify(json, null, 2) : text}\n`);
  if (remark !== undefined && asJson) io.stderr(`${remark}\n`);
  if (remark !== undefined && !asJson) io.stdout(`\n${remark}\n`);
  if (problem !== undefined) io.stderr(`${problem}\n`);
  return exitCode ?? (problem === undefined ? 0 : 1);
}

function explain(error: unknown, io: Io): number {
  // Commander has printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  io.stderr(`${sentence(error)}\n`);
  return error instanceof UsageError ? USAGE : 1;
}

function sentence(error: unknown): string {
  if (error instanceof Failure) return inOptions(error);
  if (error instanceof UsageError) return error.message;
  if (error instanceof ConfigError) return `The environment is invalid: ${error.message.replaceAll('\n', '; ').replace(/\.$/, '')}.`;
  if (error instanceof StartError) return oneLine(error.message);
  if (error instanceof KeyringError) return `MASTER_KEYS are not those of this database: ${error.message}.`;
  if (isDiskFull(error)) return 'The disk is full. Nothing was changed.';
  if (isReadOnly(error)) return 'The database refuses writes: it is a standby, or default_transaction_read_only is on.';
  if (isTooSlow(error)) return 'The database took too long.';
  if (isDatabaseUnreachable(error)) return 'The database cannot be reached.';
  return `Failed: ${oneLine(error instanceof Error ? error.message : String(error))}`;
}

/** Options of fields that the domain names otherwise; every other option is called as its field. */
const OPTIONS: Readonly<Record<string, string>> = {
  primaryProviderId: 'provider',
  primaryOfficeId: 'office',
  officeId: 'office',
  locationId: 'location',
  scopes: 'scope',
  organizations: 'practice',
  options: 'option',
  isGlobal: 'global',
};

/** A failure's message, with its fields named as options. The id of a record is given by the name of its kind. */
const inOptions = ({ message, code, issues }: Failure): string =>
  issues.reduce((text, { field }) => {
    const kind = field === 'id' ? code.replace(/_not_found$/, '').replaceAll('_', '-') : kebab(OPTIONS[field] ?? field);
    return text.replaceAll(`${field}:`, () => `${kind}:`);
  }, message);

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
