import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import type { Dialect } from '../../http/endpoints/dialect.ts';
import { readExamples } from '../../http/endpoints/examples.ts';
import { toCaller } from '../../http/endpoints/user-callers.ts';
import { appointmentTypeRoutes } from './appointment-types.ts';
import { appointmentRoutes } from './appointments.ts';
import { clientRoutes } from './client.ts';
import { Exception, writeException } from './errors.ts';
import { patientRoutes } from './patients.ts';
import { slotRoutes } from './slots.ts';

/** For integration apps: appointments, their types, patients. A client belongs to one organization; users may call too. */
export const integration: Dialect = {
  name: 'integration',
  title: 'Appointment and Patient Integration API',
  description: 'Create, read and update appointments, manage appointment types, create and look up patients.',
  prefix: '/api',
  addresses: /^\/api(?=[/?]|$)/,
  forms: false,
  scopes: { read: 'integration.read', write: 'integration.write' },
  clientScopes: ['integration.read', 'integration.write', 'restricted.read'],
  security: {
    name: 'BearerAuth',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'A client’s token from POST /oauth2/v1/token, or a user’s from POST /login',
    },
  },
  authorize: toCaller,
  tags: {
    'Appointment types': 'Kinds of appointments of the organization, and global ones',
    Appointments: 'Appointments of patients',
    Client: 'The caller',
    Patients: 'Patients, by id and by medical record number',
  },
  document: 'integration.json',
  examples: () => readExamples(new URL('./examples.json', import.meta.url)),
  fieldDescriptions: {},
  errorShape: Exception,
  errorContentType: 'application/json',
  writeError: writeException,
};

export function integrationRoutes(endpoints: Endpoints): void {
  appointmentTypeRoutes(endpoints);
  appointmentRoutes(endpoints);
  slotRoutes(endpoints);
  patientRoutes(endpoints);
  clientRoutes(endpoints);
}
