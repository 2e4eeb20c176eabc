import { z } from 'zod';
import type { CheckedRegistration, Registered } from '../../../domain/patients/registration/register-or-match.ts';
import { alsoNamed } from '../../../http/input/query.ts';
import { option } from '../parameters.ts';
import { PatientForm } from './patient-form.wire.ts';

export const PatientRegistrationForm = PatientForm.meta({ id: 'PatientRegistration' });

export const registrationQuery = z.object({
  dryrun: alsoNamed(option(), 'dry_run', 'dryRun').describe('Registers nobody, and returns what would have happened'),
});

/** One shape, because generators make nothing of a choice of two objects. */
export const RegistrationAnswer = z
  .array(
    z
      .strictObject({
        patientid: z.int().meta({ format: 'int32' }).optional().describe('Patient id. Absent where a dry run would create one'),
        dryrun: z.literal(true).optional().describe('Of a dry run: nobody was registered'),
        registration: z.enum(['would-create', 'would-match']).optional().describe('Of a dry run: what a registration would do'),
      })
      .meta({ id: 'PatientCreated' }),
  )
  .describe('One entry');

export const fromRegistered = ({ patientId }: Registered): z.input<typeof RegistrationAnswer> => [{ patientid: patientId }];

export const fromCheckedRegistration = (checked: CheckedRegistration): z.input<typeof RegistrationAnswer> => [
  checked.outcome === 'new'
    ? { dryrun: true, registration: 'would-create' }
    : { dryrun: true, registration: 'would-match', patientid: checked.patientId },
];
