import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { CallerIdentity } from '../../../domain/caller.ts';
import { Failure } from '../../../domain/errors.ts';
import { requireRights } from '../../../domain/identity/rights/rights.ts';
import { txOf } from '../../../domain/tx.ts';
import { requireStepUp } from '../../../http/auth/step-up.ts';
import { toFailure, toStatus } from '../../../http/errors/error-mapping.ts';
import { sendPage } from '../../design/layout/page.ts';
import { requireStaff } from '../sign-in/staff-scope.ts';
import { CHANGED_MEANWHILE, type FormValues, type RefusedForm } from './form-state.ts';

/** The administrator who sent a request. @throws Failure forbidden for others */
export function requireAdmin(request: FastifyRequest): CallerIdentity {
  const staff = requireStaff(request);
  requireRights(staff, { scope: null, appScope: null, roles: ['admin'] });
  return staff;
}

/** The same, of one who proved within a quarter of an hour who they are. @throws Failure unauthenticated for others */
export async function requireProvenAdmin(db: Db, request: FastifyRequest): Promise<CallerIdentity> {
  const admin = requireAdmin(request);
  await requireStepUp(txOf(db, admin));
  return admin;
}

/** Failures that the page shows above its sections, or beside a field. */
const SHOWN = ['invalid', 'conflict', 'forbidden', 'unprocessable', 'precondition_failed', 'too_many_requests'];
const STEP_UP = 'step_up_required';

export interface FormRun {
  /** The page that is opened afterwards, unless the work has sent one. A function is asked when the work is done. */
  address: string | (() => string);
  /** The news that this page then tells, by its name in the query. */
  done?: string;
  /** Whether the form is a button alone: then nothing is lost by a detour to the proof of who one is. */
  isButton?: boolean;
  work: () => Promise<unknown>;
  /** Writes the page with the reason for which the form was refused. */
  show: (refused: RefusedForm) => Promise<string>;
}

/** Does what a form asks; where it is refused, shows the page with the reason and with what was typed. */
export async function runForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { address: to, done, isButton = false, work, show }: FormRun,
): Promise<FastifyReply> {
  try {
    await work();
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === STEP_UP && isButton && typeof to === 'string')
      return reply.redirect(`/sign-in/confirm?to=${encodeURIComponent(withNews(to, 'confirmed'))}`, 303);
    if (failure.code !== STEP_UP && !SHOWN.includes(failure.kind)) throw error;
    return sendPage(reply.code(toStatus(failure)), await show(toRefusedForm(request, failure)));
  }
  if (reply.sent) return reply;
  const address = typeof to === 'string' ? to : to();
  return reply.redirect(done === undefined ? address : withNews(address, done), 303);
}

const withNews = (address: string, done: string): string => `${address}${address.includes('?') ? '&' : '?'}done=${done}`;

const Values = z.record(z.string(), z.string().catch('')).catch({});
/** Browsers send line breaks of their own. */
const LINE_BREAK = /\r\n/g;
const Seen = z
  .object({ seen: z.string().transform((written): unknown => JSON.parse(written)) })
  .transform(({ seen }) => z.record(z.string(), z.string()).parse(seen));

export function toRefusedForm(request: FastifyRequest, failure: Failure): RefusedForm {
  const [action = ''] = request.url.split('?', 1);
  const values = Object.entries(Values.parse(request.body ?? {}));
  const sent = Object.fromEntries(values.map(([name, value]) => [name, value.replaceAll(LINE_BREAK, '\n')]));
  return { action, sent, seen: seenIn(request), failure };
}

/** The values with which a form was opened; null where it does not say. */
function seenIn({ body }: FastifyRequest): FormValues | null {
  try {
    return Seen.safeParse(body).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Holds a form against the record as it is now, in the transaction that changes it.
 * @throws Failure precondition_failed where somebody else has changed it since the form was opened
 */
export function requireUnchanged(request: FastifyRequest, present: FormValues): void {
  const seen = seenIn(request);
  if (seen === null || Object.entries(present).every(([name, value]) => seen[name] === value)) return;
  throw new Failure(
    'precondition_failed',
    CHANGED_MEANWHILE,
    'Somebody else changed this after you opened the page, so nothing was saved. Check the marked fields and save again.',
  );
}

const NewsQuery = z.object({ done: z.string().max(40).optional().catch(undefined) });

/** The news that a page tells after a form, by their name in its query. */
export function newsIn(request: FastifyRequest, words: Readonly<Record<string, string>>): string | undefined {
  const { done } = NewsQuery.parse(request.query);
  if (done === 'confirmed') return 'Thank you. Nothing has been changed yet. Choose again what you want to do.';
  return done !== undefined && Object.hasOwn(words, done) ? words[done] : undefined;
}
