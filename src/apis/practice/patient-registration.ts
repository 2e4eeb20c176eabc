import { registerOrMatch } from '../../domain/patients/registration-policies.ts';
import type { Endpoints } from '../../http/declare-endpoints.ts';
import { RegistrationAnswer, RegistrationForm, toRegistration, unusablePhones } from './patient-registration.wire.ts';

/** A new patient, from a form. */
export function patientRegistrationRoutes({ direct }: Endpoints): void {
  direct.post('/patients', {
    operationId: 'registerPatient',
    summary: 'Register a patient',
    description:
      'At least one field. A practice may ask for first name, last name, birth date, department and one of email, telephone numbers and zip; and it may have a patient who stands already found again by them. The header `Registration` says `created` or `matched`.',
    tag: 'Patients',
    body: RegistrationForm,
    ignored: unusablePhones,
    response: RegistrationAnswer,
    handle: async ({ tx, caller, body, headers }) => {
      const { patientId, outcome } = await registerOrMatch(tx, caller, toRegistration(body));
      headers.registration = outcome;
      return [{ patientid: patientId }];
    },
  });
}
