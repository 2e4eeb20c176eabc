import { z } from 'zod';
import { API_VARIANTS } from '../../config/api-variants.ts';
import type { Config } from '../../config/config.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { forbidden, invalid, notFound } from '../../domain/errors.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import type { Dialect } from '../../http/endpoints/dialect.ts';
import { readExamples } from '../../http/endpoints/examples.ts';
import { id } from '../../http/wire/wire-types.ts';
import { appointmentTypeRoutes } from './appointments/appointment-types.ts';
import { practiceAppointmentRoutes } from './appointments/appointments.ts';
import { arrivalRoutes } from './appointments/arrival.ts';
import { appointmentNoteRoutes } from './appointments/notes.ts';
import { openAppointmentRoutes } from './appointments/open-appointments.ts';
import { reasonRoutes } from './appointments/reasons.ts';
import { reminderRoutes } from './appointments/reminders.ts';
import { waitlistRoutes } from './appointments/waitlist.ts';
import { changedRoutes } from './changed/changed.ts';
import { changeSubscriptionRoutes } from './changed/subscriptions.ts';
import { departmentRoutes } from './departments.ts';
import { PracticeError, writePracticeError } from './errors.ts';
import { customFieldRoutes } from './patients/custom-fields.ts';
import { insuranceCardRoutes } from './patients/insurances/insurance-cards.ts';
import { insuranceRoutes } from './patients/insurances/insurances.ts';
import { patientRoutes } from './patients/patient.ts';
import { patientRegistrationRoutes } from './patients/patient-registration.ts';
import { photoRoutes } from './patients/photo.ts';
import { privacyFormRoutes } from './patients/privacy-forms.ts';
import { bestMatchRoutes } from './patients/search/best-match.ts';
import { patientSearchRoutes } from './patients/search/patient-search.ts';
import { practiceInfoRoutes } from './practice-info.ts';
import { providerRoutes } from './providers.ts';
import { STRING_TYPES } from './string-types.wire.ts';

export interface PracticeDeps {
  config: Pick<Config, 'PRACTICE_TYPES'>;
  keyring: Keyring;
}

const pathStart = z.object({ apivariant: z.string(), practiceid: id().describe('Practice id') });

/**
 * The pattern of the first segment of a path: the variants, and names of others that clients of practice systems may call. It has
 * no groups, which not every reader of a route knows.
 */
const variantPattern = (variants: readonly string[]): string => ['v[0-9]+', 'preview[0-9]+', 'openpreview[0-9]+', ...variants].join('|');

const TAGS = {
  'Practice information': 'The practices of the client',
  Departments: 'The departments of a practice',
  Patients: 'Search, registration and records of patients',
  Insurances: 'Insurances of patients, their cards, and the packages of payers',
  Providers: 'The providers of a practice',
  'Appointment types': 'The kinds of appointment of a practice',
  Appointments: 'Booked and open appointments',
  Changes: 'Records that changed since a client’s last request',
};

/** Clients ask for more of a record, or to overlook restrictions, in ways that this API does not offer: none of them widens a list. */
const OF_THE_RECORD = /^(show|ignore)[a-z\d]/i;

/** For practice systems. A client is granted one or several practices and names one in each path. */
export const practice = ({ API_VARIANTS: variants, PRACTICE_TYPES }: Pick<Config, 'API_VARIANTS' | 'PRACTICE_TYPES'>): Dialect => ({
  name: 'practice',
  title: 'Practice-Management API',
  description: 'Practices, departments, patients and providers.',
  prefix: `/:apivariant(${variantPattern(variants)})/:practiceid`,
  addresses: new RegExp(`^/(?:${variantPattern(variants)})(?=[/?]|$)`),
  prefixParams: pathStart.extend({ apivariant: z.enum(variants).describe('Variant of the API') }),
  forms: true,
  ignoredParameters: OF_THE_RECORD,
  scopes: { read: 'practice.read', write: 'practice.write' },
  clientScopes: ['practice.read', 'practice.write', 'practice.admin', 'ssn.read', 'restricted.read'],
  security: {
    name: 'defaultSecurityScheme',
    scheme: { type: 'oauth2' },
  },
  authorize(principal, request) {
    if (principal.kind === 'user') throw forbidden('wrong_token', 'The practice API requires the token of an API client.');
    const { data } = pathStart.safeParse(request.params);
    if (!data) throw invalid('practiceid', 'must be an integer');
    if (!variants.includes(data.apivariant)) throw notFound('API variant');
    const userId = principal.users.get(data.practiceid);
    if (userId === undefined) throw notFound('practice');
    return {
      organizationId: data.practiceid,
      actor: `client:${principal.clientId}`,
      userId,
      role: null,
      scopes: principal.scopes,
      sessionId: null,
    };
  },
  tags: TAGS,
  document: PRACTICE_TYPES === 'strings' && variants.join() === API_VARIANTS.join() ? 'practice.json' : null,
  examples: () => STRING_TYPES[PRACTICE_TYPES].inExamples(readExamples(new URL('./examples.json', import.meta.url))),
  fieldDescriptions: {},
  errorShape: PracticeError,
  errorContentType: 'application/json',
  writeError: writePracticeError,
});

/** The seven operations of the practice document, and those beyond it that clients of practice systems call. */
export function practiceRoutes(endpoints: Endpoints, { config, keyring }: PracticeDeps): void {
  const types = STRING_TYPES[config.PRACTICE_TYPES];
  practiceInfoRoutes(endpoints);
  departmentRoutes(endpoints);
  patientSearchRoutes(endpoints, { keyring, types });
  patientRegistrationRoutes(endpoints, { keyring });
  bestMatchRoutes(endpoints, { keyring, types });
  patientRoutes(endpoints, { keyring, types });
  customFieldRoutes(endpoints, { keyring });
  photoRoutes(endpoints);
  privacyFormRoutes(endpoints);
  insuranceRoutes(endpoints);
  insuranceCardRoutes(endpoints);
  changedRoutes(endpoints, types);
  changeSubscriptionRoutes(endpoints);
  openAppointmentRoutes(endpoints);
  waitlistRoutes(endpoints);
  practiceAppointmentRoutes(endpoints);
  arrivalRoutes(endpoints);
  appointmentNoteRoutes(endpoints);
  reminderRoutes(endpoints);
  reasonRoutes(endpoints);
  providerRoutes(endpoints);
  appointmentTypeRoutes(endpoints);
}
