import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../../domain/caller.ts';
import { findOffice } from '../../../domain/practices/offices.ts';
import { cancelCheckIn, checkIn, checkOut, startCheckIn } from '../../../domain/scheduling/visits/check-in.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { longId, optional } from '../../../http/wire/wire-types.ts';
import { departmentParams, toId } from '../departments.wire.ts';
import { DONE, Done } from '../done.wire.ts';
import { appointmentParams } from './appointments.wire.ts';

const CheckInForm = z.object({ appointmentid: optional(longId()).describe('Has no effect: the path says it') }).meta({ id: 'CheckInForm' });

const AGAIN = 'Asked for again, it is done already. 409 without a patient, and once the visit has ended.';
const STEP = {
  tag: 'Appointments',
  beyondDocument: true,
  params: appointmentParams,
  body: CheckInForm,
  bodyOptional: true,
  response: Done,
} as const;

interface OfVisit {
  db: Db;
  caller: Caller;
  params: { appointmentId: number };
}

const createHandler =
  (step: (db: Db, caller: Caller, id: number) => Promise<void>) =>
  async ({ db, caller, params }: OfVisit) => {
    await step(db, caller, params.appointmentId);
    return DONE;
  };

/** The way of a patient through the office. */
export function checkInRoutes({ get, post }: Endpoints): void {
  post('/appointments/:appointmentId/startcheckin', {
    ...STEP,
    operationId: 'startCheckIn',
    summary: 'Start to check a patient in',
    description: `The patient has not arrived until \`checkin\`. ${AGAIN}`,
    handle: createHandler(startCheckIn),
  });

  post('/appointments/:appointmentId/checkin', {
    ...STEP,
    operationId: 'checkIn',
    summary: 'Check a patient in',
    description: `The patient has arrived, with \`startcheckin\` before or without. ${AGAIN}`,
    handle: createHandler(checkIn),
  });

  post('/appointments/:appointmentId/cancelcheckin', {
    ...STEP,
    operationId: 'cancelCheckIn',
    summary: 'Cancel a check-in',
    description: `Whether it was begun or done. ${AGAIN}`,
    handle: createHandler(cancelCheckIn),
  });

  post('/appointments/:appointmentId/checkout', {
    ...STEP,
    operationId: 'checkOut',
    summary: 'Check a patient out',
    description: `The patient leaves; 409 for one who is not checked in. ${AGAIN}`,
    handle: createHandler(checkOut),
  });

  get('/departments/:departmentid/checkinrequired', {
    tag: 'Departments',
    beyondDocument: true,
    operationId: 'listFieldsRequiredAtCheckIn',
    summary: 'List the fields of a chart that a check-in requires',
    description: 'None: a patient is checked in whatever the chart lacks.',
    params: departmentParams,
    response: z.strictObject({ fieldlist: z.array(z.string()).describe('Names of fields; empty') }).meta({ id: 'FieldsRequiredAtCheckIn' }),
    handle: async ({ db, caller, params }) => {
      await findOffice(db, caller, toId(params.departmentid));
      return { fieldlist: [] };
    },
  });
}
