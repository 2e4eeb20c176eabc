import type { Keyring } from '../../../database/encryption/keyring.ts';
import { runAndRollBack } from '../../../domain/unit-of-work/dry-run.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { namesDryRun } from '../../../http/wire/dry-run.ts';
import { possibleMatchesHeader } from '../../../http/wire/possible-matches.ts';
import { registerFromForm } from './patient-write.ts';
import {
  fromRegistered,
  fromTriedRegistration,
  PatientRegistrationForm,
  RegistrationAnswer,
  registrationQuery,
  unusableOnCreate,
} from './record/patient-input.wire.ts';

/** A new patient, from a form: `POST /{apivariant}/{practiceid}/patients`. */
export function patientRegistrationRoutes({ post }: Endpoints, { keyring }: { keyring: Keyring }): void {
  post('/patients', {
    operationId: 'registerPatient',
    summary: 'Register a patient',
    description:
      'At least one field is required. A practice may require a last name (or the first name of a person with only one), a birth date, a department, and one of email, telephone number and zip. Unless the practice turned this off, a form with the name, birth date and one of zip, telephone number and email of an existing patient returns that patient; accents, blanks, hyphens and apostrophes in names are ignored. The header `Registration` is `created` or `matched`; `Possible-Matches` lists up to five other patients who may be the same person. With `dryrun`, which is not in the source document, nothing is stored, and the response shows what would have happened.',
    tag: 'Patients',
    query: registrationQuery,
    body: PatientRegistrationForm,
    ignored: unusableOnCreate,
    response: RegistrationAnswer,
    ownHeaders: ['Registration', 'Possible-Matches'],
    trial: {
      isAsked: ({ query, request }) => query.dryrun || namesDryRun(request),
      response: RegistrationAnswer,
      async handle({ tx, body, headers }) {
        const registered = await runAndRollBack(tx, () => registerFromForm(tx, keyring, body));
        headers.registration = registered.outcome === 'created' ? 'would-create' : 'would-match';
        if (registered.outcome === 'created') Object.assign(headers, possibleMatchesHeader(registered.possibleMatches));
        return fromTriedRegistration(registered);
      },
    },
    async handle({ tx, body, headers }) {
      const registered = await registerFromForm(tx, keyring, body);
      headers.registration = registered.outcome;
      if (registered.outcome === 'created') Object.assign(headers, possibleMatchesHeader(registered.possibleMatches));
      return fromRegistered(registered);
    },
  });
}
