import { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';
import { id, optional } from '../../../http/wire/wire-types.ts';

export const BookedUpdateForm = z
  .object({
    appointmenttypeid: optional(id()).describe('The new appointment type'),
    departmentid: optional(id()).describe('The new department'),
    providerid: optional(id()).describe('The new provider; their user replaces the former provider’s'),
    appointmentstatus: optional(z.enum(['f', '2', '3'])).describe(
      'f: booked, which also restores a cancelled or missed visit and cancels a check-in; 2: checked in; 3: checked out',
    ),
  })
  .meta({ id: 'BookedAppointmentUpdateForm' });

const GIVEN_STATUSES = { f: 'scheduled', 2: 'arrived', 3: 'checked_out' } as const;

/** @throws Failure invalid for a form without any change */
export function toBookedUpdate({ appointmenttypeid, departmentid, providerid, appointmentstatus }: z.output<typeof BookedUpdateForm>) {
  const isChanged = appointmenttypeid != null || departmentid != null || providerid != null;
  if (!isChanged && appointmentstatus == null) throw new Failure('invalid', 'empty_form', 'The form contains no changes.');
  const given = { typeId: appointmenttypeid ?? undefined, officeId: departmentid ?? undefined };
  return {
    change: isChanged ? { given, providerId: providerid ?? null } : null,
    status: appointmentstatus && GIVEN_STATUSES[appointmentstatus],
  };
}

export const BookedUpdated = z.int().min(1).max(1).describe('1: it is changed').meta({ id: 'BookedAppointmentUpdated' });

/** Names of forms by the domain's fields. These cannot be the names of the whole dialect: the fields are names in paths too. */
const FORM_NAMES = new Map(Object.entries({ patientId: 'patientid', providerId: 'providerid', appointmentId: 'appointmentid' }));

/** Awaits a write; its failure names fields as its form does. */
export async function renameIssues<T>(write: Promise<T>): Promise<T> {
  return await write.catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    const { kind, code, message } = error;
    const issues = error.issues.map((issue) => ({ ...issue, field: FORM_NAMES.get(issue.field) ?? issue.field }));
    throw new Failure(kind, code, message, { issues });
  });
}
