import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import { type AuditPage, searchAudit } from '../../domain/audit/audit-search.ts';
import { verifyOwnChain } from '../../domain/audit/verify-own-chain.ts';
import type { Caller } from '../../domain/caller.ts';
import { requireLinkPractice } from '../../domain/practices/link-practice.ts';
import { readRange } from '../../domain/values/date-range.ts';
import { readInput } from '../../http/input.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { type AuditFilterView, auditPage, type Verdict } from './audit-view.ts';
import { adminOf, sendPage } from './run-form.ts';

const HIDDEN = { schema: { hide: true } };
const ADDRESS = '/administration/audit';
const PAGE_ROWS = 50;
const DEFAULT_DAYS_MS = 30 * 86_400_000;
const number = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional().catch(undefined);
const recordId = z.coerce.number().int().min(1).max(2_147_483_647).optional().catch(undefined);
const dayText = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .optional()
  .catch(undefined);
const AuditQuery = z.object({ patient: recordId, user: recordId, from: dayText, to: dayText, before: number });

/** The audit of the practice. To be registered in a staffScope. */
export function auditPages(app: FastifyInstance, { unitOfWork, keyring }: Pick<StaffPageDeps, 'unitOfWork' | 'keyring'>): void {
  const show = (request: FastifyRequest, verdict?: Verdict): Promise<string> => {
    const filter = readInput(AuditQuery, request.query);
    return unitOfWork.read(adminOf(request), async (db, caller) => {
      const practice = await requireLinkPractice(db, caller);
      const found = await search(db, caller, { filter, timeZone: practice.timeZone });
      return auditPage({ practice, filter, found, verdict });
    });
  };

  app.get(ADDRESS, HIDDEN, async (request, reply) => sendPage(reply, await show(request)));

  app.post(`${ADDRESS}/verify`, HIDDEN, async (request, reply) => {
    const report = await unitOfWork.write(adminOf(request), (db, caller) => verifyOwnChain(db, caller, keyring));
    return sendPage(reply, await show(request, report));
  });
}

interface Searched {
  filter: AuditFilterView;
  timeZone: string;
}

async function search(db: Db, caller: Caller, { filter, timeZone }: Searched): Promise<AuditPage> {
  const { patient: patientId, user, from: min, to: max, before } = filter;
  const range = await readRange({ min, max, fields: { min: 'from', max: 'to' } }, async () => timeZone);
  const from = range.from ?? (range.before === null && patientId === undefined ? new Date(Date.now() - DEFAULT_DAYS_MS) : null);
  const actor = user === undefined ? undefined : `user:${user}`;
  return searchAudit(db, caller, { patientId, actor, range: { ...range, from }, before, limit: PAGE_ROWS });
}
