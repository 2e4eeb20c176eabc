import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notFound } from '../../../domain/errors.ts';
import { acknowledgeAlert, acknowledgeAlertsOfPatient, closeAlert } from '../../../domain/monitoring/alerts/alert-actions.ts';
import { readAlert } from '../../../domain/monitoring/alerts/alert-list.ts';
import { createReview } from '../../../domain/monitoring/reviews/reviews.ts';
import type { UnitOfWork } from '../../../domain/unit-of-work/unit-of-work.ts';
import { readInput } from '../../../http/input/input.ts';
import { id, longId, multilineText } from '../../../http/wire/wire-types.ts';
import { runForm } from '../forms/run-form.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { requireStaff } from '../sign-in/staff-scope.ts';
import { type PageRange, toPageRange } from './page-range.ts';
import { careForms, type PatientForm } from './patients/care-forms.ts';
import { type PatientReview, patientPage } from './patients/patient-view.ts';
import { readPatientReview } from './read-pages.ts';
import { ReviewForm, toReview } from './review-form.ts';

const patientParams = z.object({ patient: id() });
const alertParams = z.object({ alert: longId() });
const ReadingsQuery = z.object({ readings: z.literal('more').optional().catch(undefined) });
const AllForm = z.object({ up_to: longId(), note: multilineText(1_000).default('') });
const NoteForm = z.object({ note: multilineText(1_000).default('') });

type Shown = Pick<PatientReview, 'refused' | 'news'>;

export async function writePatientPage(unitOfWork: UnitOfWork, request: FastifyRequest, range: PageRange, shown: Shown): Promise<string> {
  const { patient: patientId } = readInput(patientParams, request.params);
  const allReadings = readInput(ReadingsQuery, request.query).readings !== undefined;
  const review = await unitOfWork.read(requireStaff(request), (tx) => readPatientReview(tx, { patientId, range, allReadings }));
  return patientPage({ ...review, ...shown }, staffBar('/monitoring', requireStaff(request)));
}

/** A form of a patient's page: carries it out and shows the page again, with the reason where it is refused. */
function patientForm(app: FastifyInstance, unitOfWork: UnitOfWork, { path, act }: PatientForm): void {
  app.post(`/monitoring/patients/:patient/${path}`, (request, reply) => {
    const { patient } = readInput(patientParams, request.params);
    let part = '';
    return runForm(request, reply, {
      address: () => `/monitoring/patients/${patient}${part}`,
      work: async () => {
        part = await unitOfWork.write(requireStaff(request), (tx) => act(tx, request, patient));
      },
      show: (refused) => writePatientPage(unitOfWork, request, toPageRange({}), { refused }),
    });
  });
}

const alertForm = (step: 'acknowledge' | 'close'): PatientForm => ({
  path: `alerts/:alert/${step}`,
  act: async (tx, request, patientId) => {
    const { alert } = readInput(alertParams, request.params);
    const { note } = readInput(NoteForm, request.body ?? {});
    if ((await readAlert(tx, alert)).patientId !== patientId) throw notFound('alert');
    await (step === 'acknowledge' ? acknowledgeAlert : closeAlert)(tx, alert, note || null);
    return `#alert-${alert}`;
  },
});

const ACKNOWLEDGE_ALL: PatientForm = {
  path: 'alerts/acknowledge',
  act: async (tx, request, patientId) => {
    const { up_to: upTo, note } = readInput(AllForm, request.body ?? {});
    await acknowledgeAlertsOfPatient(tx, { patientId, upTo, note: note || null });
    return '#alerts';
  },
};

const REVIEW: PatientForm = {
  path: 'reviews',
  act: async (tx, request, patientId) => {
    const form = readInput(ReviewForm, request.body ?? {});
    await createReview(tx, { ...toReview(form), patientId });
    return `#checkin-${form.checkin}`;
  },
};

/** The forms of a patient's page: steps of an alert, reviews, and the care. */
export function monitoringForms(app: FastifyInstance, { unitOfWork, keyring }: StaffPageDeps): void {
  for (const form of [alertForm('acknowledge'), alertForm('close'), ACKNOWLEDGE_ALL, REVIEW, ...careForms(keyring)])
    patientForm(app, unitOfWork, form);
}
