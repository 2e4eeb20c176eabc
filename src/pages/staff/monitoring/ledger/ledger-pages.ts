import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { forbidden } from '../../../../domain/errors.ts';
import { closeMonth, readClosing } from '../../../../domain/monitoring/monthly-billing/closing/closing.ts';
import { recordCorrection } from '../../../../domain/monitoring/monthly-billing/closing/corrections.ts';
import { readLedger } from '../../../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import { evidencePath, readLedgerEvidence } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import { releaseHold } from '../../../../domain/monitoring/monthly-billing/releases.ts';
import { readBillingPeriod, readMonth } from '../../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import { requireLinkPractice } from '../../../../domain/practices/link-practice.ts';
import { attachmentNamed } from '../../../../http/endpoints/run/downloads.ts';
import { readInput } from '../../../../http/input/input.ts';
import { writeCsv } from '../../../../http/wire/csv.ts';
import { toTable } from '../../../../http/wire/ledger-table.ts';
import { checkedText, id, longId, multilineText } from '../../../../http/wire/wire-types.ts';
import { sendPage } from '../../../design/layout/page.ts';
import type { RefusedForm } from '../../forms/form-state.ts';
import { runForm } from '../../forms/run-form.ts';
import { confirmAddress } from '../../sign-in/confirm.ts';
import { staffBar } from '../../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../../sign-in/staff-page-deps.ts';
import { requireStaff } from '../../sign-in/staff-scope.ts';
import { ledgerAddress, ledgerListPage } from './ledger-list-view.ts';
import { ledgerEvidencePage } from './ledger-view.ts';

const month = checkedText(40, readMonth);
const monthParams = z.object({ month });
const evidenceParams = z.object({ month, patient: id() });
const PageQuery = z.object({ page: z.coerce.number().int().min(1).max(100_000).optional().catch(undefined) });
const CloseQuery = z.object({ leave_held: z.string().optional() });
const ReasonForm = z.object({ reason: multilineText(1_000).min(1, 'must be given') });
const ReleaseForm = ReasonForm.extend({
  kind: z.enum(['long_review', 'overlapping_reviews', 'too_many_units']),
  review: longId().optional(),
});
const EVIDENCE = '/monitoring/ledger/:month/patients/:patient';
const SECONDS_BETWEEN_STEPS = 3;
/** Patients of one page of the ledger. */
const ROWS = 100;

/** The pages of the monthly ledger. To be registered in a staffScope. */
export function ledgerPages(app: FastifyInstance, deps: StaffPageDeps): void {
  const { unitOfWork } = deps;

  const show: Show = (request, reply, refused) => {
    const params = readInput(monthParams, request.params);
    const { page = 1 } = readInput(PageQuery, request.query);
    return unitOfWork.read(requireStaff(request), async (tx) => {
      const closing = tx.role === 'admin' ? await readClosing(tx, params.month) : null;
      if (closing?.state === 'closing') reply.header('refresh', String(SECONDS_BETWEEN_STEPS));
      const ledger = await readLedger(tx, params, { page, limit: ROWS });
      return ledgerListPage({ practice: await requireLinkPractice(tx), ledger, closing, refused, bar: renderBar(request) });
    });
  };

  app.get('/monitoring/ledger', async (request, reply) => {
    const present = await unitOfWork.read(requireStaff(request), (tx) => readBillingPeriod(tx));
    return reply.redirect(ledgerAddress(present.month), 303);
  });

  app.get('/monitoring/ledger/:month', async (request, reply) => sendPage(reply, await show(request, reply)));

  app.post('/monitoring/ledger/:month/close', (request, reply) => {
    const params = readInput(monthParams, request.params);
    const leaveHeld = readInput(CloseQuery, request.query).leave_held !== undefined;
    const work = () => unitOfWork.write(requireStaff(request), (tx) => closeMonth(tx, { ...params, leaveHeld }));
    return asAdmin({ request, reply, show, work, address: ledgerAddress(params.month) });
  });
  ledgerFiles(app, deps);
  evidencePages(app, deps);
}

/** Writes a page, where a form was refused with the reason. */
type Show = (request: FastifyRequest, reply: FastifyReply, refused?: RefusedForm) => Promise<string>;

interface AdminForm {
  request: FastifyRequest;
  reply: FastifyReply;
  show: Show;
  work: () => Promise<unknown>;
  /** Shown afterwards. */
  address: string;
}

/** Carries out the form of an admin; where it is refused, the page has the reason. */
const asAdmin = ({ request, reply, show, work, address }: AdminForm): Promise<FastifyReply> =>
  runForm(request, reply, {
    address,
    work: async () => {
      if (requireStaff(request).role !== 'admin') throw forbidden('admins_only', 'Only an administrator can close a month.');
      await work();
    },
    show: (refused) => show(request, reply, refused),
  });

/** The evidence of a patient's month, and what an admin decides there. */
function evidencePages(app: FastifyInstance, { unitOfWork }: StaffPageDeps): void {
  const show: Show = (request, _reply, refused) => {
    const { month: of, patient } = readInput(evidenceParams, request.params);
    return unitOfWork.read(requireStaff(request), async (tx) =>
      ledgerEvidencePage({
        practice: await requireLinkPractice(tx),
        shown: await readLedgerEvidence(tx, of, patient),
        isAdmin: tx.role === 'admin',
        refused,
        bar: renderBar(request),
      }),
    );
  };

  app.get(EVIDENCE, async (request, reply) => sendPage(reply, await show(request, reply)));

  app.post(`${EVIDENCE}/releases`, (request, reply) => {
    const { month: of, patient: patientId } = readInput(evidenceParams, request.params);
    const work = () => {
      const { review: reviewId, ...release } = readInput(ReleaseForm, request.body ?? {});
      return unitOfWork.write(requireStaff(request), (tx) => releaseHold(tx, { ...release, reviewId, patientId, month: of }));
    };
    return asAdmin({ request, reply, show, work, address: evidencePath(of, patientId) });
  });

  app.post(`${EVIDENCE}/corrections`, (request, reply) => {
    const { month: of, patient: patientId } = readInput(evidenceParams, request.params);
    const work = () => {
      const { reason } = readInput(ReasonForm, request.body ?? {});
      return unitOfWork.write(requireStaff(request), (tx) => recordCorrection(tx, { month: of, patientId, reason }));
    };
    return asAdmin({ request, reply, show, work, address: evidencePath(of, patientId) });
  });
}

function ledgerFiles(app: FastifyInstance, deps: StaffPageDeps): void {
  const { unitOfWork } = deps;

  app.get('/monitoring/ledger/:month.csv', async (request, reply) => {
    const params = readInput(monthParams, request.params);
    const confirm = await confirmAddress(deps, request, ledgerAddress(params.month));
    if (confirm !== null) return reply.redirect(confirm, 303);
    const { fileName, rows } = await unitOfWork.read(requireStaff(request), async (tx) => toTable(await readLedger(tx, params)));
    return reply
      .headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': attachmentNamed(fileName) })
      .send(writeCsv(rows));
  });
}

const renderBar = (request: FastifyRequest): string => staffBar('/monitoring', requireStaff(request));
