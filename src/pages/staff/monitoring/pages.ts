import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type MonitoringState, readMonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import { readTrend } from '../../../domain/monitoring/trends/read-trend.ts';
import { readPatient } from '../../../domain/patients/chart/find-patient.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Tx } from '../../../domain/tx.ts';
import { readInput } from '../../../http/input/input.ts';
import { id } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { requireStaff } from '../sign-in/staff-scope.ts';
import { writePatientName } from './alert-item.ts';
import { monitoringForms, writePatientPage } from './forms.ts';
import { ledgerPages } from './ledger/ledger-pages.ts';
import { hashState, openAlertsPart } from './live-part.ts';
import { RangeQuery, toPageRange } from './page-range.ts';
import { PATIENT_NEWS } from './patients/patient-view.ts';
import { patientsPages } from './patients/patients-pages.ts';
import { trendPage } from './patients/trend-view.ts';
import { type ListPages, readWorkList } from './read-pages.ts';
import { workListPage, workLists } from './work-list-view.ts';

const trendParams = z.object({ patient: id(), item: id() });
const pageNumber = z.coerce.number().int().min(1).max(100_000).optional().catch(undefined);
const NewsQuery = z.object({ news: z.enum(PATIENT_NEWS).optional().catch(undefined) });
const WorkListQuery = z.object({ alerts: pageNumber, acknowledged: pageNumber, checkins: pageNumber });

/** The pages of remote patient monitoring, for the signed-in users of a practice. To be registered in a staffScope. */
export function monitoringPages(app: FastifyInstance, deps: StaffPageDeps): void {
  const { unitOfWork } = deps;

  app.get('/monitoring', async (request, reply) => {
    const list = await unitOfWork.read(requireStaff(request), (tx) => readWorkList(tx, readListPages(request)));
    return sendPage(reply, workListPage(list, renderBar(request)));
  });

  liveParts(app, deps);

  app.get('/monitoring/patients/:patient', async (request, reply) => {
    const range = toPageRange(readInput(RangeQuery, request.query));
    return sendPage(reply, await writePatientPage(unitOfWork, request, range, readInput(NewsQuery, request.query)));
  });

  app.get('/monitoring/patients/:patient/charts/:item', async (request, reply) => {
    const { patient: patientId, item: itemId } = readInput(trendParams, request.params);
    const range = toPageRange(readInput(RangeQuery, request.query));
    const page = await unitOfWork.read(requireStaff(request), async (tx) => {
      const patient = await readPatient(tx, patientId);
      const trend = await readTrend(tx, { patientId, itemId, ...range });
      return trendPage({
        practice: await requireLinkPractice(tx),
        patient: { id: patientId, name: writePatientName(patient) },
        trend,
        range,
        bar: renderBar(request),
      });
    });
    return sendPage(reply, page);
  });

  patientsPages(app, deps);
  ledgerPages(app, deps);
  monitoringForms(app, deps);
}

/** The parts that scripts keep up to date. */
function liveParts(app: FastifyInstance, { unitOfWork }: StaffPageDeps): void {
  /** A page asks every few seconds: the list is read, and audited, when it has changed. */
  const sendFresh = async (request: FastifyRequest, reply: FastifyReply, write: (tx: Tx, state: MonitoringState) => Promise<string>) => {
    const fresh = await unitOfWork.read(requireStaff(request), async (tx) => {
      const state = await readMonitoringState(tx);
      reply.header('etag', `"${hashState(state)}"`);
      return request.headers['if-none-match'] === `"${hashState(state)}"` ? null : write(tx, state);
    });
    return fresh === null ? reply.code(304).send() : sendPage(reply, fresh);
  };

  app.get('/monitoring/waiting', (request, reply) =>
    sendFresh(request, reply, async (tx) => workLists(await readWorkList(tx, readListPages(request)))),
  );

  app.get('/monitoring/open', (request, reply) => sendFresh(request, reply, async (_tx, state) => openAlertsPart(state)));
}

function readListPages(request: FastifyRequest): ListPages {
  const { alerts = 1, acknowledged = 1, checkins = 1 } = readInput(WorkListQuery, request.query);
  return { alerts, acknowledged, checkIns: checkins };
}

const renderBar = (request: FastifyRequest): string => staffBar('/monitoring', requireStaff(request));
