import type { Done, FilePlan } from '../../practice-file/apply.ts';
import { KINDS } from '../../practice-file/kinds/index.ts';
import type { Step } from '../../practice-file/planned.ts';
import { renameMembers, snake } from '../../practice-file/yaml-source.ts';
import { printable } from '../terminal/output.ts';

const MARKS = { add: '+', change: '~', remove: '-' } as const;
const DONE = { add: 'added', change: 'changed', remove: 'removed' } as const;

const oneOf = (name: string): string => KINDS.find((kind) => kind.name === name)?.one ?? name;
const called = ({ kind, name }: Pick<Step, 'kind' | 'name'>): string =>
  name === oneOf(kind) || name === '' ? oneOf(kind) : `${oneOf(kind)} ${shown(name)}`;

/** A plan for people: each item, and each of its fields before and after. */
export function writePlan(file: string, organizationId: number | null, { steps }: FilePlan): string {
  const practice = organizationId === null ? 'a new practice' : `practice ${organizationId}`;
  if (steps.length === 0) return `${file}: ${practice} is as the file says. Nothing to change.`;
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  const sum = `${count('add')} to add, ${count('change')} to change, ${count('remove')} to remove.`;
  return [`${file}: ${practice}`, ...steps.flatMap(linesOf), sum].join('\n');
}

function linesOf(step: Step): string[] {
  const fields = step.changes.map(({ field, before, after }) => {
    const values = step.action === 'add' ? shown(after) : `${shown(before)} → ${shown(after)}`;
    return `      ${snake(field)}: ${values}`;
  });
  const key = step.key === null ? [] : [`      key: ${shown(step.key)}`];
  return [`  ${MARKS[step.action]} ${called(step)}`, ...key, ...fields];
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return printable(JSON.stringify(renameMembers(value, snake)));
}

/** The steps that were taken, with ids and new secrets. */
export function writeDone(file: string, done: readonly Done[]): string {
  if (done.length === 0) return `${file}: nothing to change.`;
  const lines = done.map(({ step, id, secret }) => `  ${DONE[step.action]} ${called(step)} (${id})${secret === null ? '' : `: ${secret}`}`);
  return [`${file}:`, ...lines].join('\n');
}
