import { z } from 'zod';
import { findOffice } from '../../../domain/practices/offices.ts';
import { cancelCheckIn, checkIn, checkOut, startCheckIn } from '../../../domain/scheduling/check-in.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { longId, optional } from '../../../http/wire/wire-types.ts';
import { departmentParams, toId } from '../departments.wire.ts';
import { DONE, Done } from '../done.wire.ts';
import { appointmentParams } from './appointments.wire.ts';

const CheckInForm = z.object({ appointmentid: optional(longId()).describe('Has no effect: the path says it') }).meta({ id: 'CheckInForm' });

const AGAIN = 'Asked for again, it is done already. 409 without a patient, and once the visit has ended.';

const STEPS = [
  ['startcheckin', 'startCheckIn', 'Start to check a patient in', `The patient has not arrived until \`checkin\`. ${AGAIN}`, startCheckIn],
  ['checkin', 'checkIn', 'Check a patient in', `The patient has arrived, with \`startcheckin\` before or without. ${AGAIN}`, checkIn],
  ['cancelcheckin', 'cancelCheckIn', 'Cancel a check-in', `Whether it was begun or done. ${AGAIN}`, cancelCheckIn],
  ['checkout', 'checkOut', 'Check a patient out', `The patient leaves; 409 for one who is not checked in. ${AGAIN}`, checkOut],
] as const;

/** The way of a patient through the office. */
export function checkInRoutes({ get, post }: Endpoints): void {
  for (const [path, operationId, summary, description, step] of STEPS)
    post(`/appointments/:appointmentId/${path}`, {
      tag: 'Appointments',
      beyondDocument: true,
      operationId,
      summary,
      description,
      params: appointmentParams,
      body: CheckInForm,
      bodyOptional: true,
      response: Done,
      handle: async ({ db, caller, params }) => {
        await step(db, caller, params.appointmentId);
        return DONE;
      },
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
