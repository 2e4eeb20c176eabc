import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notFound } from '../../domain/errors.ts';
import { advanceClock } from '../../domain/messaging/sandbox/test-clock.ts';
import { aheadOf, type Faults, faultsOf, nowIn, setFaults } from '../../domain/values/test-practices.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { Authenticator } from '../../http/auth/authenticate.ts';
import { readInput } from '../../http/input/input.ts';
import { hasSandbox, isSandboxOpen } from './sandbox-access.ts';
import type { SandboxDeps } from './sandbox-deps.ts';
import { sandboxCaller } from './shared-parts.ts';

const HIDDEN = { schema: { hide: true } };
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
 * The clock and the faults of the demo practices, by which an integrator tests a year in a minute: from this machine for all of them, and for
 * an administrator of one with a token for that. Both last until the server stops.
 */
export async function sandboxControls(app: FastifyInstance, deps: ControlDeps): Promise<void> {
  if (!hasSandbox(deps)) return;
  app.post('/sandbox/clock', HIDDEN, async (request) => {
    const practices = await practicesOf(deps, request);
    const { advance } = readInput(Clock, request.body ?? {});
    for (const practice of advance === undefined ? [] : practices)
      await deps.unitOfWork.write(sandboxCaller(request, practice), (db, caller) => advanceClock(db, caller, advance ?? 0));
    const shown = (practice: number) => ({ practice, now: writeInstant(nowIn(practice)), ahead_seconds: aheadOf(practice) / 1_000 });
    return { data: practices.map(shown) };
  });

  app.post('/sandbox/faults', HIDDEN, async (request) => {
    const practices = await practicesOf(deps, request);
    const isQuestion = Object.keys(z.looseObject({}).catch({}).parse(request.body)).length === 0;
    const sent = readInput(FaultsShape, request.body ?? {});
    const faults: Faults = { ...sent, webhookDelayMs: sent.webhook_delay_ms ?? 0 };
    if (!isQuestion) for (const practice of practices) setFaults(practice, faults);
    return { data: practices.map((practice) => ({ practice, ...fromFaults(faultsOf(practice)) })) };
  });
}

const fromFaults = ({ carrier, mail, webhookDelayMs, unavailable }: Faults) => ({
  carrier,
  mail,
  webhook_delay_ms: webhookDelayMs,
  unavailable,
});

/** The demo practices that a request may change. @throws Failure not_found, as where there is no sandbox */
async function practicesOf(deps: ControlDeps, request: FastifyRequest): Promise<readonly number[]> {
  const demo = deps.demoPracticeIds ?? [];
  if (isSandboxOpen(deps, request)) return demo;
  if (request.headers.authorization === undefined) throw notFound('sandbox');
  const principal = await deps.authenticator.authenticate(request);
  if (principal.kind !== 'user' || principal.role !== 'admin' || principal.clientId !== null) throw notFound('sandbox');
  const own = demo.filter((practice) => practice === principal.organizationId);
  if (own.length === 0) throw notFound('sandbox');
  return own;
}
