import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { closeMonth, readClosing } from '../../../domain/monitoring/monthly-billing/closing/closing.ts';
import { readLedger } from '../../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import { readLedgerEvidence } from '../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import { readBillingPeriod, readMonth } from '../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { attachmentNamed } from '../../../http/endpoints/run/downloads.ts';
import { statusOf, toFailure } from '../../../http/errors/error-mapping.ts';
import { readInput } from '../../../http/input/input.ts';
import { writeCsv } from '../../../http/wire/csv.ts';
import { toTable } from '../../../http/wire/ledger-table.ts';
import { checkedText, id } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import { confirmAddress } from '../sign-in/confirm.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { staffOf } from '../sign-in/staff-scope.ts';
import { ledgerAddress, ledgerListPage } from './ledger-list-view.ts';
import { ledgerEvidencePage } from './ledger-view.ts';

const HIDDEN = { schema: { hide: true } };
const month = checkedText(40, readMonth);
const monthParams = z.object({ month });
const evidenceParams = z.object({ month, patient: id() });
const PageQuery = z.object({ page: z.coerce.number().int().min(1).max(100_000).optional().catch(undefined) });
const CloseQuery = z.object({ leave_held: z.string().optional() });
/** Patients of one page of the ledger. */
const ROWS = 100;

/** The pages of the monthly ledger. To be registered in a staffScope. */
export function ledgerPages(app: FastifyInstance, deps: StaffPageDeps): void {
  const { unitOfWork } = deps;

  const show = (request: FastifyRequest, problem: string | null = null): Promise<string> => {
    const params = readInput(monthParams, request.params);
    const { page = 1 } = readInput(PageQuery, request.query);
    return unitOfWork.read(staffOf(request), async (db, caller) =>
      ledgerListPage({
        practice: await requireLinkPractice(db, caller),
        ledger: await readLedger(db, caller, params, { page, limit: ROWS }),
        closing: caller.role === 'admin' ? await readClosing(db, caller, params.month) : null,
        problem,
        bar: barOf(request),
      }),
    );
  };

  app.get('/monitoring/ledger', HIDDEN, async (request, reply) => {
    const present = await unitOfWork.read(staffOf(request), (db, caller) => readBillingPeriod(db, caller));
    return reply.redirect(ledgerAddress(present.month), 303);
  });

  app.get('/monitoring/ledger/:month', HIDDEN, async (request, reply) => sendPage(reply, await show(request)));

  app.post('/monitoring/ledger/:month/close', HIDDEN, async (request, reply) => {
    const params = readInput(monthParams, request.params);
    const leaveHeld = readInput(CloseQuery, request.query).leave_held !== undefined;
    const staff = staffOf(request);
    if (staff.role !== 'admin') return sendPage(reply.code(403), await show(request, 'Only an administrator closes a month.'));
    try {
      await unitOfWork.write(staff, (db, caller) => closeMonth(db, caller, { ...params, leaveHeld }));
    } catch (error) {
      const failure = toFailure(error);
      if (failure.kind !== 'conflict') throw error;
      return sendPage(reply.code(statusOf(failure)), await show(request, failure.message));
    }
    return reply.redirect(ledgerAddress(params.month), 303);
  });
  ledgerFiles(app, deps);
}

/** The table of a month, and the evidence of each row. */
function ledgerFiles(app: FastifyInstance, deps: StaffPageDeps): void {
  const { unitOfWork } = deps;

  app.get('/monitoring/ledger/:month.csv', HIDDEN, async (request, reply) => {
    const params = readInput(monthParams, request.params);
    const confirm = await confirmAddress(deps, request, ledgerAddress(params.month));
    if (confirm !== null) return reply.redirect(confirm, 303);
    const { fileName, rows } = await unitOfWork.read(staffOf(request), async (db, caller) => toTable(await readLedger(db, caller, params)));
    return reply
      .headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': attachmentNamed(fileName) })
      .send(writeCsv(rows));
  });

  app.get('/monitoring/ledger/:month/patients/:patient', HIDDEN, async (request, reply) => {
    const params = readInput(evidenceParams, request.params);
    const page = await unitOfWork.read(staffOf(request), async (db, caller) =>
      ledgerEvidencePage(
        await requireLinkPractice(db, caller),
        await readLedgerEvidence(db, caller, params.month, params.patient),
        barOf(request),
      ),
    );
    return sendPage(reply, page);
  });
}

const barOf = (request: FastifyRequest): string => staffBar('/monitoring', staffOf(request));
