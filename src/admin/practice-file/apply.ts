import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import { operator } from '../../domain/caller.ts';
import { conflict, Failure } from '../../domain/errors.ts';
import { emptyJournal } from '../../domain/journal.ts';
import { allocateOrganizationId } from '../../domain/practices/organizations.ts';
import { type Tx, txOf } from '../../domain/tx.ts';
import { runAndRollBack } from '../../domain/unit-of-work/dry-run.ts';
import { applyPlan, type Done, type FilePlan, type PracticeFile, planFile, StepFailure } from '../../practice-file/apply.ts';
import { readPracticeFile } from '../../practice-file/document.ts';
import type { FileServices, Reading } from '../../practice-file/kind.ts';
import { KINDS } from '../../practice-file/kinds/index.ts';
import type { Step } from '../../practice-file/planned.ts';
import { parseSource, readSource, renameMembers, type Source, snake } from '../../practice-file/yaml-source.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { type Io, readInput } from '../terminal/io.ts';
import { text } from '../terminal/options.ts';
import { type CommandResult, printable } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { confirm, writeAppointmentsLeft } from './before-applying.ts';
import { fileServices } from './file-services.ts';
import { openSecretsFile, type SecretsFile } from './secrets-file.ts';

/** A file, compared with the record of its practice. */
interface Planned {
  source: Source;
  file: PracticeFile;
  /** Null for a practice that is to be made. */
  organizationId: number | null;
  plan: FilePlan;
}

const options = z.object({
  files: z.array(text(1_000)).min(1).meta({ positional: true, several: true }).describe('files, one per practice; - for standard input'),
  yes: z.boolean().default(false).describe('apply the plan without asking'),
  plan: z.boolean().default(false).describe('print the plan, and change nothing'),
  secretsTo: text(1_000).exactOptional().meta({ placeholder: 'file' }).describe('a new file for new secrets, readable only by you'),
});

export function applyCommand(program: Command, { command }: CommandDeclarer, io: Io): void {
  command(program, 'apply', {
    summary: 'Create or update practices from their files',
    details:
      'Prints the additions, changes and removals, asks for confirmation, and applies each file in one transaction. Settings that a file omits stay unchanged. docs/administration.md describes the file; docs/practice.schema.json is its schema.',
    options,
    run: (session, given) => apply(session, given, io),
  });
}

async function apply(
  session: Session,
  { files, yes, plan: planOnly, secretsTo }: z.output<typeof options>,
  io: Io,
): Promise<CommandResult> {
  const planned: Planned[] = [];
  for (const file of files) {
    const source = file === '-' ? parseSource('standard input', await readInput(io)) : await readSource(file);
    planned.push(await planOne(session, source, planned));
  }
  const texts = planned.map(async (one) => [
    writePlan(one.source.file, one.organizationId, one.plan),
    ...(await writeAppointmentsLeft(session.db, one)),
  ]);
  const plans = (await Promise.all(texts)).flat().join('\n');
  const changing = planned.filter(({ plan }) => plan.steps.length > 0);
  if (planOnly)
    for (const one of changing)
      await applyOne(session, one, [], runAndRollBack).catch((error: unknown) => {
        io.stderr(`${plans}\n`);
        throw error;
      });
  if (planOnly || changing.length === 0) return { json: { practices: planned.map((one) => toJson(one, [])) }, text: plans };
  io.stderr(`${plans}\n`);
  if (!yes) await confirm(io);
  const secrets = secretsTo === undefined ? null : await openSecretsFile(secretsTo);
  try {
    const done: object[] = [];
    const lines: string[] = [];
    for (const one of planned) {
      const made = one.plan.steps.length === 0 ? [] : await applyOne(session, one, lines);
      await secrets?.add(one.source.file, made);
      const shown = secrets === null ? made : made.map((each) => ({ ...each, secret: null }));
      done.push(toJson({ ...one, organizationId: practiceIn(made) ?? one.organizationId }, shown));
      lines.push(writeDone(one.source.file, shown));
    }
    return toResult(done, lines, secrets);
  } finally {
    await secrets?.close();
  }
}

function toResult(practices: object[], lines: readonly string[], secrets: SecretsFile | null): CommandResult {
  const shown = lines.some((line) => line.includes('secret'));
  const remark = secrets?.isUsed
    ? `New secrets are in ${secrets.path}.`
    : shown
      ? 'Keep the secrets now: they will not be shown again.'
      : null;
  return { json: { practices }, text: lines.join('\n'), ...(remark === null ? {} : { remark }) };
}

const practiceIn = (done: readonly Done[]): number | null => done.find(({ step }) => step.kind === 'practice')?.id ?? null;

function toJson({ source, organizationId, plan }: Planned, done: readonly Done[]): object {
  return {
    file: source.file,
    practice_id: organizationId,
    plan: plan.steps.map(({ kind, action, id, name, key, changes }) => ({ kind, action, id, name, key, changes })),
    made: done.map(({ step, id, secret }) => ({
      kind: step.kind,
      action: step.action,
      id,
      name: step.name,
      ...(secret === null ? {} : { secret }),
    })),
  };
}

async function planOne(session: Session, source: Source, earlier: readonly Planned[]): Promise<Planned> {
  const file = readPracticeFile(source, KINDS);
  const organizationId = await findPractice(session.db, source, file);
  const isTwice = earlier.some(
    (one) => (organizationId !== null && one.organizationId === organizationId) || (file.key !== undefined && one.file.key === file.key),
  );
  if (isTwice) throw source.failure([{ path: ['key'], message: 'is also in another file. Use one file per practice.' }]);
  const caller = { ...operator(organizationId ?? 0, 'admin apply', session.operatorName), journal: emptyJournal() };
  const plan = await planFile(toReading(session, txOf(session.db, caller), file), KINDS, file).catch((error: unknown) => {
    throw error instanceof Failure ? source.failure(error.issues.map(({ field, message }) => ({ path: [field], message }))) : error;
  });
  if (plan.problems.length > 0) throw source.failure(plan.problems);
  return { source, file, organizationId, plan };
}

const toReading = (session: Session, tx: Tx, { folder }: PracticeFile, services: FileServices = fileServices(session)): Reading => ({
  tx,
  folder,
  services,
});

/** @throws Failure where the id is that of no practice, or of another one than the key */
async function findPractice(db: Db, source: Source, { key, practiceId }: PracticeFile): Promise<number | null> {
  const keyed = key === undefined ? null : await db.organization.findUnique({ where: { key }, select: { id: true } });
  if (practiceId === undefined) return keyed?.id ?? null;
  const found = await db.organization.findUnique({ where: { id: practiceId }, select: { id: true } });
  if (!found) throw source.failure([{ path: ['practiceid'], message: 'There is no such practice.' }]);
  if (keyed && keyed.id !== practiceId) throw source.failure([{ path: ['key'], message: `is that of practice ${keyed.id}.` }]);
  return practiceId;
}

/** One transaction, in which the plan is made again: it must be the one that was shown. */
async function applyOne(
  session: Session,
  { source, file, organizationId, plan }: Planned,
  earlier: readonly string[],
  run: typeof runAndRollBack = (_tx, work) => work(),
): Promise<Done[]> {
  const id = organizationId ?? (await allocateOrganizationId(session.db));
  const others = await listSharingPractices(session, id, plan);
  const services = await fileServices(session).askForPlan(plan, id);
  try {
    return await session.writeEach([id, ...others], async (db, [caller, ...callers]) => {
      if (!caller) throw new RangeError('the practice has no caller');
      await db.$queryRaw`SELECT id FROM organization WHERE id = ${id} FOR NO KEY UPDATE`;
      const tx = txOf(db, caller);
      const reading = toReading(session, tx, file, services);
      const now = await planFile(reading, KINDS, file);
      if (organizationId !== null && !isDeepStrictEqual(now.steps, plan.steps))
        throw conflict('changed_meanwhile', `${source.file}: The practice was changed meanwhile. Run the command again.`);
      return run(tx, () => applyPlan(reading, KINDS, now, new Map(callers.map((one) => [one.organizationId, one]))));
    });
  } catch (error) {
    const failure = error instanceof StepFailure ? placeFailure(source, error) : error;
    if (failure instanceof Failure && earlier.length > 0)
      throw new Failure(failure.kind, failure.code, `${failure.message}\nApplied before:\n${earlier.join('\n')}`);
    throw failure;
  }
}

const placeFailure = (source: Source, { step, failure }: StepFailure): Failure => {
  const [issue] = failure.issues;
  const isField = issue && step.changes.some(({ field }) => field === issue.field.split('.')[0]);
  const path = isField ? [...step.path, ...issue.field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))] : step.path;
  return source.failure([{ path, message: isField ? issue.message : `${step.name}: ${failure.message}` }]);
};

/** The other practices that are told of changes of what they share. */
async function listSharingPractices(session: Session, organizationId: number, { steps }: FilePlan): Promise<number[]> {
  const tx = txOf(session.db, { ...operator(organizationId, 'admin apply', session.operatorName), journal: emptyJournal() });
  const ids = new Set<number>();
  for (const { kind: name, id } of steps) {
    const kind = KINDS.find((one) => one.name === name);
    if (!kind?.sharedWith || id === null) continue;
    for (const other of await kind.sharedWith({ tx, folder: '', services: fileServices(session) }, id)) ids.add(other);
  }
  return [...ids];
}

const MARKS = { add: '+', change: '~', remove: '-' } as const;
const DONE = { add: 'added', change: 'changed', remove: 'removed' } as const;

const findSingular = (name: string): string => KINDS.find((kind) => kind.name === name)?.one ?? name;
const nameStep = ({ kind, name }: Pick<Step, 'kind' | 'name'>): string =>
  name === findSingular(kind) || name === '' ? findSingular(kind) : `${findSingular(kind)} ${writeFieldValue(name)}`;

/** A plan for people: each item, and each of its fields before and after. */
function writePlan(file: string, organizationId: number | null, { steps }: FilePlan): string {
  const practice = organizationId === null ? 'a new practice' : `practice ${organizationId}`;
  if (steps.length === 0) return `${file}: ${practice} matches the file. Nothing to change.`;
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  const sum = `${count('add')} to add, ${count('change')} to change, ${count('remove')} to remove.`;
  return [`${file}: ${practice}`, ...steps.flatMap(writeStepLines), sum].join('\n');
}

function writeStepLines(step: Step): string[] {
  const fields = step.changes.map(({ field, before, after }) => {
    const values = step.action === 'add' ? writeFieldValue(after) : `${writeFieldValue(before)} → ${writeFieldValue(after)}`;
    return `      ${snake(field)}: ${values}`;
  });
  const key = step.key === null ? [] : [`      key: ${writeFieldValue(step.key)}`];
  return [`  ${MARKS[step.action]} ${nameStep(step)}`, ...key, ...fields];
}

function writeFieldValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return printable(JSON.stringify(renameMembers(value, snake)));
}

/** The steps that were taken, with ids and new secrets. */
function writeDone(file: string, done: readonly Done[]): string {
  if (done.length === 0) return `${file}: nothing to change.`;
  const lines = done.map(
    ({ step, id, secret }) => `  ${DONE[step.action]} ${nameStep(step)} (${id})${secret === null ? '' : `: ${secret}`}`,
  );
  return [`${file}:`, ...lines].join('\n');
}
