import { z } from 'zod';
import { findOffice } from '../../../domain/practices/offices.ts';
import { cancelCheckIn, checkIn, checkOut, startCheckIn } from '../../../domain/scheduling/booked/arrival.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { longId, optional } from '../../../http/wire/wire-types.ts';
import { departmentParams, toId } from '../departments.wire.ts';
import { DONE, Done } from '../done.wire.ts';
import { appointmentParams } from './appointments.wire.ts';

const CheckInForm = z.object({ appointmentid: optional(longId()).describe('Ignored: the path has the id') }).meta({ id: 'CheckInForm' });

const AGAIN = 'Repeating the request changes nothing. 409 if the appointment has no patient or has ended.';
const STEP = {
  tag: 'Appointments',
  beyondDocument: true,
  params: appointmentParams,
  body: CheckInForm,
  bodyOptional: true,
  response: Done,
} as const;

interface OfBooked {
  tx: Tx;
  params: { appointmentId: number };
}

const createHandler =
  (step: (tx: Tx, id: number) => Promise<void>) =>
  async ({ tx, params }: OfBooked) => {
    await step(tx, params.appointmentId);
    return DONE;
  };

export function arrivalRoutes({ get, post }: Endpoints): void {
  post('/appointments/:appointmentId/startcheckin', {
    ...STEP,
    operationId: 'startCheckIn',
    summary: 'Start to check a patient in',
    description: `The patient counts as arrived only after \`checkin\`. ${AGAIN}`,
    handle: createHandler(startCheckIn),
  });

  post('/appointments/:appointmentId/checkin', {
    ...STEP,
    operationId: 'checkIn',
    summary: 'Check a patient in',
    description: `Records that the patient has arrived; \`startcheckin\` is optional. ${AGAIN}`,
    handle: createHandler(checkIn),
  });

  post('/appointments/:appointmentId/cancelcheckin', {
    ...STEP,
    operationId: 'cancelCheckIn',
    summary: 'Cancel a check-in',
    description: `Cancels a check-in that was begun or completed. ${AGAIN}`,
    handle: createHandler(cancelCheckIn),
  });

  post('/appointments/:appointmentId/checkout', {
    ...STEP,
    operationId: 'checkOut',
    summary: 'Check a patient out',
    description: `Records that the patient has left; 409 if the patient is not checked in. ${AGAIN}`,
    handle: createHandler(checkOut),
  });

  get('/departments/:departmentid/checkinrequired', {
    tag: 'Departments',
    beyondDocument: true,
    operationId: 'listFieldsRequiredAtCheckIn',
    summary: 'List the fields of a chart that a check-in requires',
    description: 'Always empty: check-in requires no fields of the chart.',
    params: departmentParams,
    response: z
      .strictObject({ fieldlist: z.array(z.string()).describe('Names of fields; always empty') })
      .meta({ id: 'FieldsRequiredAtCheckIn' }),
    handle: async ({ tx, params }) => {
      await findOffice(tx, toId(params.departmentid));
      return { fieldlist: [] };
    },
  });
}
