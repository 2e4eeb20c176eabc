import { forbidden } from '../../domain/errors.ts';
import type { Gateways } from '../../gateways/gateways.ts';
import type { Dialect } from '../../http/dialect.ts';
import type { Endpoints } from '../../http/endpoints.ts';
import { appointmentListRoutes } from './appointment-lists.ts';
import { appointmentTypeRoutes } from './appointment-types.ts';
import { appointmentRoutes } from './appointments.ts';
import { attachmentRoutes } from './attachments.ts';
import { callRoutes } from './calls.ts';
import { cannedReplyRoutes } from './canned-replies.ts';
import { checkInRoutes } from './check-ins.ts';
import { contactRoutes } from './contacts.ts';
import { Problem, writeProblem } from './errors.ts';
import { externalMessageRoutes } from './external-messages.ts';
import { numberRoutes } from './numbers.ts';
import { officeRoutes } from './offices.ts';
import { organizationRoutes } from './organizations.ts';
import { patientRoutes } from './patients.ts';
import { providerRoutes } from './providers.ts';
import { type SignInDeps, signInRoutes } from './sign-in.ts';
import { smsMessageRoutes } from './sms-messages.ts';
import { smsTemplateRoutes } from './sms-templates.ts';
import { userAppointmentRoutes } from './user-appointments.ts';
import { userRoutes } from './users.ts';

/** For mobile apps and third parties: people who signed in. */
export const mobile: Dialect = {
  name: 'mobile',
  title: 'Mobile and Third-Party API',
  description: 'Schedules, texts, check-ins, telehealth and remote patient monitoring for people who signed in.',
  prefix: '',
  forms: false,
  scopes: { read: null, write: null },
  security: {
    name: 'bearerAuth',
    scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token from POST /login' },
  },
  admit(principal) {
    if (principal.kind === 'client') throw forbidden('wrong_token', 'The mobile API takes the token of a user who signed in.');
    const { kind: _, ...user } = principal;
    return { ...user, actor: `user:${user.userId}`, scopes: new Set() };
  },
  failureShape: Problem,
  failureContentType: 'application/problem+json',
  failureStatuses: [400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503],
  writeFailure: writeProblem,
};

export function mobileRoutes(endpoints: Endpoints, deps: SignInDeps & { gateways: Gateways }): void {
  signInRoutes(endpoints, deps);
  appointmentTypeRoutes(endpoints);
  appointmentRoutes(endpoints);
  appointmentListRoutes(endpoints);
  userAppointmentRoutes(endpoints);
  organizationRoutes(endpoints);
  officeRoutes(endpoints);
  userRoutes(endpoints);
  providerRoutes(endpoints);
  patientRoutes(endpoints);
  attachmentRoutes(endpoints);
  contactRoutes(endpoints);
  cannedReplyRoutes(endpoints);
  smsTemplateRoutes(endpoints);
  smsMessageRoutes(endpoints);
  numberRoutes(endpoints, deps.gateways);
  callRoutes(endpoints);
  checkInRoutes(endpoints);
  externalMessageRoutes(endpoints);
}
