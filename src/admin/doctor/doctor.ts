import type { Command } from 'commander';
import { z } from 'zod';
import { type Config, readConfig } from '../../config/config.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import type { CommandResult } from '../terminal/output.ts';
import { withSession } from '../terminal/session.ts';
import { BACKUP_CHECK } from './backup-check.ts';
import { configurationResult, KEY_CHECK } from './configuration-checks.ts';
import { CHART_CHECK, SURVEY_CHECK, ZONE_CHECK } from './data-checks.ts';
import { type Check, describeInOneLine, type Finding, fail, type Result, type State } from './finding.ts';
import { OUTSIDE_CHECKS, PROXY_CHECK, SENDING_CHECKS } from './outside-checks.ts';
import { REPLICATION_CHECKS } from './replication-checks.ts';
import { SCHEMA_CHECKS } from './schema-checks.ts';
import { LOG_PARTITIONS_CHECK, STORAGE_CHECKS } from './storage-checks.ts';
import { WORK_CHECKS } from './work-checks.ts';

/** Milliseconds for one check. */
const CHECK_MS = 20_000;

const DATABASE_CHECKS = [
  ...SCHEMA_CHECKS,
  KEY_CHECK,
  ...STORAGE_CHECKS,
  LOG_PARTITIONS_CHECK,
  ...REPLICATION_CHECKS,
  ...WORK_CHECKS,
  PROXY_CHECK,
  BACKUP_CHECK,
  ...SENDING_CHECKS,
  CHART_CHECK,
  ZONE_CHECK,
  SURVEY_CHECK,
];
/** After a failure of one of these, the other checks of the database are left out: they could not say more. */
const FIRST_OF_ALL: readonly string[] = ['database', 'migrations', 'roles'];
const CONFIGURATION = 'configuration';
const NAMES = [CONFIGURATION, ...DATABASE_CHECKS.map(({ name }) => name), ...OUTSIDE_CHECKS.map(({ name }) => name)];

const EXIT_CODES: Readonly<Record<State, number>> = { ok: 0, warn: 1, fail: 2 };
const WORST_FIRST: readonly State[] = ['fail', 'warn', 'ok'];

export function doctorCommand(program: Command, { withoutConfig }: CommandDeclarer, io: Io): void {
  withoutConfig(program, 'doctor', {
    summary: 'Check configuration, keys, database, disk, queue, audit and outside services',
    details: 'Exit code 0: no problems; 1: warnings; 2: failures. Changes nothing and sends nothing.',
    options: z.object({
      only: z
        .array(z.enum(NAMES, `must be one of: ${NAMES.join(', ')}`))
        .default([])
        .meta({ placeholder: 'check', several: true })
        .describe(`run only this check: one of ${NAMES.join(', ')}; may be repeated`),
    }),
    run: async ({ only }) => {
      const show = program.opts().json === true ? () => {} : (finding: Finding) => io.stdout(`${writeFinding(finding)}\n`);
      return verdict(await examine(io, only, show));
    },
  });
}

/** Those that say whether a database holds what it should, and can be served. */
const CONTENT = ['database', 'migrations', 'roles', 'extensions', 'keys', 'audit chains', 'charts', 'files'];

/**
 * Looks at a database that has just been restored, in lines.
 * @param io the environment of a server on it
 * @param report gets each line
 * @returns a sentence for each check that failed
 */
export async function examineRestored(io: Io, report: (line: string) => void): Promise<string[]> {
  const findings = await examine(io, CONTENT, (finding) => report(writeFinding(finding)));
  return findings.filter(({ state }) => state === 'fail').map(({ check, found }) => `${check}: ${found}`);
}

/** Makes the checks, one after the other. @param only names of those to make; none: all @param show gets each finding as it is made */
async function examine(io: Io, only: readonly string[], show: (finding: Finding) => void): Promise<Finding[]> {
  const isWanted = (name: string) => only.length === 0 || only.includes(name);
  const findings: Finding[] = [];
  const keep = (check: string, result: Result): Result => {
    const finding = { check, ...result };
    findings.push(finding);
    show(finding);
    return result;
  };
  const { config, result } = configurationResult(() => readConfig(io.env));
  if (isWanted(CONFIGURATION) || config === null) keep(CONFIGURATION, result);
  if (config === null) return findings;
  const wanted = DATABASE_CHECKS.filter(({ name }) => isWanted(name));
  if (wanted.length > 0) await examineDatabase({ config, io, wanted, keep });
  for (const check of OUTSIDE_CHECKS.filter(({ name }) => isWanted(name))) keep(check.name, await make(check, config));
  return findings;
}

interface DatabaseExamination {
  config: Config;
  io: Io;
  wanted: typeof DATABASE_CHECKS;
  keep: (check: string, result: Result) => Result;
}

async function examineDatabase({ config, io, wanted, keep }: DatabaseExamination): Promise<void> {
  const begin = { command: 'admin doctor', operatorName: 'doctor' };
  try {
    await withSession(
      config,
      begin,
      async (session) => {
        for (const check of wanted) {
          const { state } = keep(check.name, await make(check, session));
          if (state === 'fail' && FIRST_OF_ALL.includes(check.name)) return;
        }
      },
      io.database,
    );
  } catch (error) {
    keep('database', fail(describeInOneLine(error), 'Check that it is running, and that DATABASE_URL or DATA_DIR points to it.'));
  }
}

async function make<Subject>({ look }: Check<Subject>, subject: Subject): Promise<Result> {
  const { promise: late, resolve } = Promise.withResolvers<Result>();
  const timer = setTimeout(
    () => resolve(fail(`no result within ${CHECK_MS / 1_000} s`, 'See the log of the service it checks.')),
    CHECK_MS,
  );
  const looking = look(subject).catch((error: unknown) => fail(`the check failed: ${describeInOneLine(error)}`, 'See the checks above.'));
  try {
    return await Promise.race([looking, late]);
  } finally {
    clearTimeout(timer);
  }
}

const [STATE_WIDTH, NAME_WIDTH] = [4, Math.max(...NAMES.map(({ length }) => length))];

function writeFinding({ state, check, found, advice }: Finding): string {
  const line = `${state.padEnd(STATE_WIDTH)}  ${check.padEnd(NAME_WIDTH)}  ${found}`;
  return advice === null ? line : `${line}\n${' '.repeat(STATE_WIDTH + NAME_WIDTH + 4)}${advice}`;
}

function verdict(findings: readonly Finding[]): CommandResult {
  const worst = WORST_FIRST.find((state) => findings.some((finding) => finding.state === state)) ?? 'ok';
  const count = (state: State) => findings.filter((finding) => finding.state === state).length;
  const text = worst === 'ok' ? '\nAll is well.' : `\n${count('fail')} failed, ${count('warn')} to look at, ${count('ok')} well.`;
  return { json: { state: worst, checks: findings }, text, exitCode: EXIT_CODES[worst] };
}
