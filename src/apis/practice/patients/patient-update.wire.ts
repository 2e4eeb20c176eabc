import { z } from 'zod';
import { PatientForm } from './patient-form.wire.ts';

/** An absent field stays as it is, and so does an empty one that the document lists for a registration; any other empty one is cleared. */
export const PatientUpdateForm = PatientForm.meta({ id: 'PatientUpdate' });

export const PatientUpdateAnswer = z
  .array(z.strictObject({ patientid: z.string().describe('Patient id') }).meta({ id: 'PatientUpdated' }))
  .describe('One entry');

export const fromUpdated = (id: number): z.input<typeof PatientUpdateAnswer> => [{ patientid: String(id) }];
