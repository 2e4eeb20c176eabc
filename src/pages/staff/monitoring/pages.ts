import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readLedgerEvidence } from '../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import { readMonth } from '../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import { readTrend } from '../../../domain/monitoring/trends/read-trend.ts';
import { readPatient } from '../../../domain/patients/chart/find-patient.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { readInput } from '../../../http/input/input.ts';
import { checkedText, id } from '../../../http/wire/wire-types.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { staffOf } from '../sign-in/staff-scope.ts';
import { nameOf } from './alert-item.ts';
import { monitoringForms, showPatient } from './forms.ts';
import { ledgerEvidencePage } from './ledger-view.ts';
import { RangeQuery, toPageRange } from './page-range.ts';
import { readWorkList } from './read-pages.ts';
import { trendPage } from './trend-view.ts';
import { workListPage } from './work-list-view.ts';

const HIDDEN = { schema: { hide: true } };
const trendParams = z.object({ patient: id(), item: id() });
const evidenceParams = z.object({ month: checkedText(40, readMonth), patient: id() });
const pageNumber = z.coerce.number().int().min(1).max(100_000).optional().catch(undefined);
const WorkListQuery = z.object({ alerts: pageNumber, acknowledged: pageNumber, checkins: pageNumber });

/** The pages of remote patient monitoring, for the signed-in users of a practice. To be registered in a staffScope. */
export function monitoringPages(app: FastifyInstance, { unitOfWork }: StaffPageDeps): void {
  app.get('/monitoring', HIDDEN, async (request, reply) => {
    const { alerts = 1, acknowledged = 1, checkins = 1 } = readInput(WorkListQuery, request.query);
    const pages = { alerts, acknowledged, checkIns: checkins };
    const list = await unitOfWork.read(staffOf(request), (db, caller) => readWorkList(db, caller, pages));
    return send(reply, workListPage(list, barOf(request)));
  });

  app.get('/monitoring/patients/:patient', HIDDEN, (request, reply) =>
    showPatient(unitOfWork, { request, reply }, toPageRange(readInput(RangeQuery, request.query))),
  );

  app.get('/monitoring/patients/:patient/charts/:item', HIDDEN, async (request, reply) => {
    const { patient: patientId, item: itemId } = readInput(trendParams, request.params);
    const range = toPageRange(readInput(RangeQuery, request.query));
    const page = await unitOfWork.read(staffOf(request), async (db, caller, prepared) => {
      const patient = await readPatient(db, caller, patientId);
      const trend = await readTrend({ db, prepared }, caller, { patientId, itemId, ...range });
      return trendPage({
        practice: await requireLinkPractice(db, caller),
        patient: { id: patientId, name: nameOf(patient) },
        trend,
        range,
        bar: barOf(request),
      });
    });
    return send(reply, page);
  });

  app.get('/monitoring/ledger/:month/patients/:patient', HIDDEN, async (request, reply) => {
    const { month, patient } = readInput(evidenceParams, request.params);
    const page = await unitOfWork.read(staffOf(request), async (db, caller) =>
      ledgerEvidencePage(await requireLinkPractice(db, caller), await readLedgerEvidence(db, caller, month, patient), barOf(request)),
    );
    return send(reply, page);
  });

  monitoringForms(app, unitOfWork);
}

const barOf = (request: FastifyRequest): string => staffBar('/monitoring', staffOf(request));

const send = (reply: FastifyReply, page: string): FastifyReply => reply.type('text/html; charset=utf-8').send(page);
