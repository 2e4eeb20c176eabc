import type { Config } from '../../config/config.ts';
import type { Gateways, Senders } from '../../gateways/gateways.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import type { Dialect } from '../../http/endpoints/dialect.ts';
import { readExamples } from '../../http/endpoints/examples.ts';
import { toCaller } from '../../http/endpoints/user-callers.ts';
import { Problem } from '../../http/errors/problems.ts';
import type { NotificationStreams } from '../../http/streams/notification-streams.ts';
import { writeProblem } from './errors.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';
import { attachmentRoutes } from './messaging/attachments/attachments.ts';
import { callRoutes } from './messaging/calls/calls.ts';
import { checkInRoutes } from './messaging/check-ins/check-ins.ts';
import { contactRoutes } from './messaging/contacts/contacts.ts';
import { conversationRoutes } from './messaging/conversations/conversations.ts';
import { externalMessageRoutes } from './messaging/external-messages/external-messages.ts';
import { inboxRoutes } from './messaging/inbox/inbox.ts';
import { numberRoutes } from './messaging/numbers/numbers.ts';
import { cannedReplyRoutes } from './messaging/texts/canned-replies.ts';
import { smsMessageRoutes } from './messaging/texts/sms-messages.ts';
import { smsTemplateRoutes } from './messaging/texts/sms-templates.ts';
import { visitMessageRoutes } from './messaging/visit-messages/visit-messages.ts';
import { alertRoutes } from './monitoring/alerts.ts';
import { monitoringCheckInRoutes } from './monitoring/check-ins.ts';
import { MONITORING_FIELDS } from './monitoring/field-descriptions.ts';
import { monitoringConsentRoutes } from './monitoring/monthly-billing/consents.ts';
import { ledgerRoutes } from './monitoring/monthly-billing/ledger.ts';
import { monitoredPatientRoutes } from './monitoring/programs/patients.ts';
import { programRoutes } from './monitoring/programs/programs.ts';
import { workflowRoutes } from './monitoring/programs/workflow.ts';
import { trackedConditionRoutes } from './monitoring/readings/conditions.ts';
import { deviceRoutes } from './monitoring/readings/devices.ts';
import { itemRoutes } from './monitoring/readings/items.ts';
import { readingRoutes } from './monitoring/readings/readings.ts';
import { trendFigureRoutes } from './monitoring/readings/trend-figures.ts';
import { reviewRoutes } from './monitoring/reviews.ts';
import { notificationRoutes } from './notifications/notifications.ts';
import { pushRoutes } from './notifications/push.ts';
import { officeRoutes } from './people/organizations/offices.ts';
import { organizationRoutes } from './people/organizations/organizations.ts';
import { patientRoutes } from './people/patients.ts';
import { providerRoutes } from './people/providers.ts';
import { secondFactorSignInRoutes } from './people/sign-in/second-factor-sign-in.ts';
import { secondFactorRoutes } from './people/sign-in/second-factors.ts';
import { type SignInDeps, signInRoutes } from './people/sign-in/sign-in.ts';
import { stepUpRoutes } from './people/sign-in/step-up.ts';
import { userRoutes } from './people/users.ts';
import { appointmentTypeRoutes } from './scheduling/appointment-types.ts';
import { appointmentListRoutes } from './scheduling/appointments/appointment-lists.ts';
import { appointmentSeriesRoutes } from './scheduling/appointments/appointment-series.ts';
import { appointmentRoutes } from './scheduling/appointments/appointments.ts';
import { userAppointmentRoutes } from './scheduling/appointments/user-appointments.ts';
import { bookingLinkRoutes } from './scheduling/booking/booking-links.ts';
import { waitlistRoutes } from './scheduling/booking/waitlist.ts';
import { availabilityRoutes } from './scheduling/free-time/availability.ts';
import { availabilityExceptionRoutes } from './scheduling/free-time/availability-exceptions.ts';
import { slotRoutes } from './scheduling/free-time/slots.ts';
import { MOBILE_TAGS } from './tags.ts';
import { meetSessionRoutes } from './telehealth/sessions/meet-session.ts';
import { videoSessionRoutes } from './telehealth/sessions/video-sessions.ts';
import { videoInviteRoutes } from './telehealth/video-invites.ts';
import { telehealthVisitRoutes } from './telehealth/visits/telehealth-visits.ts';
import { userReviewUrlRoutes } from './telehealth/visits/user-review-urls.ts';
import { waitingRoomRoutes } from './telehealth/waiting-rooms.ts';

/** For mobile apps and third parties: people who signed in, and devices that send readings. */
export const mobile: Dialect = {
  name: 'mobile',
  title: 'Mobile and Third-Party API',
  description: 'Schedules, texts, check-ins, telehealth and remote patient monitoring for signed-in users.',
  prefix: '',
  addresses: /^/,
  forms: false,
  scopes: { read: null, write: null },
  clientScopes: ['readings.write', 'agent.read', 'agent.write'],
  appScopes: { read: 'mobile', write: 'mobile' },
  security: {
    name: 'bearerAuth',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'A user’s token from POST /login; for operations with a scope, also an API client’s from POST /oauth2/v1/token',
    },
  },
  authorize: toCaller,
  tags: MOBILE_TAGS,
  document: 'mobile.json',
  examples: () => readExamples(new URL('./examples.json', import.meta.url)),
  fieldDescriptions: { ...MONITORING_FIELDS, ...FIELD_DESCRIPTIONS },
  errorShape: Problem,
  errorContentType: 'application/problem+json',
  writeError: writeProblem,
};

type MobileDeps = SignInDeps & {
  config: Pick<Config, 'PRACTICE_LIMITS'>;
  gateways: Gateways;
  findSenders(organizationId: number): Promise<Senders>;
  streams: NotificationStreams;
};

/** The operations, in the order of the document. */
const ROUTES: readonly ((endpoints: Endpoints, deps: MobileDeps) => void)[] = [
  accountRoutes,
  appointmentTypeRoutes,
  appointmentRoutes,
  appointmentSeriesRoutes,
  appointmentListRoutes,
  userAppointmentRoutes,
  availabilityExceptionRoutes,
  availabilityRoutes,
  slotRoutes,
  bookingLinkRoutes,
  waitlistRoutes,
  organizationRoutes,
  officeRoutes,
  userRoutes,
  providerRoutes,
  patientRoutes,
  attachmentRoutes,
  contactRoutes,
  cannedReplyRoutes,
  smsTemplateRoutes,
  smsMessageRoutes,
  visitMessageRoutes,
  (endpoints, { findSenders, config }) => numberRoutes(endpoints, { findSenders, most: config.PRACTICE_LIMITS.numbers }),
  callRoutes,
  inboxRoutes,
  conversationRoutes,
  checkInRoutes,
  programRoutes,
  workflowRoutes,
  monitoredPatientRoutes,
  trackedConditionRoutes,
  deviceRoutes,
  itemRoutes,
  alertRoutes,
  trendFigureRoutes,
  monitoringCheckInRoutes,
  readingRoutes,
  reviewRoutes,
  monitoringConsentRoutes,
  ledgerRoutes,
  (endpoints, { streams }) => notificationRoutes(endpoints, streams),
  (endpoints, { gateways: { push }, keyring }) => pushRoutes(endpoints, { push, keyring }),
  videoSessionRoutes,
  meetSessionRoutes,
  videoInviteRoutes,
  waitingRoomRoutes,
  telehealthVisitRoutes,
  userReviewUrlRoutes,
  externalMessageRoutes,
];

export function mobileRoutes(endpoints: Endpoints, deps: MobileDeps): void {
  for (const routes of ROUTES) routes(endpoints, deps);
}

/** Signing in, and what belongs to the signed-in user. */
function accountRoutes(endpoints: Endpoints, deps: SignInDeps): void {
  signInRoutes(endpoints, deps);
  secondFactorSignInRoutes(endpoints, deps);
  secondFactorRoutes(endpoints, deps);
  stepUpRoutes(endpoints, deps);
}
