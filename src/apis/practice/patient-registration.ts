import { registerOrMatch } from '../../domain/patients/registration-policies.ts';
import { mapWrite } from '../../domain/unit-of-work/optimistic-write.ts';
import type { Endpoints } from '../../http/declare-endpoints.ts';
import { RegistrationAnswer, RegistrationForm, toRegistration, unusablePhones } from './patient-registration.wire.ts';

/** A new patient, from a form. */
export function patientRegistrationRoutes({ post }: Endpoints): void {
  post('/patients', {
    operationId: 'registerPatient',
    summary: 'Register a patient',
    description:
      'At least one field is required. A practice may require first name, last name, birth date, department and one of email, telephone numbers and zip. It may also choose that a form with the first name, last name, birth date and one of zip, telephone number and email of an existing patient returns that patient. The header `Registration` is `created` or `matched`.',
    tag: 'Patients',
    body: RegistrationForm,
    ignored: unusablePhones,
    response: RegistrationAnswer,
    optimistic: ({ body, headers }) =>
      mapWrite(registerOrMatch(toRegistration(body)), ({ patientId, outcome }) => {
        headers.registration = outcome;
        return [{ patientid: patientId }];
      }),
  });
}
