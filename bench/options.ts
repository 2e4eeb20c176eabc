import { join } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** A tenth of the data. */
  quick: boolean;
  /** Also 100,000 patients in each of nine other practices. */
  full: boolean;
  /** Only workloads whose names contain this. */
  only: string | null;
  /** Of one measurement. */
  seconds: number;
  /** Measurements of each server for one workload. */
  repetitions: number;
  /** Requests in a row for the memory row; 0 leaves it out. */
  memoryRequests: number;
  /** Show the plans of the server's statements and stop. */
  plans: boolean;
  /** Make the data and stop. */
  dataOnly: boolean;
  /** Compare the answers and stop. */
  compareOnly: boolean;
  /** A folder for CPU profiles of both servers; null for none. */
  profile: string | null;
  /** Where the databases are kept. */
  folder: string;
}

const USAGE = `npm run bench -- [options]
  --quick              a tenth of the data
  --full               also 100,000 patients in each of nine other practices
  --only <text>        only workloads whose names contain it
  --seconds <n>        length of one measurement (3)
  --repetitions <n>    measurements of each server for one workload (5)
  --memory <n>         requests in a row for the memory row (200; 0 for none)
  --plans              show the plans of the server's statements, and stop
  --data-only          make the data, and stop
  --compare-only       compare the answers of the two servers, and stop
  --profile <folder>   write a CPU profile of both servers there
  --folder <folder>    where the databases are kept (.bench)`;

export class UsageError extends Error {}

export function readOptions(args: readonly string[]): Options {
  const { values } = parse(args);
  if (values.help) throw new UsageError(USAGE);
  return {
    quick: values.quick,
    full: values.full,
    only: values.only ?? null,
    seconds: positive('seconds', values.seconds),
    repetitions: positive('repetitions', values.repetitions),
    memoryRequests: values.memory === '0' ? 0 : positive('memory', values.memory),
    plans: values.plans,
    dataOnly: values['data-only'],
    compareOnly: values['compare-only'],
    profile: values.profile ?? null,
    folder: values.folder ?? join(import.meta.dirname, '..', '.bench'),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        only: { type: 'string' },
        seconds: { type: 'string', default: '3' },
        repetitions: { type: 'string', default: '5' },
        memory: { type: 'string', default: '200' },
        plans: { type: 'boolean', default: false },
        'data-only': { type: 'boolean', default: false },
        'compare-only': { type: 'boolean', default: false },
        profile: { type: 'string' },
        folder: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new UsageError(`--${name} must be a number above 0`);
  return number;
}
