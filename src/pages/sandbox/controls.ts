import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { preparedIn } from '../../database/statements/statement.ts';
import { notFound } from '../../domain/errors.ts';
import { advanceClock } from '../../domain/messaging/sandbox/test-clock.ts';
import { followTestPractices, moveTestClock, setTestFaults } from '../../domain/practices/test-practices.ts';
import type { Tx } from '../../domain/tx.ts';
import { type Faults, findAheadMs, findFaults, nowIn } from '../../domain/values/test-practices.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { Authenticator } from '../../http/auth/authenticate.ts';
import { readInput } from '../../http/input/input.ts';
import { hasSandbox, isSandboxOpen } from './sandbox-access.ts';
import type { SandboxDeps } from './sandbox-deps.ts';
import { sandboxCaller } from './shared-parts.ts';

const SECONDS = { m: 60, h: 3_600, d: 86_400 } as const;
const MOST_DAYS = 400;

const ADVANCE = 'must be a time of at most 400 days, such as 30m, 14h or 7d';
const Clock = z.strictObject({
  advance: z
    .string(ADVANCE)
    .regex(/^\d{1,6}[mhd]$/, ADVANCE)
    .transform((written) => Number.parseInt(written, 10) * (SECONDS[z.enum(['m', 'h', 'd']).parse(written.slice(-1))] ?? 0))
    .refine((seconds) => seconds > 0 && seconds <= MOST_DAYS * SECONDS.d, ADVANCE)
    .optional(),
  reset: z.literal(true, 'must be true').optional(),
});

const FaultsShape = z.strictObject({
  carrier: z.enum(['refuse', 'unreachable'], 'must be refuse, unreachable or null').nullable().default(null),
  mail: z.literal('bounce', 'must be bounce or null').nullable().default(null),
  webhook_delay_ms: z
    .int('must be an integer from 0 to 60000')
    .min(0)
    .max(60_000, 'must be an integer from 0 to 60000')
    .nullable()
    .default(0),
  unavailable: z
    .strictObject({
      client: z.string('must be the client_id of an API client').min(1),
      rate: z.number('must be from 0 to 1').min(0).max(1),
    })
    .nullable()
    .default(null),
});

export type ControlDeps = SandboxDeps & { authenticator: Authenticator };

/**
 * The clock and the faults of the test practices, by which an integrator tests a year in a minute: from this machine for all of them, and for
 * an administrator of one with a token for that. Both last until they are set again.
 */
export async function sandboxControls(app: FastifyInstance, deps: ControlDeps): Promise<void> {
  if (!hasSandbox(deps)) return;
  app.post('/sandbox/clock', async (request) => {
    const practices = await listPractices(deps, request);
    const { advance, reset } = readInput(Clock, request.body ?? {});
    await setForEach(deps, request, practices, async (tx) => {
      if (reset) await moveTestClock(tx, null);
      if (advance !== undefined) await advanceClock(tx, advance);
    });
    const toClock = (practice: number) => ({ practice, now: writeInstant(nowIn(practice)), ahead_seconds: findAheadMs(practice) / 1_000 });
    return { data: practices.map(toClock) };
  });

  app.post('/sandbox/faults', async (request) => {
    const practices = await listPractices(deps, request);
    const isQuestion = Object.keys(z.looseObject({}).catch({}).parse(request.body)).length === 0;
    const sent = readInput(FaultsShape, request.body ?? {});
    const faults: Faults = { ...sent, webhookDelayMs: sent.webhook_delay_ms ?? 0 };
    if (!isQuestion) await setForEach(deps, request, practices, (tx) => setTestFaults(tx, faults));
    return { data: practices.map((practice) => ({ practice, ...fromFaults(findFaults(practice)) })) };
  });
}

/** Stores something for practices, which holds in this process at once, and in the others within a second. */
async function setForEach(
  { unitOfWork, database }: ControlDeps,
  request: FastifyRequest,
  practices: readonly number[],
  set: (tx: Tx) => Promise<void>,
): Promise<void> {
  for (const practice of practices) await unitOfWork.write(sandboxCaller(request, practice), set);
  await followTestPractices(preparedIn(database.prisma));
}

const fromFaults = ({ carrier, mail, webhookDelayMs, unavailable }: Faults) => ({
  carrier,
  mail,
  webhook_delay_ms: webhookDelayMs,
  unavailable,
});

/** The test practices that a request may change. @throws Failure not_found, as where there is no sandbox */
async function listPractices(deps: ControlDeps, request: FastifyRequest): Promise<readonly number[]> {
  const all = deps.testPracticeIds ?? [];
  if (isSandboxOpen(deps, request)) return all;
  if (request.headers.authorization === undefined) throw notFound('sandbox');
  const principal = await deps.authenticator.authenticate(request);
  if (principal.kind !== 'user' || principal.role !== 'admin' || principal.clientId !== null) throw notFound('sandbox');
  const own = all.filter((practice) => practice === principal.organizationId);
  if (own.length === 0) throw notFound('sandbox');
  return own;
}
