import { join } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** A tenth of the data. */
  quick: boolean;
  /** Also the tools that a team would pick instead. */
  peers: boolean;
  /** Only workloads whose names contain this, or one of several texts with commas between them. */
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
  /** Ratios to the floor by processor time, of a tenth of the data: kept as those of a release, or compared with them. */
  release: 'write' | 'compare' | null;
  /** This server on databases of several sizes, and stop. */
  growth: boolean;
  /** The mix for so many `minutes`, and what the server still holds. */
  soak: boolean;
  /** One server process beside two, and stop. */
  processes: boolean;
  /** By how much the audit grows with reads of one chart, and stop. */
  audit: boolean;
  /** The mix alone and beside a command, and stop. */
  beside: 'backup' | 'import' | null;
  /** That backup without pauses. */
  fullSpeed: boolean;
  /** Many clients, a burst of them, and a practice that takes more than its part, and stop. */
  pressure: boolean;
  /** Signals between processes, through PostgreSQL, and stop. */
  signals: boolean;
  minutes: number;
  /** A folder for CPU profiles of both servers; null for none. */
  profile: string | null;
  /** The folder of the databases. */
  folder: string;
}

const USAGE = `npm run bench -- [options]
  --quick              a tenth of the data
  --without-peers      only the floor and this server
  --only <text>        only workloads whose names contain it, or one of several texts with commas between them
  --seconds <n>        length of one measurement (3; 0.3 with --quick)
  --repetitions <n>    measurements of each server for one workload (5; 3 with --quick)
  --memory <n>         requests in a row for the memory rows (200; 10 with --quick; 0 for none)
  --plans              show the plans of the server's statements, and stop
  --data-only          make the data, and stop
  --compare-only       compare the answers of the servers, and stop
  --against-release    three rounds of a tenth of the data: which workloads cost more by a twentieth than at the last release
  --release            the same, kept as the figures of a release
  --growth             100,000, 1,000,000 and 10,000,000 patients: what grows with the table (--quick: the smallest alone)
  --processes          the mix with one server process and with two, and what a request costs each
  --audit              10,000 reads of one chart: what they add to the audit and to the write-ahead log
  --backup             the mix with and without a backup beside it, in pairs (with --full-speed: one without pauses)
  --import             the same with an import of charts beside it
  --signals            signals of video rooms through PostgreSQL, at rates that rise until one is too high
  --pressure           500 clients of ten practices, a burst, and a practice that takes more than its part (--seconds: of each phase, 60)
  --soak               the mix for a while: whether memory, connections and open files stay level
  --minutes <n>        of it (10)
  --profile <folder>   write a CPU profile of each server there
  --folder <folder>    where the databases are kept (.bench)`;

const WHOLE = { seconds: '3', repetitions: '5', memory: '200' };
const MINUTE = { ...WHOLE, seconds: '60' };
/** All workloads of all servers in less than eight minutes. */
const QUICK = { seconds: '0.3', repetitions: '3', memory: '10' };
/** Processor time is counted in hundredths of a second for each process. */
const ROUNDS = { seconds: '1', repetitions: '3', memory: '0' };

export class UsageError extends Error {}

export function readOptions(args: readonly string[]): Options {
  const { values } = parse(args);
  if (values.help) throw new UsageError(USAGE);
  const release = values.release ? 'write' : values['against-release'] ? 'compare' : null;
  const usual = values.pressure ? MINUTE : release ? ROUNDS : values.quick ? QUICK : WHOLE;
  const memory = values.memory ?? usual.memory;
  return {
    quick: values.quick || values.pressure || release !== null,
    peers: !values['without-peers'] && release === null,
    only: values.only ?? null,
    seconds: positive('seconds', values.seconds ?? usual.seconds),
    repetitions: positive('repetitions', values.repetitions ?? usual.repetitions),
    memoryRequests: memory === '0' ? 0 : positive('memory', memory),
    plans: values.plans,
    dataOnly: values['data-only'],
    compareOnly: values['compare-only'],
    release,
    growth: values.growth,
    soak: values.soak,
    processes: values.processes,
    audit: values.audit,
    beside: values.backup ? 'backup' : values.import ? 'import' : null,
    fullSpeed: values['full-speed'],
    signals: values.signals,
    pressure: values.pressure,
    minutes: positive('minutes', values.minutes),
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
        'without-peers': { type: 'boolean', default: false },
        only: { type: 'string' },
        seconds: { type: 'string' },
        repetitions: { type: 'string' },
        memory: { type: 'string' },
        plans: { type: 'boolean', default: false },
        'data-only': { type: 'boolean', default: false },
        'compare-only': { type: 'boolean', default: false },
        'against-release': { type: 'boolean', default: false },
        release: { type: 'boolean', default: false },
        growth: { type: 'boolean', default: false },
        soak: { type: 'boolean', default: false },
        processes: { type: 'boolean', default: false },
        audit: { type: 'boolean', default: false },
        backup: { type: 'boolean', default: false },
        import: { type: 'boolean', default: false },
        'full-speed': { type: 'boolean', default: false },
        signals: { type: 'boolean', default: false },
        pressure: { type: 'boolean', default: false },
        minutes: { type: 'string', default: '10' },
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
