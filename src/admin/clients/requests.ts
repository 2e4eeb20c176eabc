import type { Command } from 'commander';
import { z } from 'zod';
import { type StoredRequest, searchRequests } from '../../domain/identity/clients/client-requests.ts';
import { fromRequest } from '../../http/wire/client-requests.ts';
import { pause } from '../../jobs/queue/pause.ts';
import { chooseOrDemo, demoPractice } from '../installation/demo-practice.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { untilInterrupted } from '../terminal/interruption.ts';
import type { Io } from '../terminal/io.ts';
import { count, text } from '../terminal/options.ts';
import { type CommandResult, printable, record } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

/** Milliseconds between two looks. */
const POLL_MS = 500;
/** Requests are stored up to so long after their arrival, not in its order: each look goes back so far. */
const LATE_MS = 15_000;
/** Requests that one look shows. */
const MOST = 1_000;

const options = z.object({
  practice: demoPractice(),
  client: text(100)
    .exactOptional()
    .meta({ placeholder: 'client' })
    .describe('only this client, by its client_id or its id in the practice'),
  code: text(100).exactOptional().meta({ placeholder: 'code' }).describe('only failures with this error code'),
  failures: z.boolean().default(false).describe('only requests that failed'),
  last: count(1, 1_000).default(10).describe('number of past requests to show first (default: 10)'),
});

/** Requests of API clients, for an operator who helps an integrator. */
export function requestCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const requests = program
    .command('requests')
    .description('Requests of API clients in the last seven days: names and codes, never values.');
  command(requests, 'tail', {
    summary: 'Show the requests of the clients of a practice as they are answered',
    details: 'The rows of GET /platform/v1/requests, oldest first. With --json each is a line of JSON. Stop with Ctrl-C.',
    options,
    run: (session, given) => tail(session, { ...io, asJson: requests.optsWithGlobals().json === true }, given),
  });
}

async function tail(
  session: Session,
  { asJson, ...io }: Io & { asJson: boolean },
  { practice, client, code, failures, last }: z.output<typeof options>,
): Promise<CommandResult> {
  const organizationId = await chooseOrDemo(session, practice);
  const stopping = io.stopping ?? untilInterrupted();
  const status = failures ? ([400, 599] as const) : undefined;
  const find = async (from: Date | null) => {
    const search = { client, code, status, limit: MOST, range: { from, before: null } };
    return (await session.read(organizationId, (tx) => searchRequests(tx, search))).requests.toReversed();
  };
  let shown = new Set<number>();
  io.stderr(`Requests of practice ${organizationId}. Stop with Ctrl-C.\n`);
  let total = 0;
  for (let from: Date | null = null; !stopping.aborted; from = new Date(Date.now() - LATE_MS)) {
    const found = await find(from);
    const fresh = from === null ? found.slice(-last) : found.filter(({ id }) => !shown.has(id));
    for (const request of fresh) io.stdout(`${asJson ? JSON.stringify(fromRequest(request)) : writeLine(request)}\n`);
    total += fresh.length;
    shown = new Set(found.map(({ id }) => id));
    await pause(POLL_MS, stopping);
  }
  return record({ practice_id: organizationId, requests: total });
}

function writeLine(request: StoredRequest): string {
  const { at, client_id, status, operation, latency_ms, request_id, code, fields, warning_fields } = fromRequest(request);
  const failed = [code ?? '', ...fields].filter(Boolean).join(' ');
  const ignored = warning_fields.length > 0 ? `ignored ${warning_fields.join(' ')}` : '';
  return [at, client_id, String(status), operation, `${latency_ms} ms`, request_id, failed, ignored]
    .filter(Boolean)
    .map(printable)
    .join('  ');
}
