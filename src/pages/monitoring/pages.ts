import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { readTrend } from '../../domain/monitoring/trends/read-trend.ts';
import { readPatient } from '../../domain/patients/find-patient.ts';
import { requireLinkPractice } from '../../domain/practices/link-practice.ts';
import { fullName } from '../../domain/values/person-names.ts';
import { readInput } from '../../http/input.ts';
import { id } from '../../http/wire-types.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { staffOf } from '../sign-in/staff-scope.ts';
import { chartPage } from './chart-view.ts';
import { RangeQuery, toPageRange } from './page-range.ts';

const HIDDEN = { schema: { hide: true } };
const chartParams = z.object({ patient: id(), item: id() });

/** The pages of remote patient monitoring, for the signed-in users of a practice. To be registered in a staffScope. */
export function monitoringPages(app: FastifyInstance, { unitOfWork }: StaffPageDeps): void {
  app.get('/monitoring/patients/:patient/charts/:item', HIDDEN, async (request, reply) => {
    const { patient: patientId, item: itemId } = readInput(chartParams, request.params);
    const range = toPageRange(readInput(RangeQuery, request.query));
    const page = await unitOfWork.read(staffOf(request), async (db, caller, prepared) => {
      const patient = await readPatient(db, caller, patientId);
      const trend = await readTrend({ db, prepared }, caller, { patientId, itemId, ...range });
      return chartPage({
        practice: await requireLinkPractice(db, caller),
        patient: { id: patientId, name: fullName(patient) ?? `Patient ${patientId}` },
        trend,
        range,
      });
    });
    return send(reply, page);
  });
}

const send = (reply: FastifyReply, page: string): FastifyReply => reply.type('text/html; charset=utf-8').send(page);
